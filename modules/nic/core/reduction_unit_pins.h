#pragma once
/// Pins of a reduction unit: one pass of UNITS x WIDTH adds enters in a beat.

#include "modules/base/pin_table.h"

namespace tributary {

inline const PinTable& reduction_unit_pins() {
  static const PinTable table{
      "reduction_unit",
      "schedule_nic.nic.reduction",
      "docs/blocks/nic.md",
      "`schedule_nic.nic.clock`, 1 ns",
      "interval and latency `cycles` clocks for each pass, all nominal",
      {{"UNITS", 16, "processing elements"}, {"WIDTH", 1024, "adds of one unit in a pass"}},
      {{"s",
        true,
        true,
        true,
        "operands of a pass",
        {{"sum", 32, "elements of the sum, element 0 in the lowest bits", "UNITS*WIDTH"},
         {"operand", 32, "elements to add", "UNITS*WIDTH"},
         {"keep", 1, "elements that exist", "UNITS*WIDTH"},
         {"type", 3, "element: 0 f32, 2 i32"},
         {"op", 2, "operation: 0 sum, 1 min, 2 max"}}},
       {"m", false, true, true, "sums of a pass, in the order of the requests", {{"data", 32, "elements", "UNITS*WIDTH"}}}}};
  return table;
}

}  // namespace tributary
