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
  /// `data`: the data of a read follow the answer, until listener->completed(ticket).
  static std::optional<Request> defer(tlm::tlm_generic_payload& access, ClockedPart& part, bool data = false) {
    auto* const extension = access.get_extension<DeferredAnswer>();
    if (extension == nullptr || !extension->offered_ || (data && !extension->data_may_follow_)) return {};
    extension->part_ = &part;
    extension->data_follow_ = data;
    access.set_response_status(tlm::TLM_OK_RESPONSE);
    return Request{extension->answers_->ticket(), extension->listener_};
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
  void set_answers(LateAnswers& answers) { answers_ = &answers, listener_ = &answers; }
  void let_data_follow() { data_may_follow_ = true; }
  bool data_follow() const { return part_ != nullptr && data_follow_; }
  /// Counts the next request; `offered`: it may be answered later.
  void begin(bool offered) {
    offered_ = offered;
    part_ = nullptr;
    data_follow_ = false;
    if (offered) answers_->count();
  }
  /// Returns the part that answers later; null: the target has answered.
  ClockedPart* part() const { return part_; }

  // A module between initiator and target.
  AnswerListener* listener() const { return listener_; }
  void set_listener(AnswerListener* listener) { listener_ = listener; }
  void set_part(ClockedPart& part) { part_ = &part; }
  Ticket ticket() const { return answers_->ticket(); }

  tlm::tlm_extension_base* clone() const override { return new DeferredAnswer; }
  void copy_from(const tlm::tlm_extension_base&) override {}

 private:
  LateAnswers* answers_ = nullptr;
  ClockedPart* part_ = nullptr;
  AnswerListener* listener_ = nullptr;
  bool offered_ = false;
  bool data_may_follow_ = false, data_follow_ = false;
};

}  // namespace tributary
