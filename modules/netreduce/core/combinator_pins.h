#pragma once
/// Pins of a combinator: the operands of all ranks enter side by side, 64 B of each in a clock.

#include "modules/base/pin_table.h"

namespace tributary {

inline const PinTable& combinator_pins() {
  static const PinTable table{
      "combinator",
      "netreduce.accelerator.combinator",
      "docs/blocks/accelerator.md",
      "`netreduce.accelerator.clock`, 3103 ps",
      "interval 1 + ceil(bytes / 64), latency 1 + ceil(log2 ranks) x `add_cycles` clocks, 1 of it nominal",
      {{"RANKS", 6, "operands of a slot"}},
      {{"s",
        true,
        true,
        true,
        "64 B of each operand of a slot",
        {{"data", 512, "operands, rank 0 in the lowest bits; byte 0 in bits 7..0", "RANKS"},
         {"skip", 7, "leading bytes of this beat that are no elements"},
         {"ring", 16, "index of the ring"},
         {"id", 16, "number of the slot's request"},
         {"type", 3, "element: 0 f32, 1 f16, 2 i32, 3 bf16, 4 f64, 5 i8, 6 i16, 7 i64"},
         {"op", 2, "operation: 0 sum, 1 min, 2 max"}}},
       {"m",
        false,
        true,
        true,
        "64 B of a sum, in the order of the requests",
        {{"data", 512, "sum"}, {"id", 16, "`s_id` of the request"}}}}};
  return table;
}

}  // namespace tributary
