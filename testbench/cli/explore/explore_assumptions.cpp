#include "testbench/cli/explore/explore_assumptions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "testbench/explore/domination.h"
#include "testbench/measure/moved_parameter.h"
#include "testbench/run/energy/prices.h"
#include "testbench/run/family.h"
#include "testbench/run/resolve.h"

namespace tributary {
namespace {

using explore::Candidate;
using explore::Score;
using Assumptions = ExploreReport::Assumptions;
using Scores = std::vector<Score>;

struct Change {
  std::string parameter, from, to;
};

bool is_assumption(const ParameterField& field) {
  return field.numeric() && std::string(field.note.source()).find("[G") != std::string::npos;
}

bool is_zero(const ParameterValue& value) {
  if (const auto* const whole = std::get_if<std::uint64_t>(&value)) return *whole == 0;
  const auto* const real = std::get_if<double>(&value);
  return real != nullptr && *real == 0;
}

/// Adds the changes of a run's assumptions that are not known yet. An assumption of 0 cannot be scaled. `prices`: energy or
/// area is a part of the question, and with it the assumed prices.
void add_changes(const RunSpec& spec, const std::vector<std::string>& chosen, bool prices, std::vector<Change>& changes,
                 std::vector<std::string>& zeros) {
  RunParameters asked = spec.parameters, used = resolve_parameters(spec);
  const Family& family = family_of(spec.platform);
  const ParameterSet &fields = used.fields(), &given = asked.fields();
  const auto accepts = [&](const std::string& path) {
    return has_parameter(family, path) && path.rfind("watchdog.", 0) != 0 && (prices || !is_price(path)) &&
           is_assumption(fields.at(path)) && given.at(path).is_default() &&
           std::find(chosen.begin(), chosen.end(), path) == chosen.end();
  };
  for (const measure::Parameter& parameter : measure::movable_parameters(given, fields, accepts)) {
    if (!parameter.is_scalable()) continue;
    for (const double factor : {2.0, 0.5})
      if (const auto to = measure::scaled(parameter, factor)) {
        const bool known = std::any_of(changes.begin(), changes.end(),
                                       [&](const Change& one) { return one.parameter == parameter.path && one.to == *to; });
        if (!known) changes.push_back({parameter.path, parameter.value, *to});
      }
  }
  for (const ParameterField& field : fields.fields())
    if (accepts(field.path) && is_zero(field.value()) && std::find(zeros.begin(), zeros.end(), field.path) == zeros.end())
      zeros.push_back(field.path);
}

/// Returns the knee and the members before and after it in the order of the first objective.
std::vector<std::size_t> members_of(const ExploreReport& report, const std::vector<ExploredPoint>& points) {
  std::vector<std::size_t> order;
  const auto objectives = [&](std::size_t i) { return points[i].score.objectives; };
  for (const std::size_t i : report.front)
    if (i == *report.knee || objectives(i) != objectives(*report.knee)) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return objectives(a) < objectives(b); });
  const auto knee = static_cast<std::size_t>(std::find(order.begin(), order.end(), *report.knee) - order.begin());
  std::vector<std::size_t> members{order[knee]};
  if (knee > 0) members.push_back(order[knee - 1]);
  if (knee + 1 < order.size()) members.push_back(order[knee + 1]);
  return members;
}

/// Returns the order of the members by the first objective, and which of them the others dominate.
std::pair<std::vector<std::size_t>, std::vector<std::size_t>> standing(const Scores& scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (scores[a].is_feasible() != scores[b].is_feasible()) return scores[a].is_feasible();
    return scores[a].is_feasible() && scores[a].objectives[0] < scores[b].objectives[0];
  });
  return {order, explore::front_of(scores)};
}

/// Returns the candidates of a member at some changes; they are numbered from 1.
std::vector<Candidate> changed(const explore::Point& point, const std::vector<std::size_t>& changes) {
  std::vector<Candidate> all;
  all.reserve(changes.size());
  for (const std::size_t change : changes) all.push_back({point, 0, change + 1});
  return all;
}

bool has_moved(const Score& now, const Score& before) {
  constexpr double noise = 1e-9;
  for (std::size_t m = 0; m < before.objectives.size(); ++m)
    if (std::fabs(now.objectives.at(m) - before.objectives[m]) > noise * std::fabs(before.objectives[m])) return true;
  return false;
}

}  // namespace

std::optional<Assumptions> examine_assumptions(ExploreModel& model, ExplorePool& pool, const ExploreReport& report,
                                               const std::vector<ExploredPoint>& points) {
  if (!report.knee) return std::nullopt;
  Assumptions found;
  found.members = members_of(report, points);
  const explore::Point& knee = points[*report.knee].candidate.point;
  std::vector<Change> changes;
  for (std::size_t w = 0; w < model.file().workloads.size(); ++w)
    add_changes(model.run_of({knee, 0}, w, 0).second.request.spec, model.chosen_parameters(), model.names_energy(), changes,
                found.zeros);
  std::vector<std::pair<std::string, std::string>> assignments;
  assignments.reserve(changes.size());
  for (const Change& change : changes) assignments.emplace_back(change.parameter, change.to);
  model.set_changes(assignments);
  std::vector<std::size_t> all(changes.size());
  std::iota(all.begin(), all.end(), 0);
  const auto at_knee = pool.run(changed(knee, all), 0);
  if (!at_knee) return std::nullopt;
  found.examined = changes.size();
  std::vector<std::size_t> live;
  for (const std::size_t i : all) {
    if (!at_knee->at(i).is_feasible())
      ++found.refused;
    else if (has_moved(at_knee->at(i), points[*report.knee].score))
      live.push_back(i);
  }
  Scores before;
  std::vector<Scores> now(live.size());
  for (const std::size_t member : found.members) {
    before.push_back(points[member].score);
    const auto scores = pool.run(changed(points[member].candidate.point, live), 1);
    if (!scores) return std::nullopt;
    for (std::size_t i = 0; i < live.size(); ++i) now[i].push_back(scores->at(i));
  }
  for (std::size_t i = 0; i < live.size(); ++i) {
    const Change& change = changes[live[i]];
    ExploreReport::Assumption one{change.parameter, change.from, change.to, standing(now[i]) != standing(before), {}};
    for (std::size_t m = 0; m < before.size(); ++m)
      one.ratios.push_back(now[i][m].is_feasible() ? now[i][m].objectives[0] / before[m].objectives[0] : std::nan(""));
    found.live.push_back(std::move(one));
  }
  return found;
}

}  // namespace tributary
