#include "modules/streams/core/copy_rules.h"

#include "modules/base/wrong_block.h"
#include "modules/streams/core/burst_cutter.h"
#include "modules/streams/core/copy_hub.h"

namespace tributary {

void CopyRules::fail(const char* rule, std::uint32_t copy, const std::string& what) const {
  const std::string text = "copy " + std::to_string(copy) + " " + what;
  if (report_) report_(rule, text);
  throw WrongBlock(engine_ + " breaks the rule `" + rule + "`: " + text);
}

void CopyRules::submit(const CopyCommand& command) {
  Copy& copy = open_[command.copy];
  copy.command = &command;
  copy.lanes.clear();
  for (unsigned lane = 0; lane < command.lanes; ++lane) {
    const CopyPart part = copy_part(command.bytes, command.lanes, lane, command.framing);
    copy.lanes.push_back({part.begin, part.begin + part.bytes, 0, part.bytes == 0});
  }
}

void CopyRules::room(std::uint32_t copy, unsigned lane) {
  const auto found = open_.find(copy);
  if (found == open_.end() || lane >= found->second.lanes.size()) return;
  if (unsigned& held = found->second.lanes[lane].held; held != 0) --held;
}

void CopyRules::burst(const Burst& burst) {
  const auto found = open_.find(burst.copy);
  if (found == open_.end()) fail("burst", burst.copy, "is not granted, and has a burst");
  Copy& copy = found->second;
  if (burst.lane >= copy.lanes.size())
    fail("burst", burst.copy,
         "has a burst on lane " + std::to_string(burst.lane) + "; legal: below " + std::to_string(copy.lanes.size()));
  Lane& lane = copy.lanes[burst.lane];
  if (++lane.held > CopyHub::bursts_ahead && !copy.command->reads)
    fail("room", burst.copy,
         "has a third burst on lane " + std::to_string(burst.lane) + "; legal: two that have not begun to leave");
  const CopyFraming& framing = copy.command->framing;
  if (burst.offset != lane.next)
    fail("burst", burst.copy,
         "has a burst at byte " + std::to_string(burst.offset) + " in place of byte " + std::to_string(lane.next));
  if (burst.bytes == 0 || burst.bytes > lane.end - lane.next || burst.bytes > std::uint32_t{framing.payload} * framing.burst)
    fail("burst", burst.copy,
         "has a burst of " + std::to_string(burst.bytes) + " B, and its lane has " + std::to_string(lane.end - lane.next) +
             " B left");
  const std::uint32_t packets = (burst.bytes + framing.payload - 1) / framing.payload;
  const std::uint32_t least = (burst.bytes + packets * framing.overhead) / burst_flit_bytes;
  if (burst.flits < least)
    fail("burst", burst.copy,
         "has " + std::to_string(burst.bytes) + " B in " + std::to_string(burst.flits) + " flits; legal: at least " +
             std::to_string(least));
  lane.next += burst.bytes;
  if (burst.last != (lane.next == lane.end))
    fail("burst", burst.copy, std::string("has a burst that is ") + (burst.last ? "" : "not ") + "marked as the last");
}

void CopyRules::left(std::uint32_t copy, unsigned lane) {
  const auto found = open_.find(copy);
  if (found != open_.end() && lane < found->second.lanes.size()) found->second.lanes[lane].left = true;
}

void CopyRules::done(const CopyCommand& command) {
  const auto found = open_.find(command.copy);
  if (found == open_.end() || found->second.command != &command)
    fail("done", command.copy, "is not granted, and is reported as done");
  for (std::size_t lane = 0; lane < found->second.lanes.size(); ++lane)
    if (!found->second.lanes[lane].left)
      fail("done", command.copy, "is reported as done before lane " + std::to_string(lane) + " has left");
  open_.erase(found);
}

std::vector<const CopyCommand*> CopyRules::open() const {
  std::vector<const CopyCommand*> all;
  for (const auto& [number, copy] : open_) all.push_back(copy.command);
  return all;
}

}  // namespace tributary
