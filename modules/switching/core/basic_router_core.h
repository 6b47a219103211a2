#pragma once
/// BasicRouterCore: an input-queued virtual cut-through router with 4 VCs, as arithmetic on integer picoseconds (Huang et
/// al., ISCA 2021, IV-B and Table III).

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/base/probe.h"
#include "modules/timing/core/event_slots.h"
#include "modules/link/core/outgoing_links.h"
#include "modules/protocol/schedule_nic.h"
#include "modules/switching/core/crossbar.h"

namespace tributary {

inline constexpr unsigned router_vcs = ScheduleNicLink::vcs;
using RouterLinks = BasicOutgoingLinks<ScheduleNicLink>;
using RouterTransmitter = BasicLinkTransmitter<ScheduleNicLink>;

/// Links and interfaces of a router. The requests for an output, of four VCs at each input, are one word up to 16 of them.
inline constexpr unsigned max_router_inputs = 64;

/// The way on to one destination.
struct RouterHop {
  static constexpr std::uint8_t eject = 0xFF;  ///< port: it is here
  static constexpr std::uint8_t any = 2;       ///< vc: either of its class
  std::uint8_t port = eject;
  std::uint8_t vc = any;  ///< of the two of its class
};

/// All ways from one router. `pinned`, by output: inputs (a bit each) from which `any` means VC 1, for packets from there
/// may hold what others wait for; empty where none do.
struct RouterRoutes {
  std::vector<RouterHop> to;  ///< by destination
  std::vector<std::uint64_t> pinned = {};
  /// For source routes to a neighbour, by the port that a RouteInfo names: the port of this router, or RouterHop::eject.
  std::vector<std::uint8_t> ports = {};

  /// VC of its class for a packet from `input`.
  unsigned vc(RouterHop hop, unsigned input, unsigned lane) const {
    if (hop.vc != RouterHop::any) return hop.vc;
    const bool is_pinned = hop.port < pinned.size() && (pinned[hop.port] >> input & 1u) != 0;
    return is_pinned ? 1 : lane;
  }
};

struct RouterConfig {
  unsigned ports = 0;        ///< links
  unsigned interfaces = 0;   ///< of the NIC beside it, each a way into the crossbar
  Tick latency = 0;          ///< head flit in to head flit out; lies before the crossbar
  Bandwidth rate;            ///< of links and interfaces, and of their ways into the crossbar
  bool flit_credits = true;  ///< credits go home as flits leave
  RouterRoutes routes;
  std::vector<Bandwidth> rates = {};         ///< of each link, then of each interface; none: `rate` for all
  std::vector<std::string> port_names = {};  ///< of the links; none: port0, port1, ...
};

/// What stands beside the router: a NIC, or nothing.
class RouterListener {
 public:
  virtual ~RouterListener() = default;
  /// A packet for this node leaves input `port`, its last flit at `end`; takes over its reference.
  virtual void eject(unsigned port, Packet* packet, Tick end) = 0;
  /// A packet of that interface has begun to cross at `now`: there is room for another.
  virtual void injected(unsigned interface, Tick now) = 0;
};

/// A requester is a FIFO (input x VC), a resource a VC of the output.
template <unsigned max_inputs>
struct RouterShape {
  static constexpr unsigned inputs = max_inputs, classes = router_vcs, resources = router_vcs;
  static constexpr unsigned outputs = 2 * max_inputs;  // links, then where inputs eject
  static constexpr bool replicates = false;
  static constexpr std::uint16_t none = 0xFFFF;
  struct Input {};
  struct Output {
    std::array<std::uint16_t, router_vcs> owner{none, none, none, none};  ///< requester that holds a VC
  };
};

/// A packet whose head arrives at t may cross from t + latency on, if the output is free and its VC has room for all of it;
/// a transfer takes its input and its output for the packet's flits and never ends before its tail has arrived. Each input
/// ejects by an interface of its own, so ejections do not compete. Outputs grant by the rules of Crossbar: the VCs of an
/// output take turns, and in each the FIFOs whose first packet goes there. An output VC belongs to one FIFO from the head
/// flit of a message to its tail, while packets of other VCs interleave between its sub-packets; a packet is a message of
/// one. Behind a message that owns the VC no other FIFO has a turn to hold.
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
  void credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count);
  Tick safe_horizon(Tick now, Tick packets, const Tick* credits);

  void stall_ejection(bool stalled, Tick now);

  Tick next() const { return events_.next(); }
  void handle(Tick now);
  Tick finish(Tick horizon);
  Tick sent_until() const { return links_.done(); }

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
    std::uint8_t output;  // of outputs_
    std::uint8_t vc : 7;  // at that output
    std::uint8_t ends : 1;
  };
  struct Crossing {
    Packet* packet;
    Tick tail;
    unsigned flits, resource;
    static constexpr bool more = false;  // the next in its FIFO asks anew
  };

  [[gnu::noinline]] void match(Tick now);
  void enqueue(unsigned input, unsigned vc, Packet* packet, Tick ready, Tick tail);
  Queued routed(unsigned requester, Packet* packet, Tick ready, Tick tail);
  void look_at(unsigned requester, Tick now);
  /// Queues of that input whose first packet has not asked for its output.
  Requesters silent_of(unsigned input) const { return silent_ & Crossbar<Shape>::requesters_of(input); }
  void input_due(unsigned input, Tick now);
  void arm_input(unsigned input);
  bool competes(unsigned requester, unsigned output) const {
    const std::uint16_t owner = crossbar_.output(output).owner[queues_[requester].front().vc];
    return owner == Shape::none || owner == requester;
  }
  unsigned resource(unsigned requester, unsigned) const { return queues_[requester].front().vc; }
  Room room(unsigned requester, unsigned output, Tick now) {
    if (output >= stride) return ejection_stalled_ ? Room::none : Room::there;
    const Queued& packet = queues_[requester].front();
    return links_[output].has_room(packet.vc, packet.flits) ? Room::there : find_room(requester, output, now);
  }
  Room find_room(unsigned requester, unsigned output, Tick now);
  void refused(unsigned output, Tick now) {
    if (output < stride) arm_link(output, run_link(output, now - 1));
  }
  Crossing take(unsigned requester, unsigned output);
  void look_at_next(unsigned requester, Tick now) {
    if (silent_[requester]) look_at(requester, now);
  }
  void cross(unsigned requester, unsigned output, const Crossing& crossing, Tick now, Tick end);
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
  Requesters silent_;  // queues with packets of which the first has not asked for its output
  Crossbar<Shape> crossbar_;
  bool ejection_stalled_ = false;
  Tick handled_ = 0;
  EventSlots<stride == 16 ? 5 : 7> events_;
  std::array<SignalProbe, router_vcs * stride> flits_probes_;
};

extern template class BasicRouterCore<16>;
extern template class BasicRouterCore<64>;

}  // namespace tributary
