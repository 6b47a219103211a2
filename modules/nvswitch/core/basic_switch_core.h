#pragma once
/// BasicSwitchCore: an output-queued cut-through switch with egress stages, as arithmetic on integer picoseconds.

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "modules/base/probe.h"
#include "modules/link/core/nvlink_links.h"
#include "modules/nvswitch/core/egress_stage.h"
#include "modules/nvswitch/core/forwarding.h"
#include "modules/nvswitch/core/packet_lists.h"
#include "modules/switching/core/crossbar.h"
#include "modules/timing/core/event_slots.h"

namespace tributary {

inline constexpr unsigned max_nvswitch_ports = max_device_ports;

struct SwitchConfig {
  unsigned ports = 0;       ///< at most max_nvswitch_ports
  Tick latency = 0;         ///< header flit in to header flit out of an idle switch; elapses before the crossbar
  Tick arbitration = 0;     ///< from the request of a packet for its outputs until it may cross
  Bandwidth port_rate;      ///< rate of a link and of an egress stage
  Bandwidth crossbar_rate;  ///< rate of a crossbar port
  bool virtual_output_queues = false;
  unsigned stage_queue_flits = NvLink::max_packet_flits;  ///< queue of operands before an egress stage
  unsigned replication_flits = NvLink::max_packet_flits;  ///< replication buffer of a port
  bool crossbar_replicates = false;                       ///< a multicast reaches several outputs in one crossing
  CrossbarArbiter* arbiter = nullptr;                     ///< of a user; null: round robin
};

/// Requesters are input queues; the classes are the VCs, then the replication buffer.
template <unsigned max_ports>
struct SwitchShape {
  static constexpr unsigned inputs = max_ports, outputs = max_ports, classes = NvLink::vcs + 1, resources = resource_count;
  static constexpr bool replicates = true;
  struct Input {
    std::uint8_t replicated_flits = 0;  ///< flits to free in the replication buffer when the crossing ends
    /// Packets are routed when they are ready, even if the input is busy, as one of them may claim an entry then. Otherwise
    /// they wait, unrouted, until the input is free.
    bool eager = false;
  };
  struct Output {
    std::array<const unsigned*, resource_count> used{};  ///< flits, by resource
  };
};

/// Timing: a header flit that arrives at t may cross from t + latency on. A transfer occupies one crossbar input and one
/// output for the packet's flits at the crossbar rate and never ends before its tail has arrived; the link may start with
/// it (cut-through). A multicast crosses once per output, to free outputs first, and records the others; if the crossbar
/// replicates, it crosses simultaneously to all free outputs that grant it, and again for the rest. All packets that a port
/// injects (link arrivals of both VCs, and packets emitted by its egress stage) share the port's one crossbar input.
/// Outputs grant by the rules of Crossbar; resources are the queues of the VCs, and the egress stage. Source: Klenk et al.,
/// ISCA 2020, IV-E, V.
/// `own_arbiter`: arbitration is that of a user (SwitchConfig::arbiter), or takes time (SwitchConfig::arbitration).
template <unsigned max_ports, bool own_arbiter = false>
class BasicSwitchCore {
  static_assert(max_ports == 16 || max_ports == 64 || max_ports == 128, "the slots of an event are a power of two");

 public:
  BasicSwitchCore(const SwitchConfig& config, Forwarding& forwarding, LinkOutput& wires,
                  const std::vector<NvLinkTransmitter*>& transmitters);

  void show_in_flight(unsigned port, Tick first, const LinkArrival* packets, unsigned count) {
    const SignalProbe &vc0 = flits_probes_[port], &vc1 = flits_probes_[stride + port];
    if (__builtin_expect(vc0.observed() | vc1.observed(), 0))
      for (const LinkArrival* p = packets; p != packets + count; ++p)
        (p->packet->vc == 0 ? vc0 : vc1)(first + p->after, flits_of<NvLink>(*p->packet));
  }
  void accept(unsigned port, Packet* packet, Tick head, Tick tail);
  void credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count);
  Tick safe_horizon(Tick now, Tick packets, const Tick* credits);
  void prefetch_heads() const;
  void prefetch_packets() const;
  Tick run_until(Tick horizon);
  Tick sent_until() const { return links_.done(); }
  void keep_apart() { links_.keep_apart(); }
  std::uint64_t crossed_flits() const { return crossed_flits_; }

  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& name);

 private:
  using Shape = SwitchShape<max_ports>;
  using Matrix = Crossbar<Shape, own_arbiter>;
  friend Matrix;  // its policy: competes() to is_copy()
  using Input = typename Matrix::Input;
  using Requesters = typename Matrix::Requesters;
  using Outputs = typename Matrix::Outputs;
  using Links = NvLinksOf<std::max(max_ports, max_word_ports)>;
  using Lists = BasicPacketLists<std::conditional_t<max_ports == 16, std::uint16_t, PortMaskOf<max_ports>>>;
  static constexpr bool wide = max_ports > max_word_ports;
  using Decision = std::conditional_t<wide, WideRouteDecision, RouteDecision>;
  using Queued = typename Lists::QueuedPacket;
  using List = typename Lists::List;
  using Place = typename Lists::Place;
  static constexpr unsigned stride = max_ports, replication = NvLink::vcs, classes = Shape::classes;
  static constexpr unsigned port_bits = max_ports == 16 ? 4 : wide ? 7 : 6;
  // Event slots, by port. An input waits for the end of its transfer if busy, for its next packet if idle; these events are
  // the most frequent and have their own tournament of few rounds.
  enum Event : unsigned { stage_event, link_event = stride, timer_event = 2 * stride, late_event = 3 * stride };

  /// Lists of one requester, by output: packets that wait for the crossbar, each only after others for the same output
  /// (virtual output queues).
  using OutputLists = std::array<List, stride>;
  /// Receives the times at which late packets of a port leave.
  struct LateListener final : AnswerListener {
    LateListener(BasicSwitchCore& c, unsigned p) : core(c), port(p) {}
    void answered(Ticket ticket, Tick when) override { core.late_answered(port, ticket, when); }
    BasicSwitchCore& core;
    unsigned port;
  };
  /// A packet that leaves the crossbar.
  struct Crossing {
    Packet* packet;
    Tick tail;
    std::uint8_t flits, vc;
    Exit exit;
    Resource resource;
    bool more, last;  // more packets in its list; last of its copies
  };

  void handle_next(Tick now);
  Tick next_event() const { return std::min(input_events_.next(), events_.next()); }
  Tick soonest() const { return std::min(input_events_.soonest(), events_.soonest()); }

  // inputs
  Decision route(unsigned port, const Packet& packet) {
    if constexpr (wide)
      return forwarding_.route_wide(port, packet);
    else
      return forwarding_.route(port, packet);
  }
  Decision route_injected(unsigned port, const Packet& packet) {
    if constexpr (wide)
      return forwarding_.route_injected_wide(port, packet);
    else
      return forwarding_.route_injected(port, packet);
  }
  bool may_route(unsigned requester) const { return config_.virtual_output_queues || !crossbar_.wants(requester).any(); }
  Tick next_head_of(unsigned port) const {
    const Tick arrived = std::min(head_ready_[port], head_ready_[stride + port]);
    if constexpr (own_arbiter) return std::min(arrived, head_ready_[replication * stride + port]);
    return arrived;
  }
  /// Returns the queue in which a packet waits to be routed. Queues are per VC if one VC may stall while the other
  /// proceeds; otherwise all packets of a port wait in the list of VC 0, in their order on the link.
  unsigned queue_of(unsigned port, unsigned vc) const {
    const bool apart = crossbar_.input(port).eager || !config_.virtual_output_queues;
    return (apart ? vc * stride : 0) + port;
  }
  void enqueue(unsigned queue, Packet* packet, const Decision& decision, Tick ready, Tick tail);
  void look_at_head(unsigned queue) {
    const List& waiting = waiting_[queue];
    const bool held = waiting.empty() || stalled_[queue] || !may_route(queue);
    head_ready_[queue] = held ? never : packets_.ready_and_fetch_next(waiting.first);
  }
  void arm_input(unsigned port);
  [[gnu::cold]] void make_eager(unsigned port);
  unsigned packets_of(unsigned requester) const;
  void release_packets(unsigned requester);
  void route_waiting(unsigned queue, Tick now);
  void request(unsigned requester, Place place);
  [[gnu::noinline]] void request_copies(unsigned requester, Place place);
  void append(unsigned requester, unsigned output, Place place);
  void retry_stalled(unsigned port, Tick now);
  void input_due(unsigned port, Tick now);

  /// Calls f(list) for each list of packets that wait for the crossbar.
  template <class F>
  void for_each_wanted(F&& f) const {
    for (unsigned requester = 0; requester < classes * stride; ++requester)
      crossbar_.wants(requester).for_each([&](unsigned output) { f(routed_to_[requester][output]); });
  }

  // crossbar
  [[gnu::noinline]] void match(Tick now);
  const Queued& head(unsigned requester, unsigned output) const { return packets_[routed_to_[requester][output].first]; }
  bool competes(unsigned, unsigned) const { return true; }
  unsigned resource(unsigned requester, unsigned output) const { return head(requester, output).resource; }
  Room room(unsigned requester, unsigned output, Tick now) {
    const Queued& packet = head(requester, output);
    const unsigned used = *crossbar_.output(output).used[packet.resource];
    return used + packet.flits <= room_[packet.resource] ? Room::there : find_room(packet, output, now);
  }
  void refused(unsigned, Tick) {}
  [[gnu::always_inline]] Crossing take(unsigned requester, unsigned output);
  void look_at_next(unsigned, Tick) {}
  [[gnu::always_inline]] void cross(unsigned requester, unsigned output, const Crossing& packet, Tick now, Tick end);
  bool replicates() const { return config_.crossbar_replicates; }
  bool replicates(unsigned requester, unsigned output) const { return head(requester, output).shared; }
  bool is_copy(unsigned requester, unsigned output, unsigned other) const {
    const Queued& packet = head(requester, other);
    return packet.shared && packet.outputs == head(requester, output).outputs;
  }
  [[gnu::noinline]] Room find_room(const Queued& packet, unsigned output, Tick now);
  bool nothing_sent(unsigned output, Tick now) const;
  bool running_sends_nothing(unsigned output, Tick now);
  void crossbar_free(unsigned port, Tick now);

  // outputs
  void free_buffer(unsigned port, unsigned vc, unsigned flits, Tick when);
  [[gnu::noinline]] void enter_stage(unsigned output, const Crossing& packet, Tick now, Tick end);
  Tick run_link(unsigned port, Tick horizon) {
    return links_.run(port, horizon, [](const NvLinkTransmitter::Sent&) {});
  }
  void await_room(unsigned port, Tick now);
  /// Returns the last instant at which it is known whether the queues of that output have room.
  Tick last_known_room(unsigned port) const {
    return links_.decided_until(port) == never ? never : links_.decided_until(port) + 1;
  }
  void arm_link(unsigned port, Tick sent);

  // egress stages
  void serve_stage(unsigned port, Tick now);
  void start_service(unsigned port, PooledQueue<EgressStage::Operand>& from, Tick now);
  void end_service(unsigned port, Tick now);
  void send_reserved(unsigned port, Packet* packet, unsigned vc, unsigned flits, Tick now, Tick tail);
  bool reserve_replication(unsigned port);
  void unreserve_replication(unsigned port);
  void inject(unsigned port, Packet* packet, Tick now);
  void replication_freed(unsigned port, unsigned flits, Tick now);
  [[gnu::cold]] void time_out(unsigned port, Tick now);
  // packets that leave the stage later than their operands
  void inject_beside(unsigned port, Packet* packet, Tick now);
  [[gnu::cold]] bool hold(unsigned port, StageOutcome& outcome, Tick now, std::uint8_t flits, std::uint8_t vc);
  [[gnu::cold]] void leave_later(unsigned port, EgressStage::Late packet);
  [[gnu::cold]] void late_due(unsigned port, Tick now);
  [[gnu::cold]] void late_answered(unsigned port, Ticket ticket, Tick when) {
    stages_[port]->answered(ticket, when);
    events_.set(late_event + port, stages_[port]->next_late());
  }
  [[gnu::cold]] void leave(unsigned port, const EgressStage::Late& packet, Tick now);
  std::string late_text(const EgressStage& stage) const;
  void arm_timer(unsigned port, Tick now);

  // The most frequently used members are first.
  Matrix crossbar_;
  Tick handled_ = 0;  // all events up to this time are handled
  Tick horizon_ = 0;  // horizon of this window: reduced when a decision beyond it needs unknown state
  std::array<unsigned, resource_count> room_;  // flits, by resource
  // blocked outputs whose queues have received nothing since the refusal, and whose links have an event no later than just
  // after the next packet leaves
  Outputs full_;
  SwitchConfig config_;
  static constexpr unsigned nothing_ = 0;
  Forwarding& forwarding_;
  Links links_;
  std::array<Tick, classes * stride> head_ready_;  // by queue: known time at which its next packet is to be routed
  std::array<List, classes * stride> waiting_;     // by queue: not yet routed
  alignas(64) std::array<OutputLists, classes * stride> routed_to_;  // by requester
  Requesters stalled_;                                               // claim() has refused their first packet
  std::array<std::uint32_t, stride> replicated_flits_;               // by port: held or reserved in the replication buffer
  std::array<std::unique_ptr<EgressStage>, stride> stages_;
  std::array<SignalProbe, classes * stride> flits_probes_;      // deltas, by requester
  std::array<SignalProbe, NvLink::vcs * stride> stall_probes_;  // levels, by requester
  Lists packets_;
  EventSlots<port_bits> input_events_;
  static_assert(EventSlots<port_bits>::count == stride);
  EventSlots<port_bits + 2> events_;
  std::deque<LateListener> late_listeners_;  // by port
  std::uint64_t crossed_flits_ = 0;
};

// A packet to be dropped occupies the crossbar for its time, but is not used again. It is released while it is in the
// cache.
template <unsigned max_ports, bool own_arbiter>
inline void BasicSwitchCore<max_ports, own_arbiter>::enqueue(unsigned queue, Packet* packet, const Decision& decision,
                                                             Tick ready, Tick tail) {
  const Place place = packets_.add(ready, tail, packet, decision);
  packets_.append(waiting_[queue], place);
  if (decision.exit != Exit::drop) return;
  assert(!decision.needs_entry);
  packet->release();
  packets_[place].packet = nullptr;
}

// The input waits for the end of its transfer, and for its next packet unless that can wait for the end, too.
template <unsigned max_ports, bool own_arbiter>
inline void BasicSwitchCore<max_ports, own_arbiter>::arm_input(unsigned port) {
  const Input& input = crossbar_.input(port);
  const Tick unseen = input.busy() && !input.eager ? never : 0;
  input_events_.set(port, std::min(input.transfer_end, next_head_of(port) | unseen));
}

extern template class BasicSwitchCore<16>;
extern template class BasicSwitchCore<64>;
extern template class BasicSwitchCore<128>;
extern template class BasicSwitchCore<16, true>;
extern template class BasicSwitchCore<64, true>;
extern template class BasicSwitchCore<128, true>;

}  // namespace tributary
