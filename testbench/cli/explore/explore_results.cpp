#include "testbench/cli/explore/explore_results.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "testbench/explore/choices.h"
#include "testbench/explore/domination.h"

namespace tributary {
namespace {

using explore::Dimension;
namespace d = explore::dimensions;

struct ShownUnit {
  Dimension dimension;
  const char* suffix;
  const char* unit;
};

/// Returns the unit in which results show a dimension; null for a plain number.
const ShownUnit* shown_unit(const Dimension& dimension) {
  static const std::vector<ShownUnit> units{{d::time, "ns", "ns"},          {d::bytes, "B", "B"},
                                            {d::bandwidth, "GBps", "GB/s"}, {d::energy, "pJ", "pJ"},
                                            {d::area, "mm2", "mm2"},        {d::power, "W", "W"},
                                            {d::frequency, "MHz", "MHz"},   {d::energy_per_byte, "pJ_per_B", "pJ/B"}};
  for (const ShownUnit& unit : units)
    if (unit.dimension == dimension) return &unit;
  return nullptr;
}

double in_shown_unit(double value, const Dimension& dimension) {
  const ShownUnit* const shown = shown_unit(dimension);
  if (shown == nullptr) return value;
  const explore::UnitName* const unit = explore::find_unit(shown->unit);
  return unit->divide == 1 ? value / unit->multiply : value * unit->divide;
}

std::vector<explore::Score> scores_of(const std::vector<ExploredPoint>& points, const std::vector<std::size_t>& chosen) {
  std::vector<explore::Score> scores;
  scores.reserve(chosen.size());
  for (const std::size_t i : chosen) scores.push_back(points[i].score);
  return scores;
}

void add_question(ExploreReport& report, const ExploreModel& model) {
  const ExploreFile& file = model.file();
  report.version = TRIBUTARY_VERSION;
  report.file = std::filesystem::path(file.path).filename().string();
  report.method = file.method.kind;
  report.seed = file.seed;
  report.seeds = file.seeds;
  for (const ExploreWorkload& workload : file.workloads) report.workloads.push_back(workload.name);
  for (const ExploreVariable& one : file.variables)
    report.variables.push_back({one.variable.name, one.target, one.variable.values, one.variable.ordered});
  for (const explore::Objective& one : model.problem().objectives()) {
    const ShownUnit* const unit = shown_unit(one.dimension);
    report.objectives.push_back(
        {one.name, column_of(one), unit == nullptr ? "" : unit->unit, one.value.text(), one.maximised});
  }
  if (file.method.of) report.of = file.method.of->text;
}

ExploreReport::Point point_of(const ExploreModel& model, const ExploredPoint& point) {
  const explore::Problem& problem = model.problem();
  ExploreReport::Point made;
  for (std::size_t v = 0; v < problem.space().dimensions(); ++v)
    made.values.push_back(problem.space().text(point.candidate.point, v));
  if (point.score.objectives.size() == problem.objectives().size())
    for (std::size_t m = 0; m < problem.objectives().size(); ++m)
      made.objectives.push_back(in_shown_unit(problem.written(point.score, m), problem.objectives()[m].dimension));
  made.of = point.score.of;
  if (!std::isinf(point.score.violation)) made.violation = point.score.violation;
  made.generation = point.generation;
  made.rung = point.candidate.rung;
  made.spread = point.spread;
  made.runs = point.ids;
  made.reason = point.score.reason;
  made.bottlenecks = point.bottlenecks;
  if (!point.ids.empty()) made.commands = model.commands_of(point.candidate);
  return made;
}

/// Numbers the fronts of the points that ran in full, and chooses knee, baseline and the best within the baseline.
void add_front(ExploreReport& report, const ExploreModel& model, const std::vector<ExploredPoint>& points) {
  std::vector<std::size_t> full;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].candidate.rung != 0) continue;
    full.push_back(i);
    if (model.baseline() && points[i].candidate.point == *model.baseline()) report.baseline = i;
  }
  if (report.objectives.empty()) return;
  const std::vector<explore::Score> scores = scores_of(points, full);
  const std::vector<std::size_t> numbers = explore::front_numbers(scores);
  for (std::size_t i = 0; i < full.size(); ++i)
    if (scores[i].is_feasible()) report.points[full[i]].front = numbers[i];
  for (const std::size_t i : explore::front_of(scores)) report.front.push_back(full[i]);
  const std::vector<explore::Score> members = scores_of(points, report.front);
  if (const auto knee = explore::knee_of(members)) report.knee = report.front[*knee];
  if (!report.baseline || !points[*report.baseline].score.is_feasible()) return;
  if (const auto within = explore::best_within(members, points[*report.baseline].score))
    report.within = report.front[*within];
}

ExploreReport::Bisection bisection_of(const ExploreModel& model, const explore::Bisection& search) {
  const ExploreMethod& method = model.file().method;
  const explore::Space& space = model.problem().space();
  const auto& values = space.variables()[space.find(method.variable)].values;
  const explore::BisectionResult found = search.result();
  ExploreReport::Bisection made;
  made.variable = method.variable, made.of = method.of->text, made.keep = method.keep;
  made.monotone = found.is_monotone, made.reason = found.reason;
  if (found.answer) made.answer = values[*found.answer];
  if (found.counter_example) made.counter_example = values[*found.counter_example];
  if (found.drop) made.drop = {values[found.drop->first], values[found.drop->second]};
  return made;
}

ExploreReport::Tornado tornado_of(const ExploreModel& model, const explore::OneAtATime& search) {
  const explore::Problem& problem = model.problem();
  ExploreReport::Tornado made;
  made.of = model.file().method.of->text;
  for (std::size_t v = 0; v < problem.space().dimensions(); ++v) made.at.push_back(problem.space().text(*search.at(), v));
  for (const explore::VariableMove& move : search.moves()) {
    if (!move.change) continue;
    const explore::Variable& variable = problem.space().variables()[move.variable];
    const std::uint32_t from = (*search.at())[move.variable];
    ExploreReport::Step step{variable.name, variable.values[from], variable.values[move.to], 1 - std::exp(*move.change), {}};
    const auto before = problem.amount(move.variable, from), after = problem.amount(move.variable, move.to);
    if (before && after && *before > 0 && *after > 0) step.elasticity = *move.change / std::log(*after / *before);
    made.steps.push_back(std::move(step));
  }
  std::stable_sort(made.steps.begin(), made.steps.end(),
                   [](const auto& a, const auto& b) { return std::fabs(a.gain) > std::fabs(b.gain); });
  return made;
}

void add_method(ExploreReport& report, const ExploreModel& model, const ExploreSearch& search) {
  if (search.evolution != nullptr) {
    const explore::HypervolumeHistory& history = search.evolution->history();
    report.hypervolume = ExploreReport::Hypervolumes{history.reference(), {}};
    for (std::size_t g = 0; g < history.generations(); ++g) report.hypervolume->generations.push_back(history.at(g));
  }
  if (search.halving != nullptr) report.rungs = search.halving->reports();
  if (search.bisection != nullptr) report.bisection = bisection_of(model, *search.bisection);
  if (search.one_at_a_time != nullptr && search.one_at_a_time->at())
    report.tornado = tornado_of(model, *search.one_at_a_time);
  if (search.morris != nullptr) report.morris = search.morris->effects();
  if (search.sobol != nullptr) report.sobol = search.sobol->indices();
}

}  // namespace

std::string column_of(const explore::Objective& objective) {
  const ShownUnit* const unit = shown_unit(objective.dimension);
  return unit == nullptr ? objective.name : objective.name + "_" + unit->suffix;
}

ExploreReport report_of(const ExploreModel& model, const ExploreSearch& search, const std::vector<ExploredPoint>& points,
                        const std::string& ended) {
  ExploreReport report;
  add_question(report, model);
  report.ended = ended;
  report.has_rungs = search.halving != nullptr;
  for (const ExploredPoint& point : points) report.points.push_back(point_of(model, point));
  add_front(report, model, points);
  add_method(report, model, search);
  return report;
}

}  // namespace tributary
