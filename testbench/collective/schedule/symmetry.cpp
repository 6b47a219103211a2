#include "testbench/collective/schedule/symmetry.h"

#include <numeric>
#include <utility>

#include "modules/base/index.h"

namespace tributary::collective {
namespace {

constexpr std::size_t most_numbers = std::size_t{1} << 24;

/// A permutation that is found number by number.
class PartialPermutation {
 public:
  explicit PartialPermutation(int size) : image_(at(size), Renaming::unused), origin_(image_) {}

  /// Returns false if one of the numbers does not exist or has another partner.
  bool set(int from, int to) {
    if (from < 0 || to < 0 || at(from) >= image_.size() || at(to) >= image_.size()) return false;
    if (image_[at(from)] == Renaming::unused && origin_[at(to)] == Renaming::unused)
      image_[at(from)] = to, origin_[at(to)] = from;
    return image_[at(from)] == to;
  }
  int of(int from) const { return image_[at(from)]; }
  std::vector<int> take() { return std::move(image_); }

 private:
  std::vector<int> image_, origin_;
};

/// Finds the renaming that turns rank 0 into another rank, along the messages from rank to rank.
class RenamingFinder {
 public:
  RenamingFinder(const EventSource& source, const ScheduleShape& shape)
      : source_(source), shape_(shape), rank_(shape.ranks), chunk_(shape.chunks), slot_(shape.slots) {}

  std::optional<Renaming> from_first_to(int rank) {
    meet(0, rank);
    for (std::size_t i = 0; i < open_.size(); ++i)
      if (!matches(open_[i])) return std::nullopt;
    if (open_.size() < at(shape_.ranks) || !keeps_goals()) return std::nullopt;
    return Renaming{rank_.take(), chunk_.take(), slot_.take()};
  }
  /// Returns the number of events that have been compared.
  std::size_t compared() const { return compared_; }

 private:
  bool meet(int from, int to) {
    const bool is_new = from >= 0 && from < shape_.ranks && rank_.of(from) == Renaming::unused;
    if (!rank_.set(from, to)) return false;
    if (is_new) open_.push_back(from);
    return true;
  }

  bool matches(int rank) {
    one_.clear(), other_.clear();
    if (!source_(rank, one_) || !source_(rank_.of(rank), other_)) return false;
    if (one_.events.size() != other_.events.size() || one_.after != other_.after) return false;
    for (std::size_t i = 0; i < one_.events.size(); ++i, ++compared_)
      if (!matches(one_.events[i], other_.events[i], rank)) return false;
    return true;
  }

  bool matches(const RankEvent& a, const RankEvent& b, int rank) {
    if (a.id != b.id || a.end_after != b.end_after || a.waits != b.waits || a.reads != b.reads || a.adds_own != b.adds_own ||
        a.stores != b.stores || a.from == rank || a.to == rank)
      return false;
    return chunk_.set(a.chunk, b.chunk) && same_message(a.from, b.from, a.in_slot, b.in_slot, a.in_step, b.in_step) &&
           same_message(a.to, b.to, a.out_slot, b.out_slot, a.out_step, b.out_step);
  }

  bool same_message(int peer, int other_peer, int slot, int other_slot, int step, int other_step) {
    if (peer == RankEvent::no_peer || other_peer == RankEvent::no_peer) return peer == other_peer;
    return step == other_step && meet(peer, other_peer) && slot_.set(slot, other_slot);
  }

  bool keeps_goals() const {
    const auto renamed = [&](int rank) { return rank < 0 || rank >= shape_.ranks ? rank : rank_.of(rank); };
    for (int c = 0; c < shape_.chunks; ++c) {
      if (chunk_.of(c) == Renaming::unused) continue;
      const Goal mine = shape_.goal(c), other = shape_.goal(chunk_.of(c));
      if (renamed(mine.from) != other.from || renamed(mine.to) != other.to) return false;
    }
    return true;
  }

  const EventSource& source_;
  const ScheduleShape& shape_;
  PartialPermutation rank_, chunk_, slot_;
  std::vector<int> open_;  ///< ranks with a new number, in the order in which messages lead to them
  RankEvents one_, other_;
  std::size_t compared_ = 0;
};

}  // namespace

Symmetry::Symmetry(int ranks) : images_(1, Image(at(ranks))), reached_(at(ranks), false) {
  std::iota(images_.front().begin(), images_.front().end(), std::uint16_t{0});
  reached_.front() = true;
}

/// Renamings follow each other until no new one results. Each is known by the rank that rank 0 becomes.
bool Symmetry::add(Renaming generator) {
  generators_.push_back(std::move(generator));
  images_.resize(1);
  reached_.assign(reached_.size(), false);
  reached_.front() = true;
  for (std::size_t i = 0; i < images_.size(); ++i)
    for (const Renaming& next : generators_) {
      const int first = next.rank[images_[i].front()];
      if (reaches(first)) continue;
      reached_[at(first)] = true;
      Image image = images_[i];
      for (std::uint16_t& rank : image) rank = static_cast<std::uint16_t>(next.rank[rank]);
      images_.push_back(std::move(image));
      if (images_.size() * reached_.size() > most_numbers) return false;
    }
  return true;
}

void Symmetry::number() {
  const std::size_t ranks = reached_.size();
  std::vector<std::size_t> first_to(ranks, 0);  // renaming that turns a rank into rank 0
  for (std::size_t g = 0; g < images_.size(); ++g)
    for (std::size_t r = 0; r < ranks; ++r)
      if (images_[g][r] == 0) first_to[r] = g;
  for (const Image& image : images_) inverse_.push_back(first_to[image.front()]);
  class_.assign(ranks, ranks);
  renaming_.assign(ranks, 0);
  for (std::size_t r = 0; r < ranks; ++r) {
    if (class_[r] != ranks) continue;
    for (std::size_t g = 0; g < images_.size(); ++g)
      class_[images_[g][r]] = representatives_.size(), renaming_[images_[g][r]] = g;
    representatives_.push_back(static_cast<int>(r));
  }
}

std::optional<Symmetry> Symmetry::find(const EventSource& source, const ScheduleShape& shape) {
  constexpr int most_ranks = 65536;
  if (shape.ranks < 2 || shape.ranks > most_ranks) return std::nullopt;
  if (!shape.goals.empty() && shape.goals.size() != at(shape.chunks)) return std::nullopt;
  Symmetry found(shape.ranks);
  RankEvents first;
  if (!source(0, first)) return std::nullopt;
  const std::size_t enough = 4 * at(shape.ranks) * (first.events.size() + 1);  // comparisons without success
  std::size_t vain = 0;
  for (int rank = 1; rank < shape.ranks && vain < enough; ++rank) {
    if (found.reaches(rank)) continue;
    RenamingFinder finder(source, shape);
    if (std::optional<Renaming> renaming = finder.from_first_to(rank)) {
      if (!found.add(std::move(*renaming))) return std::nullopt;
    } else {
      vain += finder.compared() + first.events.size();
    }
  }
  if (found.order() == 1) return std::nullopt;
  found.number();
  return found;
}

}  // namespace tributary::collective
