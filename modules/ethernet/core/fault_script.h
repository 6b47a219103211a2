#pragma once
/// Scripted faults of frames on links (docs/blocks/ethernet_frames.md#faults).

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/units.h"
#include "modules/ethernet/core/frame_faults.h"

namespace tributary {

/// Selects frames, by their meaning or by their position on a link, and says what happens to them.
struct FaultRule {
  enum class Match : std::uint8_t {
    gradient,      ///< packet `number` of `message`, on the link from the host of `rank`
    result,        ///< packet `number` of `message`, on the link to the host of `rank`
    ack,           ///< ACK `number` (from 0) on the link from the host of `rank`
    nack,          ///< NACK `number`, likewise
    cnp,           ///< CNP `number`, likewise
    notification,  ///< notification `number` of a first packet of `rank`, on a link from an accelerator
    place,         ///< any frame: number `number` (from 0) on `link`
    down,          ///< all frames on `link` that start `after` or later
  };
  FrameFate fate = FrameFate::drop;
  Match match = Match::place;
  std::uint16_t rank = 0;
  std::uint32_t message = 0;  ///< MsgID
  std::uint64_t number = 0;   ///< gradient, result: offset in the message, in packets
  std::uint64_t times = 1;  ///< gradient, result: number of passes of the packet; others: number of frames from `number` on
  std::string link;         ///< one direction: `host0.port0>switch0.port0`
  Time after;               ///< from the start of each run
};
bool operator==(const FaultRule& a, const FaultRule& b);

/// Reads `ACTION:gradient:RANK:MSG:O[:TIMES]`, likewise `result`; `ACTION:ack:RANK:N[:TIMES]`, likewise `nack`, `cnp` and
/// `notification`; `ACTION:LINK:N[:TIMES]`; `down:LINK@TIME`. ACTION is drop, corrupt (the FCS reveals it), flip (only the
/// ICRC reveals it) or duplicate. Throws std::invalid_argument with one line that lists the legal forms. It does not check
/// that the link or rank exists.
FaultRule parse_fault_rule(const std::string& text);
/// Returns a text that parse_fault_rule reads.
std::string to_string(const FaultRule& rule);

/// The script of a run, constant and shared by all links.
struct FaultScript {
  std::vector<FaultRule> rules;         ///< if two match a frame, the first counts
  std::uint64_t seed = 1;               ///< seed of random faults
  std::uint32_t message_packets = 170;  ///< MsgLen, at least 1
  std::vector<std::uint16_t> rank_of;   ///< by station; a station without an entry has its own number as rank
};

}  // namespace tributary
