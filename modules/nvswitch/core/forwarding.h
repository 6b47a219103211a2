#pragma once
/// Forwarding: policy of a switch family: routes of packets, and their processing between crossbar and egress.

#include <cstdint>

#include "modules/base/late_answers.h"
#include "modules/base/units.h"
#include "modules/link/core/device_ports.h"
#include "modules/packet/packet.h"

namespace tributary {

/// Destination of a packet after the crossbar.
enum class Exit : std::uint8_t {
  link,            ///< output queue of the port
  stage,           ///< egress stage of the port, which consumes the packet
  stage_and_link,  ///< through the egress stage to the output queue, or merged there
  drop,            ///< none: the packet is dropped
};

template <class Mask>
struct BasicRouteDecision {
  Mask outputs = 0;  ///< one bit per output port; several only with Exit::link
  Exit exit = Exit::link;
  bool needs_entry = false;  ///< requires claim() at the head of its queue; not with Exit::drop
};
using RouteDecision = BasicRouteDecision<PortMask>;          ///< of switches of up to max_word_ports ports
using WideRouteDecision = BasicRouteDecision<WidePortMask>;  ///< of larger switches

/// Result of an egress stage for one packet.
struct StageOutcome {
  Packet* bypass = nullptr;  ///< goes to the output queue immediately (stage_and_link only)
  Packet* link = nullptr;    ///< goes to the output queue when served (stage_and_link only)
  Packet* inject = nullptr;  ///< returns to the crossbar: immediately if evicted, when served if completed
  bool inject_at_once = false;
  bool frees_entry = false;  ///< finish() frees an entry when the packet is served
  bool unordered = false;    ///< what leaves now may overtake packets that are late
  Tick interval = 0;         ///< service time beyond the operand's flits at line rate
  Tick latency = 0;          ///< `bypass`, `link` and `inject` leave that much later; never: the time follows
};

/// A packet that has timed out, or none, and the time by which it leaves later.
struct Expired {
  Packet* packet = nullptr;
  Tick latency = 0;
};

class Forwarding {
 public:
  virtual ~Forwarding() = default;

  /// Returns the route of a packet that arrived by `in_port`. Depends on its header only; called at its arrival.
  virtual RouteDecision route(unsigned in_port, const Packet& packet) = 0;
  /// Claims the resources that the packet needs at the egress stage of the port by which it arrived. Returns false if it
  /// must wait; claim() is called again when that stage frees an entry.
  virtual bool claim(unsigned in_port, const Packet& packet, Tick now) = 0;
  /// Returns the route of a packet that the egress stage of `port` injects.
  virtual RouteDecision route_injected(unsigned port, const Packet& packet) = 0;
  /// Return the same routes for switches of more than max_word_ports ports, which call no others.
  virtual WideRouteDecision route_wide(unsigned in_port, const Packet& packet) { return widened(route(in_port, packet)); }
  virtual WideRouteDecision route_injected_wide(unsigned port, const Packet& packet) {
    return widened(route_injected(port, packet));
  }

  /// The egress stage of `port` accepts a packet and its reference, and serves it from `start` to `end`.
  virtual StageOutcome operate(unsigned port, Packet* packet, Tick start, Tick end) = 0;
  /// Sets the receiver of times that follow the operate() of a port. Returns the late answers; null: there are none.
  virtual LateAnswers* late_answers(unsigned /*port*/, AnswerListener&) { return nullptr; }
  /// The packet that an operate() with frees_entry has returned leaves the stage at `now`; null if it returned none. Called
  /// in the order of these operate().
  virtual void finish(unsigned port, const Packet* leaving, Tick now) = 0;
  /// Returns the earliest timeout of an entry of the stage; `never` without one.
  virtual Tick next_timeout(unsigned port) const = 0;
  /// Removes one timed-out entry from the stage and returns its packet, if any.
  virtual Expired expire(unsigned port, Tick now) = 0;

 private:
  static WideRouteDecision widened(const RouteDecision& r) { return {r.outputs, r.exit, r.needs_entry}; }
};

}  // namespace tributary
