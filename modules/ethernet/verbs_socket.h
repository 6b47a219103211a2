#pragma once
/// Sockets between a host agent and its RDMA NIC: TLM-2.0 blocking transport forward, calls with times backward.

#include <systemc>
#include <tlm>

#include "modules/ethernet/core/verbs.h"
#include "modules/link/link_protocol.h"

namespace tributary {

struct VerbsTransaction {
  unsigned queue_pair = 0;
  WriteRequest request{};
};

struct VerbsProtocol {
  using tlm_payload_type = VerbsTransaction;
  using tlm_phase_type = tlm::tlm_phase;
};

/// Agent to NIC. b_transport(transaction, delay) posts a WRITE `delay` after the kernel's time. It returns immediately and
/// leaves `delay` unchanged: the NIC models its own latencies and reports the completion with its time.
class VerbsForward : public tlm::tlm_blocking_transport_if<VerbsTransaction> {
 public:
  using protocol_types = VerbsProtocol;
  /// Number of requests that have not been completed.
  virtual unsigned outstanding(unsigned queue_pair) const = 0;
};

/// NIC to agent, in order of time. `when` is exact, and not before the kernel's time: an agent with a process of its own
/// waits until then, and the requests that it posts then are in time.
class VerbsBackward : public virtual sc_core::sc_interface, public VerbsListener {
 public:
  using protocol_types = VerbsProtocol;
};

using VerbsTarget = tlm::tlm_base_target_socket<32, VerbsForward, VerbsBackward>;

/// Initiator socket of the agent. Bind it to a VerbsTarget.
class VerbsInitiator : public tlm::tlm_base_initiator_socket<32, VerbsForward, VerbsBackward>, public Verbs {
  using Base = tlm::tlm_base_initiator_socket<32, VerbsForward, VerbsBackward>;

 public:
  VerbsInitiator(const char* name, VerbsListener& listener) : Base(name), relay_(listener) {
    Base::bind(static_cast<VerbsBackward&>(relay_));
  }
  using Base::bind;

  void post_write(unsigned queue_pair, const WriteRequest& request, Tick when) override {
    VerbsTransaction transaction{queue_pair, request};
    const Tick now = kernel_now();
    sc_core::sc_time delay = to_sc_time(when > now ? when - now : 0);
    (*this)->b_transport(transaction, delay);
  }
  unsigned outstanding(unsigned queue_pair) const override { return (*this)->outstanding(queue_pair); }

 private:
  struct Relay : VerbsBackward {
    explicit Relay(VerbsListener& l) : listener(l) {}
    void completed(unsigned queue_pair, std::uint64_t id, Tick when) override { listener.completed(queue_pair, id, when); }
    void arrived(unsigned queue_pair, std::uint32_t immediate, Tick when) override {
      listener.arrived(queue_pair, immediate, when);
    }
    void failed(unsigned queue_pair, Tick when, const std::string& why) override { listener.failed(queue_pair, when, why); }
    VerbsListener& listener;
  } relay_;
};

}  // namespace tributary
