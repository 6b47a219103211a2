#include "modules/nic/core/dependency_table.h"

#include <algorithm>
#include <stdexcept>

#include "modules/nic/core/schedule_check.h"

namespace tributary {
namespace {

std::string node_text(std::uint16_t node) { return node == ScheduleEntry::nil ? "none" : "nic" + std::to_string(node); }

}  // namespace

DependencyTable::Flow& DependencyTable::flow(std::uint16_t id) {
  if (id >= flows_.size()) flows_.resize(std::size_t{id} + 1);
  return flows_[id];
}

void DependencyTable::load(const std::vector<ScheduleEntry>& entries, bool reduces) {
  reset();
  for (const ScheduleEntry& e : entries) {
    if (e.op == ScheduleEntry::Op::nop && e.flow == ScheduleEntry::nil) continue;
    Flow& f = flow(e.flow);
    const bool names_children_only = e.op == ScheduleEntry::Op::nop;
    if (!names_children_only && f.named && e.parent != f.parent)
      throw ScheduleTableError("nic" + std::to_string(node_) + ": flow " + std::to_string(e.flow) + " has two parents, " +
                               node_text(f.parent) + " and " + node_text(e.parent));
    if (!names_children_only) f.named = true, f.parent = e.parent;
    for (const std::uint16_t child : e.children) {
      const bool known = std::any_of(f.children.begin(), f.children.end(), [=](const Child& c) { return c.node == child; });
      if (!reduces || child == ScheduleEntry::nil || known) continue;
      f.children.push_back({child, false});
      ++f.open;
    }
  }
}

bool DependencyTable::satisfied(const ScheduleEntry& e) const {
  const Flow& f = flows_[e.flow];
  return waits_for_parent(e) ? f.gathered : f.open == 0;
}

std::string DependencyTable::missing(const ScheduleEntry& e) const {
  if (waits_for_parent(e)) return "the gather of nic" + std::to_string(e.parent);
  std::string text;
  for (const Child& c : flows_[e.flow].children)
    if (!c.clear) text += (text.empty() ? "the reduces of nic" : ", nic") + std::to_string(c.node);
  return text;
}

std::size_t DependencyTable::operands(std::uint16_t id, std::size_t reduces) const {
  if (id < flows_.size() && flows_[id].named) return flows_[id].children.size() + 1;
  std::size_t named = 0;
  for (const Flow& f : flows_)
    if (f.named) named += f.children.size();
  return reduces - std::min(named, reduces) + 1;
}

void DependencyTable::refuse(const char* what, std::uint16_t id, std::uint16_t from, const char* why) const {
  throw std::logic_error("nic" + std::to_string(node_) + ": a " + what + " of flow " + std::to_string(id) + " from nic" +
                         std::to_string(from) + ", " + why);
}

void DependencyTable::reduced(std::uint16_t id, std::uint16_t child) {
  Flow& f = flow(id);
  auto c = std::find_if(f.children.begin(), f.children.end(), [=](const Child& x) { return x.node == child; });
  if (c == f.children.end()) {
    if (f.named) refuse("reduce", id, child, "which is not a child");
    c = f.children.insert(c, {child, false});  // a root that sends nothing: its table does not name the flow
    ++f.open;
  }
  if (c->clear) refuse("reduce", id, child, "for the second time");
  c->clear = true;
  --f.open;
}

void DependencyTable::gathered(std::uint16_t id, std::uint16_t from) {
  Flow& f = flow(id);
  if (f.parent != ScheduleEntry::nil && f.parent != from) refuse("gather", id, from, "which is not the parent");
  if (f.gathered) refuse("gather", id, from, "for the second time");
  f.gathered = true;
}

}  // namespace tributary
