#include <algorithm>
#include <cstdio>

#include "testbench/observe/block_trace.h"
#include "testbench/observe/life_table.h"

namespace tributary {
namespace {

std::string endpoint_name(const BlockQuery& query, unsigned endpoint) { return query.device + std::to_string(endpoint); }

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string reduction_text(const BlockQuery& query, const BlockEvent& e) {
  using What = ReductionEvent::Kind;
  const std::string entry = "entry " + std::to_string(e.entry);
  const std::string from =
      e.source == ReductionEvent::no_source
          ? ""
          : ": operand" + (e.operand ? " " + number(*e.operand) : "") + " from " + endpoint_name(query, e.source);
  const std::string sum =
      ", " + std::to_string(e.count) + " of " + std::to_string(e.expected) + (e.value ? ", sum " + number(*e.value) : "");
  switch (e.what) {
    case What::allocated:
      return entry + " allocated" + from + sum;
    case What::merged:
      return entry + " adds" + from + sum;
    case What::completed:
      return entry + " complete" + sum;
    case What::evicted:
      return entry + " evicted with its partial sum" + sum;
    case What::timed_out:
      return entry + " timed out with its partial sum" + sum;
    case What::freed:
      return entry + " free";
  }
  return entry;
}

double nanoseconds(Tick time, Tick epoch) { return (static_cast<double>(time) - static_cast<double>(epoch)) / 1e3; }

/// Describes an event of a chunk's partial sum in a NIC.
std::string sum_text(const BlockQuery& query, const BlockEvent& e) {
  using What = ReductionEvent::Kind;
  const std::string operand = e.operand ? " " + number(*e.operand) : "";
  const std::string sum =
      std::to_string(e.count) + " of " + std::to_string(e.expected) + (e.value ? ", sum " + number(*e.value) : "");
  switch (e.what) {
    case What::allocated:
      return "begins with its own" + operand + ", " + std::to_string(e.count) + " of " + std::to_string(e.expected);
    case What::merged:
      return "adds" + operand + " of " + endpoint_name(query, e.source) + ", " + sum;
    case What::completed:
      return "complete, " + sum;
    default:
      return "is sent";
  }
}

std::string chunk_text(const BlockQuery& query, const BlockEvent& e, Tick epoch) {
  const std::string what = e.opcode_name + " of " + endpoint_name(query, e.source);
  const std::string packets = std::to_string(e.packets) + (e.packets == 1 ? " packet" : " packets");
  const auto at = [&](Tick time) {
    char text[40];
    std::snprintf(text, sizeof text, "%.3f", nanoseconds(time, epoch));
    return std::string(text);
  };
  switch (e.kind) {
    case BlockEvent::Kind::issued:
      return "issues row " + std::to_string(e.entry) + ": " + e.opcode_name + " in step " + std::to_string(e.step);
    case BlockEvent::Kind::sent:
      return "sends " + what + " to " + endpoint_name(query, e.destination) + ", " + packets + " until " + at(e.end);
    case BlockEvent::Kind::reduced:
      return sum_text(query, e);
    case BlockEvent::Kind::delivered:
      return "receives " + what + ", " + packets + " since " + at(e.since);
  }
  return what;
}

std::string event_text(const BlockQuery& query, const BlockEvent& e, Tick epoch) {
  if (query.chunk) return chunk_text(query, e, epoch);
  if (e.kind == BlockEvent::Kind::reduced) return reduction_text(query, e);
  const std::string what = e.opcode_name + " of " + endpoint_name(query, e.source) +
                           (e.count > 1 ? ", " + std::to_string(e.count) + " operands" : "");
  return (e.kind == BlockEvent::Kind::sent ? "sends " : "receives ") + what;
}

}  // namespace

std::string block_text(const BlockQuery& query, const std::vector<BlockEvent>& events, Tick epoch) {
  const std::string name = (query.chunk ? "chunk " : "block ") + std::to_string(query.block);
  if (events.empty())
    return "# " + name + " crossed no link" +
           (query.chunk ? ""
                        : ": no packet was sent to its address; software sends to mailboxes at other addresses, and its "
                          "GPUs write the block") +
           "\n";
  LifeTable table("life of " + name, epoch);
  for (const BlockEvent& e : events) table.add(e.time, e.place, event_text(query, e, epoch));
  return table.text(markers_of(events));
}

std::string BlockTrace::text(Tick epoch) const { return block_text(query_, events(), epoch); }

}  // namespace tributary
