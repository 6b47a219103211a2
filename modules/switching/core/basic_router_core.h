#pragma once
/// BasicRouterCore: an input-queued virtual cut-through router with 4 VCs, as arithmetic on integer picoseconds (Huang et
/// al., ISCA 2021, IV-B and Table III).

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/base/probe.h"
#include "modules/link/core/outgoing_links.h"
#include "modules/protocol/schedule_nic.h"
#include "modules/switching/core/crossbar.h"
#include "modules/timing/core/event_slots.h"

namespace tributary {

inline constexpr unsigned router_vcs = ScheduleNicLink::vcs;
using RouterLinks = BasicOutgoingLinks<ScheduleNicLink>;
using RouterTransmitter = BasicLinkTransmitter<ScheduleNicLink>;

/// Maximum number of links and interfaces of a router. With up to 16 inputs, the requests of all VCs for an output are one
/// word.
inline constexpr unsigned max_router_inputs = 64;

/// Next hop towards one destination.
struct RouterHop {
  static constexpr std::uint8_t eject = 0xFF;  ///< port: the packet has arrived
  static constexpr std::uint8_t any = 2;       ///< vc: either VC of its class
  std::uint8_t port = eject;
  std::uint8_t vc = any;  ///< 0 or 1: VC of its class
};

/// All routes from one router. `pinned`, by output: inputs (a bit each) whose packets must use VC 1 where the hop leaves
/// the choice, as they may hold resources that others wait for; empty if there are none.
struct RouterRoutes {
  std::vector<RouterHop> to;  ///< by destination
  std::vector<std::uint64_t> pinned = {};
  /// For source routes to a neighbour: maps the port that a RouteInfo names to the port of this router, or
  /// RouterHop::eject.
  std::vector<std::uint8_t> ports = {};
  std::shared_ptr<const RouteRows> rows = {};  ///< routes that are longer than a header; null: there are none

  /// Returns the VC within its class for a packet from `input`.
  unsigned vc(RouterHop hop, unsigned input, unsigned lane) const {
    if (hop.vc != RouterHop::any) return hop.vc;
    const bool is_pinned = hop.port < pinned.size() && (pinned[hop.port] >> input & 1u) != 0;
    return is_pinned ? 1 : lane;
  }
};

struct RouterConfig {
  unsigned ports = 0;        ///< number of links
  unsigned interfaces = 0;   ///< interfaces of the NIC, each with its own crossbar input
  Tick latency = 0;          ///< head flit in to head flit out; elapses before the crossbar
  Bandwidth rate;            ///< rate of links and interfaces, and of their crossbar inputs
  bool flit_credits = true;  ///< credits return as flits leave
  RouterRoutes routes;
  std::vector<Bandwidth> rates = {};         ///< rate of each link, then of each interface; empty: `rate` for all
  std::vector<std::string> port_names = {};  ///< names of the links; empty: port0, port1, ...
  /// Each FIFO of an input is divided by output, so that no packet waits for one to another output. Only for packets that
  /// are messages of their own.
  bool output_queues = false;
};

/// The device next to the router: a NIC, or none.
class RouterListener {
 public:
  virtual ~RouterListener() = default;
  /// A packet for this node leaves input `port`, its last flit at `end`; takes over its reference.
  virtual void eject(unsigned port, Packet* packet, Tick end) = 0;
  /// A packet of that interface begins to cross at `now`: the interface has room for another.
  virtual void injected(unsigned interface, Tick now) = 0;
};

/// Requesters are FIFOs (input x VC), resources are VCs of the output.
template <unsigned max_inputs>
struct RouterShape {
  static constexpr unsigned inputs = max_inputs, classes = router_vcs, resources = router_vcs;
  static constexpr unsigned outputs = 2 * max_inputs;  // links, then one ejection port per input
  static constexpr bool replicates = false;
  static constexpr std::uint16_t none = 0xFFFF;
  struct Input {};
  struct Output {
    std::array<std::uint16_t, router_vcs> owner{none, none, none, none};  ///< requester that holds each VC
  };
};

/// A packet whose head arrives at t may cross from t + latency on, if the output is free and its VC has room for the whole
/// packet. A transfer occupies its input and output for the packet's flits and never ends before its tail has arrived. Each
/// input ejects by its own interface, so ejections do not compete. Outputs grant by the rules of Crossbar: round robin over
/// the VCs of an output, and in each VC over the FIFOs whose first packet goes there. A FIFO owns an output VC from the
/// head flit of a message to its tail, while packets of other VCs interleave between its sub-packets; a packet is a message
/// of one. While a message owns the VC, no other FIFO holds a turn there. With output queues, a FIFO requests the outputs of
/// all its packets.
template <unsigned max_inputs>
class BasicRouterCore {
  static_assert(max_inputs == 16 || max_inputs == 64, "the inputs of a VC share a word");

 public:
  BasicRouterCore(const RouterConfig& config, RouterListener& listener, LinkOutput& wires,
                  const std::vector<RouterTransmitter*>& transmitters);

  void accept(unsigned port, Packet* packet, Tick head, Tick tail) {
    enqueue(port, packet->vc, packet, head + config_.latency, tail + config_.latency);
  }
  void inject(unsigned interface, Packet* packet, Tick ready);
  void hold(unsigned interface, Packet* packet);
  void make_ready(unsigned interface, const Packet* packet, Tick ready);
  void credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count);
  Tick safe_horizon(Tick now, Tick packets, const Tick* credits);

  void stall_ejection(bool stalled, Tick now);

  Tick next() const { return events_.next(); }
  void handle(Tick now);
  Tick finish(Tick horizon);
  Tick sent_until() const { return links_.done(); }
  std::uint64_t crossed_flits() const { return crossed_flits_; }

  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& name);

 private:
  static constexpr unsigned stride = max_inputs;
  using Shape = RouterShape<max_inputs>;
  friend class Crossbar<Shape>;  // its policy: competes() to cross()
  using Requesters = typename Crossbar<Shape>::Requesters;
  enum Event : unsigned { input_event, link_event = stride };

  struct Queued {
    Tick ready;
    Packet* packet;
    std::uint32_t tail_after;
    std::uint16_t flits;
    std::uint8_t output;  // crossbar output
    std::uint8_t vc : 7;  // VC at that output
    std::uint8_t ends : 1;
  };
  struct Crossing {
    Packet* packet;
    Tick tail;
    unsigned flits, resource;
    bool more = false;  // without output queues the next packet of the FIFO makes a new request
  };

  [[gnu::noinline]] void match(Tick now);
  void enqueue(unsigned input, unsigned vc, Packet* packet, Tick ready, Tick tail);
  Queued routed(unsigned requester, Packet* packet, Tick ready, Tick tail);
  void look_at(unsigned requester, Tick now);
  /// Returns the queues of that input whose first packet has not requested its output.
  Requesters silent_of(unsigned input) const { return silent_ & Crossbar<Shape>::requesters_of(input); }
  void input_due(unsigned input, Tick now);
  void arm_input(unsigned input);
  bool competes(unsigned requester, unsigned output) const {
    const std::uint16_t owner = crossbar_.output(output).owner[first(requester, output).vc];
    return owner == Shape::none || owner == requester;
  }
  unsigned resource(unsigned requester, unsigned output) const { return first(requester, output).vc; }
  Room room(unsigned requester, unsigned output, Tick now) {
    if (output >= stride) return ejection_stalled_ ? Room::none : Room::there;
    const Queued& packet = first(requester, output);
    return links_[output].has_room(packet.vc, packet.flits) ? Room::there : find_room(requester, output, now);
  }
  /// Returns the first packet of a requester for an output that it has requested.
  const Queued& first(unsigned requester, unsigned output) const {
    return divided_ ? by_output_[requester * 2 * stride + output].front() : queues_[requester].front();
  }
  Room find_room(unsigned requester, unsigned output, Tick now);
  void refused(unsigned output, Tick now) {
    if (output < stride) arm_link(output, run_link(output, now - 1));
  }
  Crossing take(unsigned requester, unsigned output);
  void look_at_next(unsigned requester, Tick now) {
    if (silent_[requester]) look_at(requester, now);
  }
  [[gnu::always_inline]] void cross(unsigned requester, unsigned output, const Crossing& crossing, Tick now, Tick end);
  void give_credit(unsigned input, unsigned vc, unsigned flits, Tick now, Tick end);
  void arm_link(unsigned port, Tick sent);
  std::string name_of(unsigned input) const;
  Tick run_link(unsigned port, Tick horizon) {
    return links_.run(port, horizon, [](const RouterTransmitter::Sent&) {});
  }

  RouterConfig config_;
  RouterListener& listener_;
  RouterLinks links_;
  unsigned inputs_count_;
  std::array<RingQueue<Queued>, router_vcs * stride> queues_;  // by requester: vc x stride + input
  std::vector<RingQueue<Queued>> by_output_;  // [requester x outputs + output] ready packets; empty without output queues
  Requesters silent_;                         // queues whose first packet has not requested its output
  Crossbar<Shape> crossbar_;
  bool ejection_stalled_ = false;
  const bool divided_;  // by output
  Tick handled_ = 0;
  EventSlots<stride == 16 ? 5 : 7> events_;
  std::array<SignalProbe, router_vcs * stride> flits_probes_;
  std::uint64_t crossed_flits_ = 0;
};

extern template class BasicRouterCore<16>;
extern template class BasicRouterCore<64>;

}  // namespace tributary
