#pragma once
/// Pins of a bank of a payload buffer: a memory with a write port and a read port for rows of 64 B.

#include "modules/base/pin_table.h"

namespace tributary {

/// A payload buffer has an instance for each rank.
inline const PinTable& payload_buffer_pins() {
  static const PinTable table{
      "payload_buffer",
      "netreduce.accelerator.payloads",
      "docs/blocks/accelerator.md",
      "`netreduce.accelerator.clock`, 3103 ps",
      "a write and a read in each clock, latency 1 clock, which is nominal",
      {{"RANKS", 6, "ranks of a ring, each with an instance of the block"}, {"BEATS", 16, "rows of a payload"}},
      {{"w",
        true,
        true,
        false,
        "64 B of a payload to store",
        {{"data", 512, "bytes, byte 0 in bits 7..0"}, {"row", 32, "slot x BEATS + beat"}}},
       {"r", true, true, false, "row to read", {{"row", 32, "slot x BEATS + beat"}}},
       {"m", false, false, false, "row that was read, in the order of the requests", {{"data", 512, "bytes"}}}}};
  return table;
}

}  // namespace tributary
