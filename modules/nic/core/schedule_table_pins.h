#pragma once
/// Pins of a schedule table: an SRAM of rows of 200 bits.

#include "modules/base/pin_table.h"

namespace tributary {

inline const PinTable& schedule_table_pins() {
  static const PinTable table{
      "schedule_table",
      "schedule_nic.nic.table",
      "docs/blocks/nic.md",
      "`schedule_nic.nic.clock`, 1 ns",
      "interval and latency `schedule_nic.nic.table.read`, all nominal",
      {},
      {{"s",
        true,
        true,
        false,
        "row to write or read",
        {{"write", 1, "1 write, 0 read"}, {"row", 16, "row"}, {"wdata", 200, "row to store, byte 0 in bits 7..0"}}},
       {"a", false, false, false, "row that was read, in the order of the requests", {{"rdata", 200, "row"}}}}};
  return table;
}

}  // namespace tributary
