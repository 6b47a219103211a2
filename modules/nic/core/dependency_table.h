#pragma once
/// DependencyTable: dependencies of schedule entries, cleared by FlowID and child (Huang et al., ISCA 2021, IV-A).

#include <cstdint>
#include <string>
#include <vector>

#include "modules/nic/core/schedule_entry.h"

namespace tributary {

/// The children of a tree at a node are those of all its entries together (in the root's table only its Gathers name them).
/// A Reduce waits for the Reduces of all children, received and added. A Gather waits for the parent's Gather; at the root
/// it waits for the Reduces, if this operation has any.
class DependencyTable {
 public:
  explicit DependencyTable(std::uint16_t node) : node_(node) {}

  /// `reduces`: the operation has Reduces; without them (an all-gather) the root need not wait. Throws ScheduleTableError
  /// if the entries of a tree do not all have the same parent, or none.
  void load(const std::vector<ScheduleEntry>& entries, bool reduces);

  bool satisfied(const ScheduleEntry& entry) const;
  /// Describes the missing dependencies of an entry: `the reduces of nic1, nic3`.
  std::string missing(const ScheduleEntry& entry) const;

  /// Returns the operands of the tree's sum at this node, its own included. `reduces`: Reduces that it will receive over
  /// all trees; those of children that no entry names belong to the tree whose root is this node, which sends nothing of it.
  std::size_t operands(std::uint16_t tree, std::size_t reduces) const;

  /// Records that the chunk of a child has been added. Throws std::logic_error if the node is not a child, or repeats.
  void reduced(std::uint16_t tree, std::uint16_t child);
  /// Records the chunk from the parent. Throws std::logic_error if the node is not the parent, or repeats.
  void gathered(std::uint16_t tree, std::uint16_t from);
  void reset() { trees_.clear(); }

 private:
  struct Child {
    std::uint16_t node;
    bool clear;
  };
  struct Tree {
    std::vector<Child> children;  // in the order of the table
    std::size_t open = 0;         // children that are not clear
    std::uint16_t parent = ScheduleEntry::nil;
    bool named = false;  // an entry names the tree
    bool gathered = false;
  };
  Tree& tree(std::uint16_t id);
  static bool waits_for_parent(const ScheduleEntry& e) {
    return e.op == ScheduleEntry::Op::gather && e.parent != ScheduleEntry::nil;
  }
  [[noreturn]] void refuse(const char* what, std::uint16_t tree, std::uint16_t from, const char* why) const;

  std::uint16_t node_;
  std::vector<Tree> trees_;  // by FlowID
};

}  // namespace tributary
