#pragma once
/// Pins of a connection translation table: a connection enters, the connections over which its sum or result continues
/// leave.

#include "modules/base/pin_table.h"

namespace tributary {

inline const PinTable& ctt_pins() {
  static const PinTable table{"ctt",
                              "netreduce.accelerator.ctt",
                              "docs/blocks/accelerator.md",
                              "`netreduce.accelerator.clock`, 3103 ps",
                              "interval 1 clock, latency `lookup_cycles` clocks, all nominal",
                              {},
                              {{"s",
                                true,
                                true,
                                false,
                                "command",
                                {{"command", 2, "0 preset, 1 learn, 2 translate"},
                                 {"from", 56, "connection: source 55..40, destination 39..24, queue pair 23..0"},
                                 {"to", 56, "preset, learn: connection over which `from` continues"},
                                 {"direction", 1, "preset, learn: 0 to the root, 1 to the leaves"},
                                 {"first_valid", 1, "learn: fields of a first packet are valid"},
                                 {"first_message", 32, "MsgID of the first packet"},
                                 {"first_psn", 24, "PSN of the first packet"},
                                 {"first_address", 64, "address of the first packet"},
                                 {"first_rank", 16, "rank of the sender"},
                                 {"first_port", 16, "UDP source port of the sender"},
                                 {"messages", 16, "learn: first packets to hold, one or one for each message in flight"},
                                 {"id", 8, "number of the request"}}},
                               {"m",
                                false,
                                false,
                                true,
                                "answer, a beat for each target; one beat for preset, learn and unknown connections",
                                {{"known", 1, "translate: the connection has an entry; preset, learn: the target is new"},
                                 {"direction", 1, "direction of the entry"},
                                 {"preset", 1, "the entry was preset"},
                                 {"to", 56, "target"},
                                 {"first_valid", 1, "a first packet of this target is known"},
                                 {"first_message", 32, "MsgID of the first packet"},
                                 {"first_psn", 24, "PSN of the first packet"},
                                 {"first_address", 64, "address of the first packet"},
                                 {"first_rank", 16, "rank of the sender"},
                                 {"first_port", 16, "UDP source port of the sender"},
                                 {"id", 8, "`s_id` of the request"}}}}};
  return table;
}

}  // namespace tributary
