#pragma once
/// DeferredAnswer: extension by which a target of generic payload answers a request after b_transport has returned.

#include <optional>
#include <tlm>

#include "modules/base/late_answers.h"

namespace tributary {

/// Ignorable: a target that does not know the extension answers within the call. The initiator owns the payload, so a target
/// copies what it needs beyond the call, and the data of a read within it. The answer of a deferred request is the time of
/// its response.
class DeferredAnswer : public tlm::tlm_extension<DeferredAnswer> {
 public:
  /// What a target needs for its answer: listener->answered(ticket, when).
  struct Request {
    Ticket ticket;
    AnswerListener* listener;
  };

  /// Called by a target in b_transport that answers this request later. Returns nothing if the initiator does not offer
  /// that; the target then answers within the call.
  static std::optional<Request> defer(tlm::tlm_generic_payload& access, ClockedPart& part) {
    auto* const extension = access.get_extension<DeferredAnswer>();
    if (extension == nullptr || !extension->offered_) return {};
    extension->part_ = &part;
    access.set_response_status(tlm::TLM_OK_RESPONSE);
    return Request{extension->answers_->ticket(), extension->answers_};
  }
  /// Returns true if this request may be answered later.
  static bool is_offered(const tlm::tlm_generic_payload& access) {
    const auto* const extension = access.get_extension<DeferredAnswer>();
    return extension != nullptr && extension->offered_;
  }
  /// Returns true if the initiator is a device in kernel time, which accepts answers outside of ClockedPart::advance().
  static bool in_kernel_time(const tlm::tlm_generic_payload& access) {
    const auto* const extension = access.get_extension<DeferredAnswer>();
    return extension != nullptr && extension->answers_ != nullptr && extension->answers_->in_kernel_time();
  }

  // Initiator.
  void set_answers(LateAnswers& answers) { answers_ = &answers; }
  /// Counts the next request; `offered`: it may be answered later.
  void begin(bool offered) {
    offered_ = offered;
    part_ = nullptr;
    if (offered) answers_->count();
  }
  /// Returns the part that answers later; null: the target has answered.
  ClockedPart* part() const { return part_; }

  tlm::tlm_extension_base* clone() const override { return new DeferredAnswer; }
  void copy_from(const tlm::tlm_extension_base&) override {}

 private:
  LateAnswers* answers_ = nullptr;
  ClockedPart* part_ = nullptr;
  bool offered_ = false;
};

}  // namespace tributary
