#pragma once
/// AtTarget: adapter from b_transport to a target of the approximately timed style, such as a DRAM controller.

#include <tlm_utils/peq_with_cb_and_phase.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/base/sysc/deferred_answer.h"
#include "modules/base/sysc/payload_access.h"

namespace tributary {

/// Accepts b_transport at `in`, and speaks the four phases of the base protocol (IEEE 1666-2011, 15.2) at `out`, which the
/// user binds to the target. An access longer than a burst is split; the bursts are requested as fast as the target takes
/// them. The target may answer with TLM_COMPLETED or TLM_UPDATED at any point, leave END_REQ out, and respond out of order.
///
/// From a thread, b_transport waits until the last burst has responded; several threads may call concurrently.
///
/// A device of this library that is in kernel time gets its answer later (DeferredAnswer), when the first burst responds.
/// Its accesses with data have no time; they are passed by transport_dbg.
///
/// From any other method process nothing can wait: each burst must be answered within its call, by TLM_COMPLETED or by
/// TLM_UPDATED and BEGIN_RESP, with the time annotated. The delay then grows by the time until the first burst responds. An
/// answer after the call ends in std::logic_error, one line with the name of the socket.
class AtTarget : public sc_core::sc_module,
                 private tlm::tlm_fw_transport_if<>,
                 private tlm::tlm_bw_transport_if<>,
                 private tlm::tlm_mm_interface,
                 private ClockedPart {
 public:
  tlm::tlm_target_socket<32> in{"in"};
  tlm::tlm_initiator_socket<32> out{"out"};

  /// `burst`: most bytes of a transaction at `out`; 0: an access is never split.
  explicit AtTarget(const sc_core::sc_module_name& name, std::uint32_t burst = 64);

  ~AtTarget() override;

  /// Returns the number of payloads that the target holds.
  std::size_t in_flight() const { return payloads_.size() - idle_.size(); }
  /// Returns the number of payloads that were made.
  std::size_t payloads() const { return payloads_.size(); }
  /// Returns the number of accesses of devices that have no answer.
  std::size_t unanswered() const;
  /// Drops the answers of all accesses of devices. The target may still hold their bursts.
  void forget();

 private:
  using Payload = tlm::tlm_generic_payload;

  /// A call of b_transport, or the access of a device, which has a payload of its own.
  struct Access {
    explicit Access(Payload& p) : whole(p) {}
    Payload& whole;
    std::size_t left = 0;  // bursts without a response
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
    sc_core::sc_event done;
    DeferredAnswer::Request request{0, nullptr};  // set for a device without an answer
  };
  struct Mark final : TimingOnly {
    void free() override {}
  };
  struct DeviceAccess : Access {
    DeviceAccess() : Access(payload) {}
    ~DeviceAccess() { payload.clear_extension<TimingOnly>(); }
    Payload payload;
    std::unique_ptr<unsigned char[]> data;  // which nothing uses
  };
  /// A part of an access, or all of it.
  struct Burst : Payload {
    explicit Burst(tlm::tlm_mm_interface* pool) : Payload(pool) {}
    Access* access = nullptr;
    sc_core::sc_time begin;  // it may be requested from this time on
  };

  void b_transport(Payload& payload, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& direct) override;
  unsigned transport_dbg(Payload& payload) override { return out->transport_dbg(payload); }
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;
  void free(Payload* payload) override;

  void transport_in_thread(Access& access, sc_core::sc_time& delay);
  void transport_at_once(Access& access, sc_core::sc_time& delay);
  bool transport_for_device(Payload& payload, const sc_core::sc_time& delay);
  void defer(const Payload& payload, const sc_core::sc_time& delay, const DeferredAnswer::Request& request);
  void answer(Access& access);
  std::vector<Burst*> bursts_of(Access& access);
  Burst* make(Access& access, std::uint64_t offset, std::uint64_t bytes);
  void request_next();
  void on_phase(Payload& payload, const tlm::tlm_phase& phase);
  void finish(Burst& burst);
  // ClockedPart: the target calls the adapter, not the device
  Tick next() const override { return never; }
  void advance(Tick, AnswerListener&) override {}
  bool out_of_order() const override { return true; }
  [[noreturn]] void refuse_late_answer();

  std::uint32_t burst_;
  std::vector<std::unique_ptr<Burst>> payloads_;
  std::vector<Burst*> idle_;
  std::deque<Burst*> waiting_;        // to be requested
  const Payload* request_ = nullptr;  // its request has not ended
  sc_core::sc_event begin_;           // the first of `waiting_` may be requested
  Mark mark_;
  std::vector<std::unique_ptr<DeviceAccess>> devices_;
  tlm_utils::peq_with_cb_and_phase<AtTarget> phases_;
};

}  // namespace tributary
