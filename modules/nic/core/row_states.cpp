#include "modules/nic/core/row_states.h"

namespace tributary {
namespace {

using Op = ScheduleEntry::Op;
constexpr unsigned parent_bit = 4;
constexpr const char* op_names[] = {"reduce", "gather", "nop", nullptr};

bool from_parent(const ScheduleEntry& e) { return e.op == Op::gather && e.parent != ScheduleEntry::nil; }

}  // namespace

std::uint8_t RowStates::dependencies(const ScheduleEntry& e, bool reduces) {
  if (e.op == Op::nop) return 0;
  if (from_parent(e)) return 1u << parent_bit;
  unsigned bits = 0;
  for (unsigned i = 0; i < e.children.size() && reduces; ++i)
    if (e.children[i] != ScheduleEntry::nil) bits |= 1u << i;
  return static_cast<std::uint8_t>(bits);
}

std::uint8_t RowStates::bits_of(const ScheduleEntry& e, Op op, std::uint16_t from) {
  if (op == Op::gather) return 1u << parent_bit;
  unsigned bits = 0;
  for (unsigned i = 0; i < e.children.size(); ++i)
    if (e.children[i] == from) bits |= 1u << i;
  return static_cast<std::uint8_t>(bits);
}

void RowStates::update(Tick now, std::uint32_t row, std::uint8_t waits, bool ready) {
  Row& r = rows_[row];
  if (r.waits == waits && r.ready == ready) return;
  r.waits = waits;
  r.ready = ready;
  fire(now, ScheduleRowEvent::Kind::cleared, row);
}

void RowStates::issued(Tick now, std::uint32_t row) {
  if (row >= rows_.size()) return;  // observation began later
  rows_[row].valid = false;
  fire(now, ScheduleRowEvent::Kind::issued, row);
}

void RowStates::fire(Tick now, ScheduleRowEvent::Kind kind, std::uint32_t row) const {
  const Row& r = rows_[row];
  ScheduleRowEvent event;
  event.kind = kind;
  event.opcode = static_cast<std::uint8_t>(r.entry.op);
  event.waits = r.waits;
  event.ready = r.ready;
  event.row = row;
  event.tree = r.entry.tree;
  event.parent = r.entry.parent;
  event.step = r.entry.step;
  event.children = r.entry.children;
  rows_probe_(now, event);
}

void RowStates::describe(ProbeDirectory& directory, const std::string& prefix, std::uint32_t capacity) {
  directory.add(prefix + "entries", rows_probe_, "row of the schedule table: loaded, a dependency cleared, issued", capacity,
                op_names);
}

}  // namespace tributary
