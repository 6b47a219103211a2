#pragma once
/// What a family adds to the common switch: where packets go, and what happens to them between crossbar and egress.

#include <cstdint>

#include "modules/base/units.h"
#include "modules/packet/packet.h"

namespace tributary {

/// Where a packet goes when it has crossed the crossbar.
enum class Exit : std::uint8_t {
  link,            ///< output queue of the port
  stage,           ///< the port's egress stage, which consumes it
  stage_and_link,  ///< through the egress stage to the output queue, or merged on the way
  drop,            ///< ends here
};

struct RouteDecision {
  std::uint64_t outputs = 0;  ///< one bit per output port; more than one only with Exit::link
  Exit exit = Exit::link;
  bool needs_entry = false;  ///< needs claim() when it is at the head of its queue; not with Exit::drop
};

/// What an egress stage does with one packet.
struct StageOutcome {
  Packet* bypass = nullptr;  ///< goes to the output queue at once (stage_and_link only)
  Packet* link = nullptr;    ///< goes to the output queue when served (stage_and_link only)
  Packet* inject = nullptr;  ///< goes back to the crossbar: at once if evicted, when served if completed
  bool inject_at_once = false;
  bool frees_entry = false;  ///< when served, finish() frees an entry
  Tick extra_time = 0;       ///< of service, beyond the operand's flits at line rate
};

class Forwarding {
 public:
  virtual ~Forwarding() = default;

  /// Where a packet goes that has come in by that port. A function of its header alone: asked when it arrives.
  virtual RouteDecision route(unsigned in_port, const Packet& packet) = 0;
  /// Takes what the packet needs at the egress stage of the port it came in by. False: it must wait, and is asked again when
  /// that stage frees an entry.
  virtual bool claim(unsigned in_port, const Packet& packet, Tick now) = 0;
  /// Outputs of a packet that the egress stage of `port` injects.
  virtual RouteDecision route_injected(unsigned port, const Packet& packet) = 0;

  /// The egress stage of `port` takes a packet (and its reference); served from `start` to `end`.
  virtual StageOutcome operate(unsigned port, Packet* packet, Tick start, Tick end) = 0;
  /// The packet of the last operate() with frees_entry is served.
  virtual void finish(unsigned port, Tick now) = 0;
  /// Earliest time at which an entry of the stage times out; `never` without one.
  virtual Tick next_timeout(unsigned port) const = 0;
  /// Takes one timed-out entry out of the stage, or nullptr.
  virtual Packet* expire(unsigned port, Tick now) = 0;
};

}  // namespace tributary
