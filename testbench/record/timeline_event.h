#pragma once
/// Events and tracks of a timeline.

#include <cstdint>
#include <string>

#include "modules/base/units.h"
#include "testbench/record/packet_trail.h"

namespace tributary {

/// An event on a track. Equal runs give equal events in both modes.
struct TimelineEvent {
  enum class Kind : std::uint8_t { slice, instant, counter };
  /// Part of an event in a trail.
  enum class Role : std::uint8_t {
    other,
    packet,   ///< on a link
    arrival,  ///< a packet reaches an endpoint
    operand,  ///< added to an entry
    emission  ///< an entry emits its sum: completion, eviction, timeout
  };
  static constexpr std::uint64_t none = PacketTrail::none;

  Tick from = 0, to = 0;
  std::uint32_t track = 0;
  Kind kind = Kind::slice;
  Role role = Role::other;
  std::uint32_t name = 0;   ///< index of a text; unused for counters
  std::uint64_t value = 0;  ///< counters only
  PacketTrail flow;         ///< trail that the event belongs to
  std::uint64_t source = none;
  std::uint32_t bytes = 0;  ///< packets only
};

struct TimelineTrack {
  std::string device, name;
  bool counter = false;
  std::string receiver = {};  ///< device at the far end of a link
  bool deltas = false;        ///< for counters: true if the probe reports changes
  std::uint64_t before = 0;   ///< sum of the changes before the first that is shown
};

}  // namespace tributary
