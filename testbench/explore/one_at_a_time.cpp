#include "testbench/explore/one_at_a_time.h"

#include "testbench/explore/choices.h"
#include "testbench/explore/domination.h"

namespace tributary::explore {

OneAtATime::OneAtATime(Space space, Point at) : space_(std::move(space)), at_(std::move(at)) { list_moves(); }

OneAtATime::OneAtATime(Space space, std::unique_ptr<Search> first) : space_(std::move(space)), first_(std::move(first)) {}

void OneAtATime::list_moves() {
  for (std::size_t v = 0; v < space_.dimensions(); ++v) {
    const std::uint32_t from = (*at_)[v];
    for (std::uint32_t to = 0; to < space_.values(v); ++to) {
      const bool neighbour = to + 1 == from || to == from + 1;
      if (to != from && (neighbour || !space_.variables()[v].ordered)) moves_.push_back({v, to, std::nullopt});
    }
  }
}

/// Returns the point itself, and one candidate for each move.
std::vector<Candidate> OneAtATime::candidates() const {
  std::vector<Point> points{*at_};
  for (const VariableMove& move : moves_) {
    points.push_back(*at_);
    points.back()[move.variable] = move.to;
  }
  return as_candidates(points);
}

std::vector<Candidate> OneAtATime::ask() {
  if (done_) return {};
  if (at_) return candidates();
  asked_ = first_->ask();
  if (!asked_.empty()) return asked_;
  const std::vector<std::size_t> front = front_of(scores_);
  std::vector<Score> members;
  members.reserve(front.size());
  for (const std::size_t i : front) members.push_back(scores_[i]);
  if (const auto knee = knee_of(members)) at_ = points_[front[*knee]];
  if (at_) list_moves();
  done_ = !at_;
  return done_ ? std::vector<Candidate>{} : candidates();
}

void OneAtATime::tell(const std::vector<Score>& scores) {
  if (!at_) {
    for (std::size_t i = 0; i < asked_.size(); ++i) points_.push_back(asked_[i].point), scores_.push_back(scores.at(i));
    first_->tell(scores);
    return;
  }
  done_ = true;
  for (std::size_t m = 0; m < moves_.size(); ++m)
    if (scores.at(0).of && scores.at(m + 1).of) moves_[m].change = *scores[m + 1].of - *scores[0].of;
}

}  // namespace tributary::explore
