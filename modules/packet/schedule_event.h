#pragma once
/// ScheduleRowEvent: a state change of one row of a schedule table, for observers.

#include <array>
#include <cstdint>

#include "modules/base/probe.h"

namespace tributary {

/// Fields that name a node or a tree are all ones if the row has none.
struct ScheduleRowEvent {
  enum class Kind : std::uint8_t {
    loaded,   ///< the row is loaded for the operation that begins
    cleared,  ///< one of its dependencies is met
    issued,   ///< its chunks are sent; the row has ended
  };

  Kind kind = Kind::loaded;
  std::uint8_t opcode = 0;
  std::uint8_t waits = 0;  ///< dependencies not met: bit i < 4: Reduce of child i; bit 4: Gather of the parent
  bool ready = false;      ///< all dependencies are met
  std::uint32_t row = 0;
  std::uint16_t tree = 0, parent = 0, step = 0;
  std::array<std::uint16_t, 4> children = {};
};

using ScheduleRowProbe = Probe<Tick, const ScheduleRowEvent&>;

}  // namespace tributary
