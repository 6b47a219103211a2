#pragma once
/// Scripted faults of frames on links (docs/blocks/ethernet_frames.md#faults).

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/units.h"
#include "modules/ethernet/core/frame_faults.h"

namespace tributary {

/// What happens to which frames: by what they mean, or by their place.
struct FaultRule {
  enum class Match : std::uint8_t {
    gradient,      ///< packet `number` of `message`, as it leaves the host of `rank`
    result,        ///< the same, as it comes to the host of `rank`
    ack,           ///< of those that leave the host of `rank`, number `number` from 0 on
    nack,          ///< the same
    cnp,           ///< the same
    notification,  ///< of a first packet of `rank`, as it leaves an accelerator; number `number` on its link
    place,         ///< any frame: number `number` on `link`, from 0 on
    down,          ///< all frames on `link` that start `after` or later
  };
  FrameFate fate = FrameFate::drop;
  Match match = Match::place;
  std::uint16_t rank = 0;
  std::uint32_t message = 0;  ///< MsgID
  std::uint64_t number = 0;   ///< gradient, result: offset in the message in packets
  std::uint64_t times = 1;    ///< gradient, result: so often as it passes; others: frames from `number` on
  std::string link;           ///< one direction: `host0.port0>switch0.port0`
  Time after;                 ///< from the start of each run on
};
bool operator==(const FaultRule& a, const FaultRule& b);

/// `ACTION:gradient:RANK:MSG:O[:TIMES]`, the same with `result`; `ACTION:ack:RANK:N[:TIMES]`, the same with `nack`, `cnp`
/// and `notification`; `ACTION:LINK:N[:TIMES]`; `down:LINK@TIME`. ACTION is drop, corrupt (the FCS shows it), flip (the ICRC
/// alone shows it) or duplicate. Throws std::invalid_argument, one line with what is legal; whether a link or rank exists is
/// not known here.
FaultRule parse_fault_rule(const std::string& text);
/// What parse_fault_rule reads.
std::string to_string(const FaultRule& rule);

/// The script of a run. All links share it and none changes it.
struct FaultScript {
  std::vector<FaultRule> rules;         ///< of two for one frame the first counts
  std::uint64_t seed = 1;               ///< of what happens by chance
  std::uint32_t message_packets = 170;  ///< MsgLen, at least 1
  std::vector<std::uint16_t> rank_of;   ///< by station; a station without an entry has its own number
};

}  // namespace tributary
