#include "modules/nic/core/dependency_table.h"

#include <algorithm>
#include <stdexcept>

#include "modules/nic/core/schedule_check.h"

namespace tributary {
namespace {

std::string node_text(std::uint16_t node) { return node == ScheduleEntry::nil ? "none" : "nic" + std::to_string(node); }

}  // namespace

DependencyTable::Tree& DependencyTable::tree(std::uint16_t id) {
  if (id >= trees_.size()) trees_.resize(std::size_t{id} + 1);
  return trees_[id];
}

void DependencyTable::load(const std::vector<ScheduleEntry>& entries, bool reduces) {
  reset();
  for (const ScheduleEntry& e : entries) {
    if (e.op == ScheduleEntry::Op::nop && e.tree == ScheduleEntry::nil) continue;
    Tree& t = tree(e.tree);
    const bool names_children_only = e.op == ScheduleEntry::Op::nop;
    if (!names_children_only && t.named && e.parent != t.parent)
      throw ScheduleTableError("nic" + std::to_string(node_) + ": tree " + std::to_string(e.tree) + " has two parents, " +
                               node_text(t.parent) + " and " + node_text(e.parent));
    if (!names_children_only) t.named = true, t.parent = e.parent;
    for (const std::uint16_t child : e.children) {
      const bool known = std::any_of(t.children.begin(), t.children.end(), [=](const Child& c) { return c.node == child; });
      if (!reduces || child == ScheduleEntry::nil || known) continue;
      t.children.push_back({child, false});
      ++t.open;
    }
  }
}

bool DependencyTable::satisfied(const ScheduleEntry& e) const {
  const Tree& t = trees_[e.tree];
  return waits_for_parent(e) ? t.gathered : t.open == 0;
}

std::string DependencyTable::missing(const ScheduleEntry& e) const {
  if (waits_for_parent(e)) return "the gather of nic" + std::to_string(e.parent);
  std::string text;
  for (const Child& c : trees_[e.tree].children)
    if (!c.clear) text += (text.empty() ? "the reduces of nic" : ", nic") + std::to_string(c.node);
  return text;
}

std::size_t DependencyTable::operands(std::uint16_t id, std::size_t reduces) const {
  if (id < trees_.size() && trees_[id].named) return trees_[id].children.size() + 1;
  std::size_t named = 0;
  for (const Tree& t : trees_)
    if (t.named) named += t.children.size();
  return reduces - std::min(named, reduces) + 1;
}

void DependencyTable::refuse(const char* what, std::uint16_t id, std::uint16_t from, const char* why) const {
  throw std::logic_error("nic" + std::to_string(node_) + ": a " + what + " of tree " + std::to_string(id) + " from nic" +
                         std::to_string(from) + ", " + why);
}

void DependencyTable::reduced(std::uint16_t id, std::uint16_t child) {
  Tree& t = tree(id);
  auto c = std::find_if(t.children.begin(), t.children.end(), [=](const Child& x) { return x.node == child; });
  if (c == t.children.end()) {
    if (t.named) refuse("reduce", id, child, "which is not a child");
    c = t.children.insert(c, {child, false});  // a root that sends nothing: its table does not name the tree
    ++t.open;
  }
  if (c->clear) refuse("reduce", id, child, "for the second time");
  c->clear = true;
  --t.open;
}

void DependencyTable::gathered(std::uint16_t id, std::uint16_t from) {
  Tree& t = tree(id);
  if (t.parent != ScheduleEntry::nil && t.parent != from) refuse("gather", id, from, "which is not the parent");
  if (t.gathered) refuse("gather", id, from, "for the second time");
  t.gathered = true;
}

}  // namespace tributary
