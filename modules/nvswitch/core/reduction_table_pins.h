#pragma once
/// Pins of a reduction table: a header or 16 B of an operand enter in a clock.

#include "modules/base/pin_table.h"

namespace tributary {

inline const PinTable& reduction_table_pins() {
  static const PinTable table{
      "reduction_table",
      "nvswitch.switch.reduction_table",
      "docs/blocks/reduction_table.md",
      "the time of a flit on the port's link, 640 ps at 25 GB/s",
      "interval: the flits of an operand; latency 0, sum beat k with operand beat k",
      {{"ENTRIES", 32, "entries of 128 B"}, {"TIMEOUT", 2'000'000, "ps without an operand until an entry leaves"}},
      {{"s",
        true,
        true,
        true,
        "header, or 16 B of the operand that follows it",
        {{"data", 128, "bytes, byte 0 in bits 7..0"},
         {"header", 1, "this beat is a header; the following fields are valid with it"},
         {"command", 3, "0 push, 1 allocate, 2 collect, 3 expire, 4 finish"},
         {"first_hop", 1, "allocate: this is the first hop"},
         {"tag", 41, "block number: address / 128"},
         {"requester", 16, "allocate, collect, finish: GPU; from bit 12 on: part of the block, in flits"},
         {"operands", 16, "push, collect: operands in the data that follow"},
         {"expected", 16, "push, allocate: operands of the block"},
         {"beats", 4, "push, collect: data beats of the operand"},
         {"type", 3, "element: 0 f32, 1 f16, 2 i32, 3 bf16, 4 f64, 5 i8, 6 i16, 7 i64"},
         {"op", 2, "operation: 0 sum, 1 min, 2 max"},
         {"id", 8, "number of the command"},
         {"now", 64, "exact time of the port, in ps"}}},
       {"a",
        false,
        false,
        false,
        "decision on a header, at any later clock",
        {{"id", 8, "`s_id` of the command"},
         {"answer", 3, "0 inserted, 1 merged, 2 completed, 3 refused, 4 missed, 5 bypassed, 6 nothing"},
         {"entry", 16, "entry of the operand; expire: the entry that leaves"},
         {"evicts", 1, "the partial sum of an entry leaves"},
         {"evicted_entry", 16, "its entry"},
         {"operands", 16, "operands in the sum that leaves"},
         {"deadline", 64, "time of the next eviction by timeout, in ps; all ones: none"}}},
       {"m", false, true, true, "16 B of a sum that leaves", {{"data", 128, "bytes"}, {"id", 8, "`s_id` of the command"}}}}};
  return table;
}

}  // namespace tributary
