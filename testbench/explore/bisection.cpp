#include "testbench/explore/bisection.h"

#include <algorithm>
#include <cmath>

namespace tributary::explore {

Bisection::Bisection(Space space, Point at, const BisectionPlan& plan)
    : space_(std::move(space)), at_(std::move(at)), plan_(plan) {
  const Variable& variable = space_.variables().at(plan.variable);
  if (!variable.ordered) throw PlanError(variable.name + ": its values have no order (legal: a variable of numbers)");
  if (!(plan.keep > 0 && plan.keep <= 1)) throw PlanError("keep: a share is expected (legal: above 0, up to 1)");
}

bool Bisection::keeps(Position position) const {
  const auto found = known_.find(position), best = known_.find(last());
  return found != known_.end() && found->second && *found->second >= plan_.keep * *best->second;
}

std::vector<Bisection::Position> Bisection::unknown(const std::vector<Position>& positions) const {
  std::vector<Position> all;
  for (const Position position : positions)
    if (known_.count(position) == 0 && std::find(all.begin(), all.end(), position) == all.end()) all.push_back(position);
  return all;
}

std::vector<Bisection::Position> Bisection::check_positions() const {
  constexpr int parts = 5;
  std::vector<Position> positions;
  if (*holds_ > 0) positions.push_back(*holds_ - 1);
  if (*holds_ < last()) positions.push_back(*holds_ + 1);
  for (int part = 1; part < parts; ++part)
    positions.push_back(static_cast<Position>((static_cast<std::uint64_t>(last()) * part * 2 + parts) / (2 * parts)));
  return positions;
}

/// Returns a position below the answer that keeps the share, or one above it that does not.
std::optional<Bisection::Position> Bisection::contradiction() const {
  for (const auto& [position, value] : known_)
    if (keeps(position) != (position >= *holds_)) return position;
  return std::nullopt;
}

/// Returns the positions that the search needs now.
std::vector<Bisection::Position> Bisection::next() {
  if (known_.empty()) return unknown({last(), 0});
  if (!known_.at(last())) return {};  // there is no reference
  if (!holds_ && keeps(0)) holds_ = 0;
  if (!holds_ && !fails_) fails_ = 0;
  for (Position position = 1; !holds_; position *= 2) {  // doubled steps from the far end
    position = std::min(position, last());
    if (known_.count(position) == 0) return {position};
    (keeps(position) ? holds_ : fails_) = position;
  }
  while (fails_ && *holds_ - *fails_ > 1) {
    const Position middle = *fails_ + (*holds_ - *fails_) / 2;
    if (known_.count(middle) == 0) return {middle};
    (keeps(middle) ? holds_ : fails_) = middle;
  }
  if (!checked_) {
    checked_ = true;
    const std::vector<Position> positions = unknown(check_positions());
    if (!positions.empty()) return positions;
  }
  if (!counter_example_) counter_example_ = contradiction();
  if (!counter_example_ || last() >= most_values_of_all) return {};
  std::vector<Position> all;
  for (Position position = 0; position <= last(); ++position) all.push_back(position);
  return unknown(all);
}

std::vector<Candidate> Bisection::ask() {
  if (asked_.empty()) asked_ = next();
  std::vector<Point> points;
  for (const Position position : asked_) {
    points.push_back(at_);
    points.back()[plan_.variable] = index_of(position);
  }
  return as_candidates(points);
}

void Bisection::tell(const std::vector<Score>& scores) {
  for (std::size_t i = 0; i < asked_.size(); ++i)
    known_[asked_[i]] = scores.at(i).is_feasible() ? scores[i].of : std::nullopt;
  asked_.clear();
}

BisectionResult Bisection::result() const {
  BisectionResult result;
  if (known_.empty() || !known_.at(last())) {
    result.reason = "the reference has no feasible result";
    return result;
  }
  if (!holds_) return result;
  Position answer = last();  // from here on, all values that ran keep the share
  for (auto known = known_.rbegin(); known != known_.rend() && keeps(known->first); ++known) answer = known->first;
  result.answer = index_of(answer);
  result.is_monotone = !counter_example_;
  if (counter_example_) result.counter_example = index_of(*counter_example_);
  const std::pair<const Position, std::optional<double>>* before = nullptr;
  for (const auto& known : known_) {
    if (!known.second) continue;
    if (before != nullptr && !result.drop && *known.second < *before->second - tolerance * std::fabs(*before->second))
      result.drop = {index_of(before->first), index_of(known.first)};
    before = &known;
  }
  return result;
}

}  // namespace tributary::explore
