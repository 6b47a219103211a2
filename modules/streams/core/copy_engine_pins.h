#pragma once
/// Pins of a copy engine: descriptors enter, requests to the memory and the bursts of the lanes leave.

#include "modules/base/pin_table.h"

namespace tributary {

inline const PinTable& copy_engine_pins() {
  static const PinTable table{
      "copy_engine",
      "blink.gpu.copy_engine",
      "docs/blocks/copy_engine.md",
      "`blink.copy.clock`, 1 ns by default",
      "interval: the launch of a copy; latency: launch and memory",
      {{"LANES", 6, "links that a copy may use"}},
      {{"s",
        true,
        true,
        false,
        "descriptor of a copy",
        {{"copy", 32, "number of the copy"},
         {"source", 64, "address to read from"},
         {"destination", 64, "address at the peer"},
         {"bytes", 64, "length"},
         {"lanes", 8, "links of the copy"},
         {"payload", 16, "largest payload of a packet"},
         {"overhead", 16, "bytes of a packet beyond its payload"},
         {"burst", 16, "packets of a burst"}}},
       {"rd",
        false,
        true,
        false,
        "request to the memory, one for each copy",
        {{"address", 64, "address"}, {"bytes", 64, "length"}}},
       {"mem", true, false, false, "data of a request have begun to arrive", {{"copy", 32, "number of the copy"}}},
       {"m",
        false,
        false,
        false,
        "bursts of one or more lanes; a lane holds two that have not begun to leave",
        {{"lanes", 1, "lanes with a burst, a bit each", "LANES"},
         {"end", 1, "last burst of the lane, a bit each", "LANES"},
         {"copy", 32, "number of the copy"},
         {"flits", 16, "flits of each lane's burst", "LANES"},
         {"bytes", 32, "payload of each lane's burst", "LANES"},
         {"offset", 64, "offset of each lane's burst in the copy", "LANES"}}},
       {"room",
        true,
        false,
        false,
        "a burst begins to leave: room for another",
        {{"lanes", 1, "its lane, a bit each", "LANES"}}},
       {"left", true, false, false, "the last burst of a lane has left", {{"lanes", 1, "the lane, a bit each", "LANES"}}},
       {"done", false, false, false, "a copy is done", {{"copy", 32, "number of the copy"}}}}};
  return table;
}

}  // namespace tributary
