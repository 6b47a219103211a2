#pragma once
/// RouterCore: an input-queued virtual cut-through router with 4 VCs, as arithmetic on integer picoseconds (Huang et al.,
/// ISCA 2021, IV-B and Table III).

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/bits.h"
#include "modules/base/host/ring_queue.h"
#include "modules/base/probe.h"
#include "modules/engine/core/event_slots.h"
#include "modules/link/core/outgoing_links.h"
#include "modules/protocol/schedule_nic.h"
#include "modules/switching/core/arbiter.h"
#include "modules/switching/core/crossbar_input.h"

namespace tributary {

inline constexpr unsigned router_vcs = ScheduleNicLink::vcs;
using RouterLinks = BasicOutgoingLinks<ScheduleNicLink>;
using RouterTransmitter = BasicLinkTransmitter<ScheduleNicLink>;

/// Links and interfaces of a router as the platforms have them: the requests for an output, of four VCs at each input, are
/// one 64-bit word. BasicRouterCore<64> has four such words.
inline constexpr unsigned max_router_inputs = 16;

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
  RouterRoutes ways;
  std::vector<Bandwidth> rates = {};         ///< of each link, then of each interface; none: `rate` for all
  std::vector<std::string> port_names = {};  ///< of the links; none: port0, port1, ...
};

/// What stands beside the router: a NIC, or nothing.
class RouterHost {
 public:
  virtual ~RouterHost() = default;
  /// A packet for this node leaves input `port`, its last flit at `end`; takes over its reference.
  virtual void eject(unsigned port, Packet* packet, Tick end) = 0;
  /// A packet of that interface has begun to cross at `now`: there is room for another.
  virtual void injected(unsigned interface, Tick now) = 0;
};

/// A packet whose head arrives at t may cross from t + latency on, if the output is free and its VC has room for all of it;
/// a transfer takes its input and its output for the packet's flits and never ends before its tail has arrived. Each input
/// ejects by an interface of its own, so ejections do not compete. The VCs of an output take turns, and in each the FIFOs
/// (input x VC) whose first packet goes there; a FIFO that finds no room keeps its turn. An output VC belongs to one FIFO
/// from the head flit of a message to its tail, while packets of other VCs interleave between its sub-packets; a packet is a
/// message of one.
template <unsigned max_inputs>
class BasicRouterCore {
  static_assert(max_inputs == 16 || max_inputs == 32 || max_inputs == 64, "the inputs of a VC share a word");

 public:
  /// Throws std::invalid_argument without inputs (links and interfaces), on more than max_inputs of them, and when
  /// links, transmitters and names are not equally many.
  BasicRouterCore(const RouterConfig& config, RouterHost& host, LinkOutput& wires,
                  const std::vector<RouterTransmitter*>& transmitters);

  /// A packet arrives by a link; its reference comes with it. At the latest at `head` + latency.
  void accept(unsigned port, Packet* packet, Tick head, Tick tail) {
    enqueue(port, packet->vc, packet, head + config_.latency, tail + config_.latency);
  }
  /// A packet of the NIC, whose data are all at hand at `ready`.
  void inject(unsigned interface, Packet* packet, Tick ready);
  /// Credits of a port have come, the first of them at `first`.
  void credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count);
  /// How far it can run at `now`: as SwitchCore::safe_horizon().
  Tick safe_horizon(Tick now, Tick packets, const Tick* credits);

  /// The NIC beside it takes in no packets from now on, or does so again from `now`; they wait at their inputs. What crosses
  /// already comes in.
  void stall_ejection(bool stalled, Tick now);

  Tick next() const { return events_.next(); }
  /// Handles all that happens at `now`, the time of the next event.
  void handle(Tick now);
  /// All up to `horizon` is handled: sends as far as planned. Returns the time of the next event.
  Tick finish(Tick horizon);
  Tick sent_until() const { return links_.done(); }

  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& name);

 private:
  static constexpr unsigned stride = max_inputs;
  static constexpr std::uint16_t nobody = 0xFFFF;
  using Requesters = Bits<router_vcs * stride>;
  using Outputs = Bits<2 * stride>;
  static constexpr Requesters of_first_input() {
    Requesters all;
    for (unsigned vc = 0; vc < router_vcs; ++vc) all |= Requesters::of(vc * stride);
    return all;
  }
  static constexpr Requesters requesters_of(unsigned input) { return of_first_input().shifted(input); }
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
  struct Output {
    Requesters wanted_by;  // requesters whose first packet goes there
    unsigned turn = 0;     // VC that comes first
    std::array<RoundRobin, router_vcs> grants;
    std::array<std::uint16_t, router_vcs> owner;  // requester that holds a VC
  };

  void enqueue(unsigned input, unsigned vc, Packet* packet, Tick ready, Tick tail);
  Queued routed(unsigned requester, Packet* packet, Tick ready, Tick tail);
  void look_at(unsigned requester, Tick now);
  void input_due(unsigned input, Tick now);
  void arm_input(unsigned input);
  void match(Tick now);
  unsigned choose(unsigned output, Tick now);
  unsigned choose_in_turn(unsigned output, const Requesters& all, Tick now);
  bool competes(unsigned requester, unsigned output) const {
    const std::uint16_t owner = outputs_[output].owner[queues_[requester].front().vc];
    return owner == nobody || owner == requester;
  }
  bool has_room(unsigned output, const Queued& packet, Tick now);
  Outputs wants_of(unsigned input) const;
  void transfer(unsigned requester, unsigned output, Tick now);
  void give_credit(unsigned input, unsigned vc, unsigned flits, Tick now, Tick end);
  void await_room(unsigned port, Tick now);
  void arm_link(unsigned port, Tick sent);
  std::string name_of(unsigned input) const;
  Tick run_link(unsigned port, Tick horizon) {
    return links_.run(port, horizon, [](const RouterTransmitter::Sent&) {});
  }

  RouterConfig config_;
  RouterHost& host_;
  RouterLinks links_;
  unsigned inputs_count_;
  std::array<RingQueue<Queued>, router_vcs * stride> queues_;  // by requester: vc x stride + input
  std::vector<CrossbarInput> inputs_;
  std::array<Output, 2 * stride> outputs_;  // links, then where inputs eject
  Requesters idle_requesters_;
  Outputs idle_outputs_, open_outputs_, changed_, blocked_;
  Requesters asking_;  // requesters in some wanted_by
  unsigned first_output_ = 0;
  Tick handled_ = 0;
  EventSlots<stride == 16 ? 5 : stride == 32 ? 6 : 7> events_;
  std::array<SignalProbe, router_vcs * stride> flits_probes_;
};

using RouterCore = BasicRouterCore<max_router_inputs>;

}  // namespace tributary
