#pragma once
/// ScheduleRowEvent: what happens to one row of a schedule table, as observers see it.

#include <array>
#include <cstdint>

#include "modules/base/probe.h"

namespace tributary {

/// Nodes, flows: all ones where the row names none.
struct ScheduleRowEvent {
  enum class Kind : std::uint8_t {
    loaded,   ///< the row belongs to the operation that begins
    cleared,  ///< one of its dependencies is gone
    issued,   ///< its chunks are sent; the row is done
  };

  Kind kind = Kind::loaded;
  std::uint8_t opcode = 0;
  std::uint8_t waits = 0;  ///< bit i, i < 4: the Reduce of child i has not come; bit 4: nor has the parent's Gather
  bool ready = false;      ///< nothing is left that it waits for
  std::uint32_t row = 0;
  std::uint16_t flow = 0, parent = 0, step = 0;
  std::array<std::uint16_t, 4> children = {};
};

using ScheduleRowProbe = Probe<Tick, const ScheduleRowEvent&>;

}  // namespace tributary
