#include "modules/nic/core/schedule_check.h"

#include <algorithm>
#include <string>

#include "modules/nic/core/entry_code.h"

namespace tributary {
namespace {

using Op = ScheduleEntry::Op;

/// Returns the reason for which the node cannot execute the entry, or an empty string.
const char* fault(std::uint16_t node, const ScheduleEntry& e) {
  if (e.start >> 48 != 0) return "has an address of more than 48 bits";
  if (e.op == Op::nop) return "";
  if (e.bytes == 0) return "has no bytes";
  if (e.tree == ScheduleEntry::nil) return "has no tree";
  if (e.op == Op::reduce && e.parent == ScheduleEntry::nil) return "has no parent to send to";
  const bool itself = std::find(e.children.begin(), e.children.end(), node) != e.children.end();
  if (e.parent == node || itself) return "has its own node as parent or child";
  const bool sends =
      std::any_of(e.children.begin(), e.children.end(), [](std::uint16_t c) { return c != ScheduleEntry::nil; });
  return e.op == Op::gather && !sends ? "has no children to send to" : "";
}

}  // namespace

void check_schedule(std::uint16_t node, const std::vector<ScheduleEntry>& entries) {
  std::uint16_t step = 1;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const ScheduleEntry& e = entries[i];
    std::string why = fault(node, e);
    if (e.step < step) why = "comes after step " + std::to_string(step);
    if (!why.empty())
      throw ScheduleTableError("nic" + std::to_string(node) + ": entry " + std::to_string(i) + " (" +
                               tributary::describe(e) + ") " + why);
    step = e.step;
  }
}

std::string table_overflow(std::uint16_t node, std::uint64_t needed, std::uint64_t capacity) {
  return "nic" + std::to_string(node) + ": the schedule needs " + std::to_string(needed) +
         " table entries, and the table holds " + std::to_string(capacity);
}

}  // namespace tributary
