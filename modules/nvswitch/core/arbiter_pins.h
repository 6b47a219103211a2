#pragma once
/// Pins of the arbiter of a crossbar: the requests for an output enter, the granted one leaves in the same clock.

#include "modules/base/pin_table.h"

namespace tributary {

inline const PinTable& arbiter_pins() {
  static const PinTable table{
      "arbiter",
      "nvswitch.switch.arbiter",
      "docs/blocks/switch.md",
      "the time of a flit in the crossbar",
      "interval 1, latency 0",
      {{"REQUESTERS", 48, "classes x inputs; requester: class x inputs + input"}},
      {{"s",
        true,
        false,
        false,
        "requests for one output",
        {{"output", 6, "output"},
         {"req", 1, "requests, requester 0 in bit 0", "REQUESTERS"},
         {"resource", 2, "resource that each requester needs", "REQUESTERS"},
         {"room", 3, "resources 0 to 2 that have not refused a packet in this offer"}}},
       {"take",
        true,
        false,
        false,
        "a grant has been used: the turn moves",
        {{"output", 6, "output"}, {"requester", 8, "requester that crosses"}, {"resource", 2, "its resource"}}},
       {"grant", false, false, false, "a requester may cross", {{"requester", 8, "requester"}}}}};
  return table;
}

}  // namespace tributary
