#pragma once
/// SwitchCore: an output-queued cut-through switch with egress units, as arithmetic on integer picoseconds.

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/engine/core/event_slots.h"
#include "modules/link/core/nvlink_links.h"
#include "modules/nvswitch/core/egress_stage.h"
#include "modules/nvswitch/core/forwarding.h"
#include "modules/nvswitch/core/packet_lists.h"
#include "modules/switching/core/arbiter.h"
#include "modules/switching/core/crossbar_input.h"

namespace tributary {

/// The requests for an output, of three queues at each input, are one 64-bit mask.
inline constexpr unsigned max_switch_ports = 16;

struct SwitchConfig {
  unsigned ports = 0;       ///< at most max_switch_ports
  Tick latency = 0;         ///< header flit in to header flit out of an idle switch; lies before the crossbar
  Bandwidth port_rate;      ///< of a link, and of an egress unit
  Bandwidth crossbar_rate;  ///< of a crossbar port
  bool virtual_output_queues = false;
  unsigned unit_queue_flits = NvLink::max_packet_flits;   ///< operands that wait before an egress unit
  unsigned replication_flits = NvLink::max_packet_flits;  ///< replication buffer of a port
  bool crossbar_replicates = false;                       ///< a multicast reaches several outputs in one crossing
};

/// Timing: a header flit that arrives at t may cross from t + latency on; a transfer takes one crossbar input and one output
/// for the packet's flits at the crossbar rate and never ends before its tail has arrived; the link may start with it (cut-
/// through). A multicast crosses once per output, to the free ones first, and remembers the rest; where the crossbar
/// replicates, it crosses at once to all free outputs that grant it, and again for the rest. All that a port injects
/// (link arrivals of both VCs, and what its egress unit emits) shares the port's one crossbar input. Outputs grant their
/// requesters (input x VC) in round-robin order among those that compete for the same room (a VC's queue, or the egress
/// unit), these kinds in turn, and take turns in choosing first. Source: Klenk et al., ISCA 2020, IV-E, V.
class SwitchCore {
 public:
  /// Throws std::invalid_argument on a configuration that no switch can have.
  SwitchCore(const SwitchConfig& config, Forwarding& forwarding, LinkOutput& wires,
             const std::vector<NvLinkTransmitter*>& transmitters);

  /// Packets are on their way over the link of `port`: shows them in that input's buffers from their heads on.
  void show_in_flight(unsigned port, Tick first, const LinkArrival* packets, unsigned count) {
    const SignalProbe &vc0 = flits_probes_[port], &vc1 = flits_probes_[stride + port];
    if (__builtin_expect(vc0.observed() | vc1.observed(), 0))
      for (const LinkArrival* p = packets; p != packets + count; ++p)
        (p->packet->vc == 0 ? vc0 : vc1)(first + p->after, flits_of<NvLink>(*p->packet));
  }
  /// One of them arrives; its reference comes with it. At the latest when it can matter, at `head` + latency.
  void accept(unsigned port, Packet* packet, Tick head, Tick tail);
  /// The first of the credits of `port` is there at `first`.
  void credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count);
  /// How far it can run at `now` when all packets are there that matter up to `packets`, and all credits of a port that come
  /// before `credits[port]`. Its crossbar may be ahead of its links: a queue only empties meanwhile, so room that is found
  /// there stays.
  Tick safe_horizon(Tick now, Tick packets, const Tick* credits);
  /// What waits here has left the host's caches since the last window: safe_horizon() prefetches the lists, this what is
  /// first in each.
  void prefetch_heads() const;
  /// And this the packets, once these have come.
  void prefetch_packets() const;
  /// Handles all events up to and including `horizon`, or up to where it is not yet known whether a queue has the room that
  /// a packet asks for; sends as far as decided (all, without windows). Returns the time of the next event.
  Tick run_until(Tick horizon);
  /// All that it sends up to then has been sent.
  Tick sent_until() const { return links_.done(); }

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
  static constexpr unsigned replication = NvLink::vcs;
  static constexpr unsigned classes = NvLink::vcs + 1;
  static constexpr unsigned nobody = ~0u, not_known = nobody - 1;
  enum class Room : std::uint8_t { none, there, not_known };
  // Slots of events, by port. An input waits for the end of its transfer when busy, for its next packet when idle; that is
  // most of what happens, and stands apart in a tournament of few rounds.
  enum Event : unsigned { unit_event, link_event = stride, timer_event = 2 * stride };

  struct alignas(64) Output {
    std::uint64_t wanted_by = 0;  // requesters with a packet for it
    std::array<RoundRobin, resource_count> grants;
    unsigned turn = 0;                                   // resource that is asked first
    std::array<const unsigned*, resource_count> used{};  // flits, by resource
  };

  /// Of one requester, by output: packets that wait for the crossbar, each only behind others for the same output (virtual
  /// output queues).
  using OutputLists = std::array<PacketLists::List, stride>;
  /// What leaves the crossbar.
  struct Crossing {
    Packet* packet;
    std::uint8_t flits, vc;
    Exit exit;
  };

  void handle_next(Tick now);
  Tick next_event() const { return std::min(input_events_.next(), events_.next()); }
  Tick soonest() const { return std::min(input_events_.soonest(), events_.soonest()); }

  // inputs
  bool may_route(unsigned requester) const { return config_.virtual_output_queues || wants_[requester] == 0; }
  bool stalled(unsigned requester) const { return (stalled_ >> requester & 1u) != 0; }
  Tick next_head_of(unsigned port) const { return std::min(head_ready_[port], head_ready_[stride + port]); }
  std::uint32_t wants_of(unsigned port) const { return wants_[port] | wants_[stride + port] | wants_[2 * stride + port]; }
  /// Where a packet waits to be routed. By VC where one VC may be held up while the other goes on; otherwise all of a port
  /// wait in the list of VC 0, in the order in which the link brings them.
  unsigned queue_of(unsigned port, unsigned vc) const {
    const bool apart = inputs_[port].eager || !config_.virtual_output_queues;
    return (apart ? vc * stride : 0) + port;
  }
  void enqueue(unsigned queue, Packet* packet, const Decision& decision, Tick ready, Tick tail);
  void look_at_head(unsigned queue) {
    const PacketLists::List& waiting = waiting_[queue];
    const bool held = waiting.empty() || stalled(queue) || !may_route(queue);
    head_ready_[queue] = held ? never : packets_.ready_and_fetch_next(waiting.first);
  }
  void arm_input(unsigned port);
  [[gnu::cold]] void make_eager(unsigned port);
  unsigned packets_of(unsigned requester) const;
  void release_packets(unsigned requester);
  void route_waiting(unsigned queue, Tick now);
  void request(unsigned requester, PacketLists::Place place);
  void request_copies(unsigned requester, PacketLists::Place place);
  void append(unsigned requester, unsigned output, PacketLists::Place place);
  void retry_stalled(unsigned port, Tick now);
  void input_due(unsigned port, Tick now);

  /// Calls f(list) for each list of packets that wait for the crossbar.
  template <class F>
  void for_each_wanted(F&& f) const {
    for (unsigned requester = 0; requester < classes * stride; ++requester)
      for (std::uint32_t left = wants_[requester]; left != 0; left &= left - 1)
        f(routed_to_[requester][static_cast<unsigned>(__builtin_ctz(left))]);
  }

  // crossbar
  void match(Tick now);
  unsigned choose(unsigned output, Tick now);
  unsigned choose_in_turn(unsigned output, std::uint64_t left, Tick now);
  Room room_for(const QueuedPacket& packet, unsigned output, Tick now);
  [[gnu::noinline]] Room find_room(const QueuedPacket& packet, unsigned output, Tick now);
  bool nothing_sent(unsigned output, Tick now) const;
  bool running_sends_nothing(unsigned output, Tick now);
  void transfer(unsigned requester, unsigned output, Tick now);
  bool replicates(unsigned requester, unsigned output) const;
  [[gnu::noinline]] bool find_copies(unsigned requester, unsigned output, Tick now);
  [[gnu::noinline]] void transfer_copies(unsigned requester, Tick now);
  void took_turn(unsigned requester, unsigned output, const QueuedPacket& queued);
  void crossbar_free(unsigned port, Tick now);

  // outputs
  void free_buffer(unsigned port, unsigned vc, unsigned flits, Tick when);
  void leave_crossbar(unsigned output, Crossing packet, Tick now, Tick end);
  Tick run_link(unsigned port, Tick horizon) {
    return links_.run(port, horizon, [](const NvLinkTransmitter::Sent&) {});
  }
  void await_room(unsigned port, Tick now);
  /// The last instant at which it is known whether the queues of that output have room.
  Tick last_known_room(unsigned port) const {
    return links_.decided_until(port) == never ? never : links_.decided_until(port) + 1;
  }
  void arm_link(unsigned port, Tick sent);
  void room_freed(unsigned output) { changed_ |= blocked_ & (1u << output); }

  // egress units
  void serve_unit(unsigned port, Tick now);
  void start_service(unsigned port, PooledQueue<EgressStage::Operand>& from, Tick now);
  void end_service(unsigned port, Tick now);
  void send_reserved(unsigned port, Packet* packet, unsigned vc, unsigned flits, Tick now, Tick tail);
  bool reserve_replication(unsigned port);
  void unreserve_replication(unsigned port);
  void inject(unsigned port, Packet* packet, Tick now);
  void replication_freed(unsigned port, unsigned flits, Tick now);
  [[gnu::cold]] void time_out(unsigned port, Tick now);
  void arm_timer(unsigned port, Tick now);

  // What is looked at all the time comes first.
  Tick handled_ = 0;             // all events up to then
  Tick horizon_ = 0;             // of this window: moves forward when a decision beyond it needs what is not known
  std::uint32_t undecided_ = 0;  // outputs that a round just after handled_ has still to ask
  std::uint64_t idle_requesters_ = 0;
  std::uint32_t idle_outputs_ = 0;
  std::uint32_t blocked_ = 0;  // outputs that have refused a packet for want of room, and granted none since
  std::uint32_t changed_ = 0;  // outputs for which a match may have become possible; not beside idle_outputs_: a wide load
                               // of both just after narrow stores would stall
  std::uint32_t full_ = 0;  // of the blocked ones: their queues have got nothing since the refusal, and their links have an
                            // event no later than just after the next packet leaves
  unsigned first_output_ = 0;
  std::uint32_t copies_to_ = 0;  // outputs that grant further copies of the packet whose crossing begins
  SwitchConfig config_;
  std::array<unsigned, resource_count> room_;  // flits, by resource
  static constexpr unsigned nothing_ = 0;
  Forwarding& forwarding_;
  NvOutgoingLinks links_;
  std::array<Output, stride> outputs_;
  std::array<Tick, classes * stride> head_ready_;      // by queue: when its next packet is to be routed, as far as is known
  std::array<std::uint32_t, classes * stride> wants_;  // by requester: outputs that its routed packets still have to reach
  std::array<PacketLists::List, classes * stride> waiting_;          // by queue: not yet routed
  alignas(64) std::array<OutputLists, classes * stride> routed_to_;  // by requester
  std::uint64_t stalled_ = 0;                                        // requesters whose first packet claim() has refused
  std::array<std::uint32_t, stride> replicated_flits_;               // by port: held or reserved in the replication buffer
  std::vector<CrossbarInput> inputs_;                                // by port
  std::array<std::unique_ptr<EgressStage>, stride> stations_;
  std::array<SignalProbe, classes * stride> flits_probes_;      // deltas, by requester
  std::array<SignalProbe, NvLink::vcs * stride> stall_probes_;  // levels, by requester
  PacketLists packets_;
  EventSlots<4> input_events_;
  static_assert(EventSlots<4>::count == stride);
  EventSlots<6> events_;
};

// A packet that is to be dropped takes its time to cross, but is needed no longer. It is let go while it is in the cache.
inline void SwitchCore::enqueue(unsigned queue, Packet* packet, const Decision& decision, Tick ready, Tick tail) {
  const PacketLists::Place place = packets_.add(ready, tail, packet, decision);
  packets_.append(waiting_[queue], place);
  if (decision.exit != Exit::drop) return;
  assert(!decision.claims);
  packet->release();
  packets_[place].packet = nullptr;
}

// What the input waits for: the end of its transfer, and its next packet unless that can wait for it, too.
inline void SwitchCore::arm_input(unsigned port) {
  const CrossbarInput& input = inputs_[port];
  const Tick unseen = input.busy() && !input.eager ? never : 0;
  input_events_.set(port, std::min(input.transfer_end, next_head_of(port) | unseen));
}

}  // namespace tributary
