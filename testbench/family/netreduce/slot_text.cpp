#include <algorithm>
#include <cstdio>

#include "testbench/family/netreduce/slot_trace.h"
#include "testbench/observe/life_table.h"

namespace tributary {
namespace {

using Kind = SlotMoment::Kind;
using What = SlotEvent::Kind;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string value_text(const char* before, const std::optional<double>& value) {
  return value ? before + number(*value) : std::string();
}

/// Returns the members as digits, the first one on the right.
std::string bitmap_text(std::uint64_t bitmap, unsigned members) {
  std::string text;
  for (unsigned i = members; i-- != 0;) text += (bitmap >> i & 1) != 0 ? '1' : '0';
  return text;
}

unsigned count_of(std::uint64_t bitmap) {
  unsigned count = 0;
  for (; bitmap != 0; bitmap &= bitmap - 1) ++count;
  return count;
}

std::string frame_name(FrameKind kind) { return frame_kind_names[static_cast<unsigned>(kind)]; }

/// Returns `gradient of host0 (middle, PSN 5)`.
std::string frame_text(const SlotTrace& trace, const SlotMoment& m) {
  const std::string source = trace.station(m.source), destination = trace.station(m.destination);
  const std::string header = " (" + frame_name(m.frame) + ", PSN " + std::to_string(m.psn) + ")";
  switch (m.part) {
    case SlotPart::gradient:
      return "gradient of " + source + header;
    case SlotPart::result:
      return "result for " + destination + header;
    case SlotPart::notification:
      return "notification of " + source + header;
    case SlotPart::sum:
      return "sum of " + source + " for " + destination;
    case SlotPart::whole_sum:
      return "result of " + source + " for " + destination;
    case SlotPart::nack:
      return "NACK of " + source + " for " + destination + header;
  }
  return header;
}

std::string place_text(const SlotTrace& trace, std::int64_t packet) {
  const auto length = static_cast<std::int64_t>(trace.message_packets());
  return "packet " + std::to_string(packet % length) + " of message " + std::to_string(packet / length);
}

std::string slot_text(const SlotTrace& trace, const SlotMoment& m) {
  const SlotEvent& e = m.what;
  const std::string operand =
      (trace.is_host(m.source) ? "gradient" : "sum") + value_text(" ", m.operand) + " of " + trace.station(m.source);
  const std::string state = ", " + std::to_string(count_of(e.bitmap)) + " of " + std::to_string(e.ranks) + ", bitmap " +
                            bitmap_text(e.bitmap, e.ranks);
  const std::string entry = m.entry ? ", entry at message " + std::to_string(*m.entry) : "";
  switch (e.kind) {
    case What::stored:
    case What::completed:
      return "slot " + std::to_string(e.slot) + (e.kind == What::stored ? " keeps " : " full with ") + operand + state +
             entry + ", header row " + std::to_string(e.header);
    case What::duplicate:
      return "slot " + std::to_string(e.slot) + " is full: " + operand + " comes again" + entry;
    case What::added:
      return std::string(e.whole ? "sum of all" : "sum of the rack") + value_text(" ", m.value) + " leaves the adders";
    case What::passed:
      return "result" + value_text(" ", m.value) + " of " + trace.station(m.source) + " passes by the slot";
    case What::again:
      return "sum" + value_text(" ", m.value) + " leaves again";
  }
  return operand;
}

std::string moment_text(const SlotTrace& trace, const SlotMoment& m) {
  switch (m.kind) {
    case Kind::delivered:
      return "has " + frame_text(trace, m) + value_text(", sum ", m.value);
    case Kind::slot:
      return slot_text(trace, m);
    case Kind::timed_out:
      return "timeout: " + place_text(trace, m.packet) + " (PSN " + std::to_string(m.psn) + ") is not acknowledged";
    case Kind::rewound:
      return "goes back to " + place_text(trace, m.packet) + " (PSN " + std::to_string(m.psn) + ")";
    case Kind::sent:
      return "sends " + frame_text(trace, m) + (m.part == SlotPart::nack ? ": wants " + place_text(trace, m.packet) : "");
    case Kind::fate:
      return frame_text(trace, m) + ": " + m.fate;
  }
  return {};
}

}  // namespace

std::string SlotTrace::text(Tick epoch) const {
  const std::vector<SlotMoment> all = moments();
  const std::string name =
      "block " + std::to_string(packet()) + ": " + place_text(*this, static_cast<std::int64_t>(packet()));
  if (all.empty()) return "# " + name + " has crossed no link\n";
  LifeTable table("life of " + name, epoch);
  for (const SlotMoment& m : all) table.add(m.time, m.place, moment_text(*this, m));
  return table.text(markers_of(all));
}

}  // namespace tributary
