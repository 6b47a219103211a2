#pragma once
/// Symmetry: the ranks of a schedule whose programs have equal forms.

#include <cstdint>
#include <optional>
#include <vector>

#include "testbench/collective/schedule/rank_events.h"

namespace tributary::collective {

/// The numbers of a schedule.
struct ScheduleShape {
  int ranks = 0, chunks = 0, slots = 0;
  std::vector<Goal> goals = {};  ///< as Schedule::goals

  Goal goal(int chunk) const { return goals.empty() ? Goal{} : goals[static_cast<std::size_t>(chunk)]; }
};

/// New numbers of ranks, chunks and slots, a permutation of each; `unused` for numbers that no program names.
struct Renaming {
  static constexpr int unused = -1;
  std::vector<int> rank, chunk, slot;
};

/// The group of those renamings that turn the schedule into itself: the program of each rank, renamed, is event by event
/// that of the renamed rank, and goals become goals. Messages join all ranks, so a renaming is determined by the new number
/// of one rank, and none but the identity leaves a rank in place. Ranks that some renaming exchanges form a class; all
/// classes have as many ranks as there are renamings.
class Symmetry {
 public:
  /// Returns the symmetry if there is any. A program that differs from the others in one field leaves fewer renamings or
  /// none. Renamings of more than 2^24 numbers in all are not searched for.
  static std::optional<Symmetry> find(const EventSource& source, const ScheduleShape& shape);

  /// Returns the number of renamings.
  std::size_t order() const { return images_.size(); }
  /// Returns the renamings from which all others follow.
  const std::vector<Renaming>& generators() const { return generators_; }

  /// Returns the first rank of each class.
  const std::vector<int>& representatives() const { return representatives_; }
  std::size_t class_of(int rank) const { return class_[static_cast<std::size_t>(rank)]; }
  /// Returns the renaming that turns the class's first rank into this one.
  std::size_t renaming_to(int rank) const { return renaming_[static_cast<std::size_t>(rank)]; }
  int renamed(std::size_t renaming, int rank) const { return images_[renaming][static_cast<std::size_t>(rank)]; }
  /// Returns the rank that the renaming turns into this one.
  int undone(std::size_t renaming, int rank) const { return renamed(inverse_[renaming], rank); }

 private:
  using Image = std::vector<std::uint16_t>;
  explicit Symmetry(int ranks);
  bool reaches(int rank) const { return reached_[static_cast<std::size_t>(rank)]; }
  /// Returns false if there are too many renamings.
  bool add(Renaming generator);
  void number();

  std::vector<Renaming> generators_;
  std::vector<Image> images_;  ///< [renaming][rank]; the first is the identity
  std::vector<bool> reached_;  ///< [rank] a renaming turns rank 0 into it
  std::vector<std::size_t> inverse_, class_, renaming_;
  std::vector<int> representatives_;
};

}  // namespace tributary::collective
