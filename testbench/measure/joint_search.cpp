// The search for parameters that bind together: step 4 of docs/measured_bottleneck.md.
#include <algorithm>
#include <map>

#include "testbench/measure/bottleneck_search.h"

namespace tributary::measure {
namespace {

constexpr double least_more = 0.02;    // a joint set gains at least this more than the best parameter alone
constexpr double least_loss = 0.2;     // share of the joint gain that a member of the first set is worth
constexpr double least_member = 0.01;  // gain that a further member is worth
constexpr std::size_t most_members = 5;

std::vector<Move> without(std::vector<Move> moves, std::size_t parameter) {
  moves.erase(std::remove_if(moves.begin(), moves.end(), [&](const Move& m) { return m.parameter == parameter; }),
              moves.end());
  return moves;
}

bool holds(const std::vector<Move>& moves, std::size_t parameter) {
  return std::any_of(moves.begin(), moves.end(), [&](const Move& m) { return m.parameter == parameter; });
}

}  // namespace

/// Returns the move of a capacity that makes the machine faster; without a text if the range ends.
Move BottleneckSearch::improving(std::size_t member) const {
  const double factor = finding_.parameters[member].is_better_below() ? 0.5 : 2;
  const auto to = scaled(finding_.parameters[member], factor);
  return {member, factor, to ? *to : ""};
}

/// Adds the capacities of inert groups.
std::vector<Move> BottleneckSearch::with_inert(std::vector<Move> all) const {
  for (std::size_t i = 0; i < finding_.parameters.size(); ++i) {
    if (!finding_.parameters[i].is_capacity() || std::count(live_.begin(), live_.end(), i) != 0) continue;
    const Move move = improving(i);
    if (!move.to.empty()) all.push_back(move);
  }
  return all;
}

void BottleneckSearch::run_joint() {
  std::vector<Move> all;
  for (const std::size_t i : live_) {
    if (!finding_.parameters[i].is_capacity()) continue;
    const Move move = improving(i);
    if (!move.to.empty() && finding_.step(i, move.factor) != nullptr) all.push_back(move);
  }
  std::vector<Move> candidates = all;
  Outcome outcome = run_one(all);
  if (const std::vector<Move> wider = with_inert(all); wider.size() > all.size()) {
    // Two parameters that replace each other change nothing alone.
    const Outcome other = run_one(wider);
    if (other.done() && gain(other) - gain(outcome) >= least_member) {
      for (const Move& move : wider)
        if (!holds(all, move.parameter)) candidates.push_back(move);
      all = wider, outcome = other;
    }
  }
  if (all.empty()) return;
  if (outcome.state == TrialState::refused || outcome.state == TrialState::failed) {
    // Values that are legal alone exclude each other: the largest legal part without one group replaces the whole.
    std::vector<std::vector<Move>> parts;
    for (const std::string& group : group_names()) {
      std::vector<Move> part;
      for (const Move& move : all)
        if (finding_.parameters[move.parameter].group() != group) part.push_back(move);
      if (part.size() < all.size() && !part.empty()) parts.push_back(std::move(part));
    }
    const std::vector<Outcome> outcomes = run_moves(parts);
    std::size_t best = parts.size();
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (outcomes[i].done() && (best == parts.size() || outcomes[i].time < outcomes[best].time)) best = i;
    if (best == parts.size()) return;
    all = parts[best], outcome = outcomes[best];
  }
  if (!outcome.done()) return;
  Joint joint;
  joint.all = gain(outcome);
  const Step* single = best_single();
  const double alone = single == nullptr ? 0 : std::max(0.0, single->gain);
  const double more = std::max(least_more, finding_.eps);
  if (joint.all - alone > more) {
    std::vector<Move> set = necessary(all, joint.all);
    add_members(set, candidates);
    drop_members(set);
    const Outcome together = run_one(set);
    if (set.size() > 1 && gain(together) - alone > more) joint.moves = set, joint.gain = gain(together);
  }
  finding_.joint = joint;
}

/// Leaves out each group, then each member of the groups that matter. Returns the members with the largest losses.
std::vector<Move> BottleneckSearch::necessary(const std::vector<Move>& all, double gain_of_all) {
  std::map<std::string, std::vector<Move>> groups;
  for (const Move& move : all) groups[finding_.parameters[move.parameter].group()].push_back(move);
  std::vector<std::vector<Move>> parts;
  for (const auto& [name, members] : groups) {
    std::vector<Move> part = all;
    for (const Move& move : members) part = without(part, move.parameter);
    parts.push_back(std::move(part));
  }
  const std::vector<Outcome> outcomes = run_moves(parts);
  std::vector<Move> members;
  std::size_t g = 0;
  for (const auto& [name, of_group] : groups) {
    const Outcome& outcome = outcomes[g++];
    if (!outcome.done() || gain_of_all - gain(outcome) >= least_member)
      members.insert(members.end(), of_group.begin(), of_group.end());
  }
  parts.clear();
  for (const Move& move : members) parts.push_back(without(all, move.parameter));
  const std::vector<Outcome> alone = run_moves(parts);
  std::vector<std::pair<double, Move>> losses;
  for (std::size_t i = 0; i < members.size(); ++i)
    if (alone[i].done() && gain_of_all - gain(alone[i]) >= least_loss * gain_of_all)
      losses.emplace_back(gain_of_all - gain(alone[i]), members[i]);
  std::stable_sort(losses.begin(), losses.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Move> set;
  for (const auto& [loss, move] : losses)
    if (set.size() < most_members) set.push_back(move);
  return set;
}

/// Adds the candidate that gains most, as long as it gains enough: leaving out cannot find members that replace each other.
void BottleneckSearch::add_members(std::vector<Move>& set, const std::vector<Move>& candidates) {
  double known = set.empty() ? 0 : gain(run_one(set));
  while (set.size() < most_members) {
    std::vector<std::vector<Move>> larger;
    std::vector<Move> added;
    for (const Move& candidate : candidates) {
      if (holds(set, candidate.parameter)) continue;
      larger.push_back(set);
      larger.back().push_back(candidate);
      added.push_back(candidate);
    }
    const std::vector<Outcome> outcomes = run_moves(larger);
    std::size_t best = added.size();
    for (std::size_t i = 0; i < added.size(); ++i)
      if (outcomes[i].done() && (best == added.size() || outcomes[i].time < outcomes[best].time)) best = i;
    if (best == added.size() || gain(outcomes[best]) - known < least_member) return;
    set.push_back(added[best]);
    known = gain(outcomes[best]);
  }
}

/// Removes the members whose absence costs nothing.
void BottleneckSearch::drop_members(std::vector<Move>& set) {
  while (set.size() > 1) {
    const double known = gain(run_one(set));
    std::vector<std::vector<Move>> smaller;
    for (const Move& move : set) smaller.push_back(without(set, move.parameter));
    const std::vector<Outcome> outcomes = run_moves(smaller);
    std::size_t best = set.size();
    for (std::size_t i = 0; i < set.size(); ++i)
      if (outcomes[i].done() && (best == set.size() || outcomes[i].time < outcomes[best].time)) best = i;
    if (best == set.size() || known - gain(outcomes[best]) >= least_member) return;
    set = smaller[best];
  }
}

}  // namespace tributary::measure
