#include "testbench/measure/bottleneck_search.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace tributary::measure {
namespace {

constexpr double least_eps = 0.01;      // gains below are noise in any run
constexpr std::size_t small_steps = 8;  // parameters that are also moved by a quarter

Changes changes_of(const std::vector<Parameter>& parameters, const std::vector<Move>& moves) {
  Changes changes;
  for (const Move& move : moves) changes[parameters[move.parameter].path] = move.to;
  return changes;
}

/// Returns true for roles that may be called a bottleneck.
bool can_bound(ParameterRole role) {
  return role == ParameterRole::rate || role == ParameterRole::cycle || role == ParameterRole::delay ||
         role == ParameterRole::room;
}

}  // namespace

BottleneckSearch::BottleneckSearch(std::vector<Parameter> parameters, const std::vector<std::string>& first,
                                   TrialRunner& runner, double message)
    : message_(message), trials_(runner) {
  finding_.parameters = std::move(parameters);
  for (const std::string& path : first) {
    Parameter named;
    named.path = path;
    first_.push_back(named.group());
  }
}

std::size_t BottleneckSearch::expected_runs() const {
  std::size_t numbers = 0;
  for (const Parameter& p : finding_.parameters) numbers += p.choices.empty() ? 1 : 0;
  return 2 * group_names().size() + 2 * numbers / 3 + 30;
}

/// Returns the groups of the parameters, those of `first` first.
std::vector<std::string> BottleneckSearch::group_names() const {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const std::string& name : first_)
    if (!members(name).empty()) add(name);
  for (const Parameter& p : finding_.parameters) add(p.group());
  return names;
}

std::vector<std::size_t> BottleneckSearch::members(const std::string& group) const {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < finding_.parameters.size(); ++i)
    if (finding_.parameters[i].group() == group) all.push_back(i);
  return all;
}

std::vector<Move> BottleneckSearch::moves(const std::vector<std::size_t>& members, double factor) const {
  std::vector<Move> all;
  for (const std::size_t i : members)
    if (const auto to = scaled(finding_.parameters[i], factor)) all.push_back({i, factor, *to});
  return all;
}

Outcome BottleneckSearch::run_one(const std::vector<Move>& moves) { return run_moves({moves}).front(); }

std::vector<Outcome> BottleneckSearch::run_moves(const std::vector<std::vector<Move>>& all) {
  std::vector<Trial> trials;
  for (const auto& moves : all) trials.push_back({changes_of(finding_.parameters, moves), 0});
  return trials_.run(trials);
}

Finding BottleneckSearch::run() {
  if (run_base()) {
    screen_groups();
    run_singles();
    run_small_steps();
    run_joint();
    run_ladders();
    judge();
  }
  finding_.runs = trials_.runs();
  finding_.missing = trials_.missing();
  return finding_;
}

bool BottleneckSearch::run_base() {
  const std::vector<Outcome> base = trials_.run({{{}, 0}, {{}, 1}, {{}, 2}});
  if (!base.front().done() || base.front().time <= 0) {
    finding_.reason = base.front().reason;
    return false;
  }
  finding_.time = base.front().time;
  double least = finding_.time, most = finding_.time;
  for (const Outcome& outcome : base)
    if (outcome.done()) least = std::min(least, outcome.time), most = std::max(most, outcome.time);
  finding_.spread = (most - least) / finding_.time;
  finding_.eps = std::max(least_eps, 3 * finding_.spread);
  return true;
}

/// Moves the numbers of each group together, up and down. A group whose runs equal the base is inert.
void BottleneckSearch::screen_groups() {
  const std::string base = run_one({}).trace;
  std::vector<std::vector<Move>> all;
  const std::vector<std::string> names = group_names();
  for (const std::string& name : names)
    for (const double factor : {2.0, 0.5}) all.push_back(moves(members(name), factor));
  const std::vector<Outcome> outcomes = run_moves(all);
  for (std::size_t g = 0; g < names.size(); ++g) {
    bool inert = !all[2 * g].empty() || !all[2 * g + 1].empty();
    for (const std::size_t i : {2 * g, 2 * g + 1})
      inert = inert && (all[i].empty() || (outcomes[i].done() && outcomes[i].trace == base));
    for (const std::size_t i : members(names[g])) {
      if (!inert)
        live_.push_back(i);
      else if (finding_.parameters[i].choices.empty())
        finding_.inert.push_back(finding_.parameters[i].path);
    }
  }
}

void BottleneckSearch::run_singles() {
  std::vector<std::vector<Move>> all;
  for (const std::size_t i : live_) {
    const Parameter& p = finding_.parameters[i];
    for (const double factor : {2.0, 0.5})
      if (const auto to = scaled(p, factor)) all.push_back({{i, factor, *to}});
    if (!p.standard.empty() && p.choices.empty()) all.push_back({{i, 0, p.standard}});
    if (const auto fewer = fewer_pieces(p, message_)) all.push_back({{i, 0, fewer->to, fewer->pieces}});
  }
  const std::size_t numbers = all.size();
  for (const std::size_t i : live_)
    for (const std::string& name : finding_.parameters[i].choices)
      if (name != finding_.parameters[i].value) all.push_back({{i, 0, name}});
  const std::vector<Outcome> outcomes = run_moves(all);
  std::set<std::string> missing;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Move& move = all[k].front();
    const Outcome& outcome = outcomes[k];
    if (outcome.state == TrialState::not_run && missing.insert(finding_.parameters[move.parameter].path).second)
      finding_.not_run.push_back(finding_.parameters[move.parameter].path);
    (k < numbers ? finding_.steps : finding_.choices).push_back({move, outcome, gain(outcome)});
  }
}

/// Moves the parameters with the largest effect by a quarter, for their elasticity.
void BottleneckSearch::run_small_steps() {
  std::vector<const Step*> strongest;
  for (const std::size_t i : live_)
    if (const Step* s = finding_.strongest(i); s != nullptr && s->gain != 0) strongest.push_back(s);
  std::stable_sort(strongest.begin(), strongest.end(),
                   [](const Step* a, const Step* b) { return std::abs(a->gain) > std::abs(b->gain); });
  if (strongest.size() > small_steps) strongest.resize(small_steps);
  std::vector<std::vector<Move>> all;
  for (const Step* s : strongest) {
    const std::size_t i = s->move.parameter;
    const Parameter& p = finding_.parameters[i];
    const Step* best = finding_.best(i);
    const bool up = can_bound(p.role) ? !p.is_better_below() : best->move.factor > 1;
    const double factor = up ? 1.25 : 0.8;
    if (const auto to = scaled(p, factor)) all.push_back({{i, factor, *to}});
  }
  const std::vector<Outcome> outcomes = run_moves(all);
  for (std::size_t k = 0; k < all.size(); ++k) finding_.steps.push_back({all[k].front(), outcomes[k], gain(outcomes[k])});
}

const Step* BottleneckSearch::best_single() const {
  const Step* best = nullptr;
  for (const Step& s : finding_.steps)
    if (s.outcome.done() && can_bound(finding_.parameters[s.move.parameter].role) &&
        (best == nullptr || s.gain > best->gain))
      best = &s;
  return best;
}

/// Continues the best parameter and the joint set by further doublings.
void BottleneckSearch::run_ladders() {
  constexpr std::size_t most_rungs = 7;  // the first one is known
  struct Climb {
    std::vector<std::size_t> members;
    Ladder* ladder;
    std::vector<Move> first;
    double gain;
  };
  std::vector<Climb> climbs;
  const Step* single = best_single();
  if (single != nullptr && single->gain >= finding_.eps && (single->move.factor == 2 || single->move.factor == 0.5))
    climbs.push_back({{}, &finding_.single_ladder, {single->move}, single->gain});
  if (finding_.joint && !finding_.joint->moves.empty())
    climbs.push_back({{}, &finding_.joint_ladder, finding_.joint->moves, finding_.joint->gain});
  for (Climb& climb : climbs) climb.ladder->rungs.push_back({2, climb.first, climb.gain});
  for (double factor = 4; !climbs.empty(); factor *= 2) {
    std::vector<std::vector<Move>> all;
    for (const Climb& climb : climbs) {
      std::vector<Move> next;
      for (const Move& move : climb.first) {
        const double by = move.factor > 1 ? factor : move.factor > 0 ? 1 / factor : 0;
        const auto to = by > 0 ? scaled(finding_.parameters[move.parameter], by) : std::optional<std::string>(move.to);
        next.push_back({move.parameter, by, to ? *to : move.to});
      }
      all.push_back(std::move(next));
    }
    const std::vector<Outcome> outcomes = run_moves(all);
    std::vector<Climb> going;
    for (std::size_t i = 0; i < climbs.size(); ++i) {
      auto& rungs = climbs[i].ladder->rungs;
      const bool moved = changes_of(finding_.parameters, all[i]) != changes_of(finding_.parameters, rungs.back().moves);
      if (!outcomes[i].done() || !moved) continue;
      const double more = gain(outcomes[i]) - rungs.back().gain;
      rungs.push_back({factor, all[i], gain(outcomes[i])});
      if (more >= finding_.eps && rungs.size() < most_rungs) going.push_back(climbs[i]);
    }
    climbs = std::move(going);
  }
}

void BottleneckSearch::judge() {
  const Step* single = best_single();
  const double alone = single == nullptr ? 0 : single->gain;
  if (finding_.joint && finding_.joint->moves.size() > 1 && finding_.joint->gain - alone > std::max(0.02, finding_.eps)) {
    finding_.verdict = Verdict::together;
    finding_.bottleneck = finding_.joint->moves;
    finding_.gain = finding_.joint->gain;
    return;
  }
  if (single == nullptr || alone < finding_.eps) {
    finding_.verdict = Verdict::nothing;
    return;
  }
  finding_.verdict = Verdict::single;
  finding_.bottleneck = {single->move};
  finding_.gain = alone;
  for (std::size_t i = 0; i < finding_.parameters.size(); ++i) {
    const Step* other = finding_.best(i);
    if (i != single->move.parameter && other != nullptr && std::abs(other->gain - alone) < 0.001)
      finding_.equals.push_back(finding_.parameters[i].path);
  }
}

}  // namespace tributary::measure
