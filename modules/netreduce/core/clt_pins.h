#pragma once
/// Pins of a connection lookup table: a packet's connection and PSN enter, its place in the ring leaves.

#include "modules/base/pin_table.h"

namespace tributary {

inline const PinTable& clt_pins() {
  static const PinTable table{"clt",
                              "netreduce.accelerator.clt",
                              "docs/blocks/accelerator.md",
                              "`netreduce.accelerator.clock`, 3103 ps",
                              "interval 1 clock, latency `lookup_cycles` clocks, all nominal",
                              {},
                              {{"s",
                                true,
                                true,
                                false,
                                "packet to locate",
                                {{"update", 1, "first packet of a message: writes the entry of its connection"},
                                 {"source", 16, "station of the sender"},
                                 {"destination", 16, "station of the receiver"},
                                 {"queue_pair", 24, "queue pair of the receiver"},
                                 {"psn", 24, "packet sequence number"},
                                 {"ring", 16, "update: ring of the aggregation header"},
                                 {"rank", 16, "update: rank"},
                                 {"message", 32, "update: MsgID"},
                                 {"message_packets", 16, "update: MsgLen"},
                                 {"id", 8, "number of the request"}}},
                               {"a",
                                false,
                                false,
                                false,
                                "answer, in the order of the requests",
                                {{"id", 8, "`s_id` of the request"},
                                 {"verdict", 2, "0 found, 1 unknown, 2 refused, 3 stale"},
                                 {"ring", 16, "ring of the entry"},
                                 {"rank", 16, "rank of the entry"},
                                 {"message", 32, "MsgID of the packet"},
                                 {"offset", 16, "packet of the message, from 0"}}}}};
  return table;
}

}  // namespace tributary
