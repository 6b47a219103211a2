#pragma once
/// PayloadAccess: accesses of an initiator by generic payload, with the attributes that IEEE 1666-2011, clause 14, demands.

#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>

#include "modules/base/access_timing.h"
#include "modules/base/sysc/deferred_answer.h"
#include "modules/base/sysc/request_interval.h"
#include "modules/base/sysc/scratch_buffer.h"
#include "modules/base/sysc/time_resolution.h"
#include "modules/base/units.h"

namespace tributary {

/// Ignorable extension of a read whose data do not matter: the initiator asks for the time of an access, and its data
/// pointer leads to a buffer that is never read. A target that copies data anyway is right, only slower.
class TimingOnly : public tlm::tlm_extension<TimingOnly> {
 public:
  tlm::tlm_extension_base* clone() const override { return new TimingOnly; }
  void copy_from(const tlm::tlm_extension_base&) override {}
};

/// True if the data of the access do not matter.
inline bool is_timing_only(const tlm::tlm_generic_payload& access) {
  return access.get_data_ptr() == nullptr || access.get_extension<TimingOnly>() != nullptr;
}

/// The payload of one initiator, which calls b_transport and lets no call overlap another.
class PayloadAccess {
 public:
  using Socket = tlm::tlm_initiator_socket<32>;

  /// `kind`: kind of the target in error messages, such as `memory`.
  explicit PayloadAccess(const char* kind) : kind_(kind) {
    require_picoseconds();
    payload_.set_extension<RequestInterval>(&interval_);
  }
  /// Lets targets answer requests later: those without data, and `with_data` all, whose data are copied within the call.
  /// LateAnswers::defer() is the caller's task.
  void offer(LateAnswers& answers, bool with_data = false) {
    answers_ = &answers;
    with_data_ = with_data;
    deferred_.set_answers(answers);
    payload_.set_extension<DeferredAnswer>(&deferred_);
    special_ = true;
  }
  /// Lets the data of a read follow its answer: the place of the data stays until they are complete.
  void let_data_follow() { deferred_.let_data_follow(); }
  /// True if the data of the last access follow its answer.
  bool data_follow() const { return deferred_.data_follow(); }
  /// Lets the target answer the next accesses later, or not.
  void offer_next(bool later) { offers_ = later; }
  PayloadAccess(const PayloadAccess&) = delete;
  PayloadAccess& operator=(const PayloadAccess&) = delete;

  /// Accesses `bytes` at `address`, `ahead` ps after the kernel's time, and returns the times that the target adds. Without
  /// `data`, the payload carries TimingOnly and a scratch buffer of that length. The answer is pending if part() is not null
  /// then. Throws std::logic_error, one line with the name of the socket, if the target waits, has no b_transport, or does
  /// not add to the delay.
  AccessTime transport(Socket& socket, tlm::tlm_command command, std::uint64_t address, std::byte* data, std::uint64_t bytes,
                       Tick ahead) {
    sc_core::sc_time delay;
    if (ahead != 0) delay = sc_core::sc_time::from_value(ahead);
    call(socket, command, address, data, bytes, delay);
    if (delay.value() < ahead) refuse_delay(socket.name());
    if (__builtin_expect(deferred_.part() != nullptr, 0)) return {never, interval_.interval};
    return {delay.value() - ahead, interval_.interval};
  }
  /// An access at the kernel's time, which is answered at once.
  AccessTime transport(Socket& socket, tlm::tlm_command command, std::uint64_t address, std::byte* data,
                       std::uint64_t bytes) {
    sc_core::sc_time delay;
    call(socket, command, address, data, bytes, delay);
    return {delay.value(), interval_.interval};
  }
  /// Throws std::runtime_error, one line with the name of the socket and the response, unless the last access was completed
  /// with TLM_OK_RESPONSE. `what` names the access, such as `a read`.
  void check(const Socket& socket, const char* what) const {
    if (!payload_.is_response_ok()) refuse_response(socket.name(), what);
  }
  bool is_ok() const { return payload_.is_response_ok(); }
  std::string response() const { return payload_.get_response_string(); }
  /// Requests direct access to all of the target's memory from address 0. Returns its bytes; null if it is not granted to at
  /// least `bytes`.
  std::byte* direct_memory(Socket& socket, std::uint64_t bytes = 0);
  tlm::tlm_generic_payload& payload() { return payload_; }
  /// Returns the part that answers the last access later; null if it was answered.
  ClockedPart* part() const { return deferred_.part(); }

 private:
  // These stay when the payload ends, which frees its extensions.
  struct Mark final : TimingOnly {
    void free() override {}
  };
  struct Interval final : RequestInterval {
    void free() override {}
  };
  struct Deferred final : DeferredAnswer {
    void free() override {}
  };

  void call(Socket& socket, tlm::tlm_command command, std::uint64_t address, std::byte* data, std::uint64_t bytes,
            sc_core::sc_time& delay) {
    payload_.set_command(command);
    payload_.set_address(address);
    payload_.set_data_ptr(reinterpret_cast<unsigned char*>(data));
    payload_.set_data_length(static_cast<unsigned>(bytes));
    payload_.set_streaming_width(static_cast<unsigned>(bytes));
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    payload_.set_dmi_allowed(false);
    interval_.interval = 0;
    if (__builtin_expect(data == nullptr || special_, 0)) extend(data == nullptr, bytes);
    try {
      socket->b_transport(payload_, delay);
    } catch (...) {
      fail(socket.name());
    }
  }
  void extend(bool timing_only, std::uint64_t bytes);
  [[noreturn]] void fail(const char* socket);
  [[noreturn]] void refuse_delay(const char* socket) const;
  [[noreturn]] void refuse_response(const char* socket, const char* what) const;

  const char* kind_;
  Mark mark_;  // outlives the payload, which refers to it, as does the interval
  Interval interval_;
  Deferred deferred_;
  tlm::tlm_generic_payload payload_;
  bool timing_only_ = false;  // the payload carries mark_
  bool special_ = false;      // it carries mark_, or offers late answers
  bool with_data_ = false;    // accesses with data may be answered later
  bool offers_ = true;        // the next accesses may be answered later
  LateAnswers* answers_ = nullptr;
  ScratchBuffer scratch_;
};

}  // namespace tributary
