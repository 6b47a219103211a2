#pragma once
/// SwitchCore: an output-queued cut-through switch with egress units, as arithmetic on integer picoseconds.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/link/core/event_slots.h"
#include "modules/link/core/link_transmitter.h"
#include "modules/switching/core/arbiter.h"
#include "modules/switching/core/egress_station.h"
#include "modules/switching/core/forwarding.h"
#include "modules/switching/core/input_queue.h"
#include "modules/switching/core/packet_lists.h"

namespace tributary {

struct SwitchConfig {
  unsigned ports = 16;      ///< at most 16
  Tick latency = 0;         ///< header flit in to header flit out of an idle switch; lies before the crossbar
  Bandwidth port_rate;      ///< of a link, and of an egress unit
  Bandwidth crossbar_rate;  ///< of a crossbar port
  bool virtual_output_queues = false;
  unsigned unit_queue_flits = max_packet_flits;   ///< operands that wait before an egress unit
  unsigned replication_flits = max_packet_flits;  ///< replication buffer of a port
};

/// What the shell does for the core.
class SwitchWires {
 public:
  virtual ~SwitchWires() = default;
  virtual void deliver(unsigned port, const LinkTransmitter::Sent& sent) = 0;
  /// Buffer space of `port` comes free at `when`.
  virtual void return_credit(unsigned port, unsigned vc, unsigned flits, Tick when) = 0;
};

/// Timing: a header flit that arrives at t may cross from t + latency on; a transfer takes one crossbar input and one output
/// for the packet's flits at the crossbar rate and never ends before its tail has arrived; the link may start with it (cut-
/// through). A multicast crosses once per output, to the free ones first, and remembers the rest. All that a port injects
/// (link arrivals of both VCs, and what its egress unit emits) shares the port's one crossbar input. Outputs grant their
/// requesters (input x VC) in round-robin order among those that compete for the same room (a VC's queue, or the egress
/// unit), these kinds in turn, and take turns in choosing first. Source: Klenk et al., ISCA 2020, IV-E, V.
class SwitchCore {
 public:
  /// Throws std::invalid_argument on a configuration that no switch can have.
  SwitchCore(const SwitchConfig& config, Forwarding& forwarding, SwitchWires& wires,
             const std::vector<LinkTransmitter*>& transmitters);

  /// A packet arrives over the link of `port`; its reference comes with it. Returns when it can matter.
  Tick accept(unsigned port, Packet* packet, Tick head, Tick tail);
  /// Returns when the credit can matter, or `never`.
  Tick credit(unsigned port, unsigned vc, unsigned flits, Tick when);
  /// Handles all events up to and including `horizon`; returns the time of the next one.
  Tick run_until(Tick horizon);

  /// Nothing queued, stalled or held anywhere.
  bool quiescent() const { return waiting().empty(); }
  /// One line for each thing that waits: block name relative to the switch, and what it waits for.
  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& name);

 private:
  // A requester is an input queue: index = class x stride + port, the classes being the VCs, then the replication buffer.
  static constexpr unsigned stride = max_switch_ports;
  static constexpr std::uint64_t requesters_of_input = 1 | std::uint64_t{1} << stride | std::uint64_t{1} << 2 * stride;
  static constexpr unsigned replication = vc_count;
  static constexpr unsigned classes = vc_count + 1;
  // Slots of events, by port. An input waits for the end of its transfer when busy, for its next packet when idle.
  enum Event : unsigned { input_event, unit_event = stride };
  enum RareEvent : unsigned { link_event, timer_event = stride };

  struct alignas(64) Output {
    std::array<std::uint64_t, resource_count> wanted_by{};  // requesters with a packet for it, by what that needs
    std::array<RoundRobin, resource_count> grants;
    unsigned turn = 0;  // resource that is asked first
  };

  InputQueue& queue(unsigned cls, unsigned port) { return queues_[cls * stride + port]; }
  void handle(unsigned slot, Tick now);
  void handle_rare(unsigned slot, Tick now);
  void handle_all(Tick now);
  Tick next_event() const { return std::min(events_.next(), rare_events_.next()); }

  // inputs
  bool may_route(const InputQueue& q) const { return config_.virtual_output_queues || q.routed == 0; }
  Tick next_head(const InputQueue& q) const { return q.stalled || !may_route(q) ? never : q.head_ready; }
  Tick next_head_of(unsigned port) const { return std::min(next_head(queues_[port]), next_head(queues_[stride + port])); }
  std::uint32_t wants_of(unsigned port) const {
    return queues_[port].wants | queues_[stride + port].wants | queues_[2 * stride + port].wants;
  }
  void enqueue(InputQueue& q, const QueuedPacket& packet);
  void make_eager(unsigned port);
  void release_packets(InputQueue& q);
  void route_waiting(unsigned requester, Tick now);
  void request(unsigned requester, const QueuedPacket& packet);
  void request_copies(unsigned requester, const QueuedPacket& packet);
  void want(unsigned requester, unsigned output, unsigned resource) {
    outputs_[output].wanted_by[resource] |= std::uint64_t{1} << requester;
  }
  void retry_stalled(unsigned port, Tick now);
  void input_due(unsigned port, Tick now);

  // crossbar
  void match(Tick now, bool sole_input);
  unsigned grant(unsigned output, Tick now);
  bool has_room(unsigned output, const QueuedPacket& packet, Tick now);
  void transfer(unsigned requester, unsigned output, Tick now);
  void crossbar_free(unsigned port, Tick now);

  // outputs
  void leave_crossbar(unsigned output, const QueuedPacket& packet, Tick now, Tick end);
  Tick run_link(unsigned port, Tick horizon);
  Tick run_links(Tick horizon);
  void return_credits();
  Tick arm_link(unsigned port, Tick sent);
  void room_freed(unsigned output) {
    changed_ |= blocked_ & (1u << output);
    open_ |= blocked_ & (1u << output);
    blocked_ &= ~(1u << output);
  }

  // egress units
  void serve_unit(unsigned port, Tick now);
  void start_service(unsigned port, RingQueue<EgressStation::Operand>& from, Tick now);
  void end_service(unsigned port, Tick now);
  void send_reserved(unsigned port, Packet* packet, unsigned vc, unsigned flits, Tick now, Tick tail);
  bool reserve_replication(unsigned port);
  void unreserve_replication(unsigned port);
  void inject(unsigned port, Packet* packet, Tick now);
  void replication_freed(unsigned port, unsigned flits, Tick now);
  void time_out(unsigned port, Tick now);
  void arm_timer(unsigned port, Tick now);

  SwitchConfig config_;
  Forwarding& forwarding_;
  SwitchWires& wires_;
  std::array<LinkTransmitter*, stride> transmitters_{};
  std::array<Output, stride> outputs_;
  std::array<InputQueue, classes * stride> queues_;  // by requester
  std::vector<CrossbarInput> inputs_;                // by port
  std::array<std::unique_ptr<EgressStation>, stride> stations_;
  PacketLists packets_;
  EventSlots<5> events_, rare_events_;
  Tick handled_ = 0;  // all events up to then
  std::uint64_t idle_requesters_ = 0;
  std::uint32_t idle_outputs_ = 0;
  std::uint32_t sending_ = 0;  // outputs with packets queued
  std::uint32_t crossed_ = 0;  // inputs with buffers freed in this window
  std::uint32_t changed_ = 0;  // outputs for which a match may have become possible
  std::uint32_t blocked_ = 0;  // outputs that have refused somebody for want of room
  std::uint32_t due_ = 0;      // inputs that had an event at this instant
  std::uint32_t open_ = 0;     // of these, outputs that not only an input that is due may get
  unsigned first_output_ = 0;
};

}  // namespace tributary
