#pragma once
/// Pins of a copy engine: descriptors enter, requests to the memory and the bursts of each lane leave.

#include "modules/base/pin_table.h"

namespace tributary {

inline const PinTable& copy_engine_pins() {
  static const PinTable table{
      "copy_engine",
      "blink.gpu.copy_engine",
      "docs/blocks/copy_engine.md",
      "1 ns",
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
       {"rd", false, true, false, "request to the memory", {{"address", 64, "address"}, {"bytes", 32, "length"}}},
       {"mem", true, false, false, "data of a request have begun to arrive", {{"copy", 32, "number of the copy"}}},
       {"m",
        false,
        true,
        true,
        "burst for a lane; `last`: the last of the copy",
        {{"lane", 8, "lane"},
         {"copy", 32, "number of the copy"},
         {"flits", 16, "flits of the burst"},
         {"bytes", 32, "payload of the burst"},
         {"offset", 64, "offset in the copy"}}},
       {"left", true, false, false, "bursts have left their lanes", {{"lanes", 1, "a bit for each lane", "LANES"}}},
       {"done", false, false, false, "a copy is done", {{"copy", 32, "number of the copy"}}}}};
  return table;
}

}  // namespace tributary
