#include "testbench/cli/explore/explore_results.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "modules/base/field_type.h"
#include "testbench/explore/choices.h"
#include "testbench/explore/domination.h"
#include "testbench/report/plot/csv_cell.h"

namespace tributary {
namespace {

using explore::Dimension;
using Json = nlohmann::ordered_json;
namespace d = explore::dimensions;

struct ShownUnit {
  Dimension dimension;
  const char* suffix;
  const char* unit;
};
const std::vector<ShownUnit>& shown_units() {
  static const std::vector<ShownUnit> units{{d::time, "ns", "ns"},          {d::bytes, "B", "B"},
                                            {d::bandwidth, "GBps", "GB/s"}, {d::energy, "pJ", "pJ"},
                                            {d::area, "mm2", "mm2"},        {d::power, "W", "W"},
                                            {d::frequency, "MHz", "MHz"},   {d::energy_per_byte, "pJ_per_B", "pJ/B"}};
  return units;
}

std::string column_of(const explore::Objective& objective) {
  const std::string suffix = shown_unit(objective.dimension);
  return suffix.empty() ? objective.name : objective.name + "_" + suffix;
}

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

std::vector<explore::Score> scores_of(const std::vector<ExploredPoint>& points, const std::vector<std::size_t>& chosen) {
  std::vector<explore::Score> scores;
  for (const std::size_t i : chosen) scores.push_back(points[i].score);
  return scores;
}

}  // namespace

std::string shown_unit(const Dimension& dimension) {
  for (const ShownUnit& unit : shown_units())
    if (unit.dimension == dimension) return unit.suffix;
  return "";
}

double in_shown_unit(double value, const Dimension& dimension) {
  for (const ShownUnit& unit : shown_units()) {
    if (unit.dimension != dimension) continue;
    const explore::UnitName* const known = explore::find_unit(unit.unit);
    return known->divide == 1 ? value / known->multiply : value * known->divide;
  }
  return value;
}

ExploreResults::ExploreResults(const ExploreModel& model, const ExploreSearch& search,
                               const std::vector<ExploredPoint>& points, const std::string& ended)
    : model_(model), search_(search), points_(points), ended_(ended), fronts_(points.size()) {
  std::vector<std::size_t> full;  // points that ran in full
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].candidate.rung == 0) full.push_back(i);
    if (points[i].candidate.rung == 0 && model.baseline() && points[i].candidate.point == *model.baseline()) baseline_ = i;
  }
  if (model.problem().objectives().empty()) return;
  const std::vector<explore::Score> scores = scores_of(points, full);
  const std::vector<std::size_t> numbers = explore::front_numbers(scores);
  for (std::size_t i = 0; i < full.size(); ++i)
    if (scores[i].is_feasible()) fronts_[full[i]] = numbers[i];
  for (const std::size_t i : explore::front_of(scores)) front_.push_back(full[i]);
  const std::vector<explore::Score> members = scores_of(points, front_);
  if (const auto knee = explore::knee_of(members)) knee_ = front_[*knee];
  if (!baseline_ || !points[*baseline_].score.is_feasible()) return;
  if (const auto within = explore::best_within(members, points[*baseline_].score)) within_ = front_[*within];
}

std::vector<std::string> ExploreResults::header() const {
  std::vector<std::string> names;
  for (const ExploreVariable& variable : model_.file().variables) names.push_back(variable.variable.name);
  for (const explore::Objective& objective : model_.problem().objectives()) names.push_back(column_of(objective));
  if (model_.file().method.of) names.emplace_back("of");
  for (const char* name : {"violation", "front", "generation"}) names.emplace_back(name);
  if (has_rungs()) names.emplace_back("rung");
  if (model_.file().seeds > 1) names.emplace_back("spread");
  for (const char* name : {"runs", "reason"}) names.emplace_back(name);
  return names;
}

std::vector<std::string> ExploreResults::cells(std::size_t index) const {
  const ExploredPoint& point = points_[index];
  const explore::Problem& problem = model_.problem();
  const bool has_values = point.score.objectives.size() == problem.objectives().size();
  std::vector<std::string> cells;
  for (std::size_t v = 0; v < problem.space().dimensions(); ++v)
    cells.push_back(problem.space().text(point.candidate.point, v));
  for (std::size_t m = 0; m < problem.objectives().size(); ++m)
    cells.push_back(
        has_values ? print_real(in_shown_unit(problem.written(point.score, m), problem.objectives()[m].dimension)) : "");
  if (model_.file().method.of) cells.push_back(point.score.of ? print_real(*point.score.of) : "");
  cells.push_back(std::isinf(point.score.violation) ? "" : print_real(point.score.violation));
  cells.push_back(fronts_[index] ? std::to_string(*fronts_[index]) : "");
  cells.push_back(std::to_string(point.generation));
  if (has_rungs()) cells.push_back(std::to_string(point.candidate.rung));
  if (model_.file().seeds > 1) cells.push_back(print_real(point.spread));
  cells.push_back(point.ids);
  cells.push_back(point.score.reason);
  return cells;
}

std::string ExploreResults::csv(const std::vector<std::size_t>& rows) const {
  std::string text;
  const auto add = [&](const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) text += (&cell == cells.data() ? "" : ",") + csv_cell(cell);
    text += "\n";
  };
  add(header());
  for (const std::size_t row : rows) add(cells(row));
  return text;
}

std::string ExploreResults::points_csv() const {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < points_.size(); ++i) rows.push_back(i);
  return csv(rows);
}

std::string ExploreResults::front_csv() const { return csv(front_); }

Json ExploreResults::point_json(std::size_t index) const {
  const ExploredPoint& point = points_[index];
  const explore::Problem& problem = model_.problem();
  Json json = {{"variables", Json::object()}, {"objectives", Json::object()}};
  for (std::size_t v = 0; v < problem.space().dimensions(); ++v)
    json["variables"][problem.space().variables()[v].name] = problem.space().text(point.candidate.point, v);
  for (std::size_t m = 0; m < point.score.objectives.size(); ++m)
    json["objectives"][column_of(problem.objectives()[m])] =
        number(in_shown_unit(problem.written(point.score, m), problem.objectives()[m].dimension));
  json["runs"] = point.ids;
  if (!point.score.reason.empty()) json["reason"] = point.score.reason;
  return json;
}

Json ExploreResults::method_json() const {
  Json json = Json::object();
  const auto& variables = model_.problem().space().variables();
  if (search_.evolution != nullptr) {
    const explore::HypervolumeHistory& history = search_.evolution->history();
    json["hypervolume"] = {{"reference", history.reference()}, {"generations", Json::array()}};
    for (std::size_t g = 0; g < history.generations(); ++g) json["hypervolume"]["generations"].push_back(history.at(g));
  }
  if (search_.halving != nullptr)
    for (const explore::RungReport& rung : search_.halving->reports())
      json["rungs"].push_back({{"points", rung.points},
                               {"checked", rung.checked},
                               {"missed", rung.missed},
                               {"correlation", rung.correlation ? Json(*rung.correlation) : Json(nullptr)},
                               {"misleads", rung.misleads()}});
  if (search_.bisection != nullptr) {
    const explore::BisectionResult found = search_.bisection->result();
    const auto& values = variables[model_.problem().space().find(model_.file().method.variable)].values;
    json["bisection"] = {{"answer", found.answer ? Json(values[*found.answer]) : Json(nullptr)},
                         {"monotone", found.is_monotone},
                         {"counter_example", found.counter_example ? Json(values[*found.counter_example]) : Json(nullptr)},
                         {"drop", found.drop ? Json{values[found.drop->first], values[found.drop->second]} : Json(nullptr)}};
  }
  for (std::size_t v = 0; search_.morris != nullptr && v < variables.size(); ++v) {
    const explore::MorrisEffect& effect = search_.morris->effects()[v];
    json["morris"][variables[v].name] = {{"mu_star", effect.mu_star}, {"sigma", effect.sigma}, {"effects", effect.effects}};
  }
  for (std::size_t v = 0; search_.sobol != nullptr && v < variables.size(); ++v) {
    const explore::SobolIndex& index = search_.sobol->indices()[v];
    json["sobol"][variables[v].name] = {{"S1", index.first},
                                        {"S1_interval", {index.first_within.low, index.first_within.high}},
                                        {"ST", index.total},
                                        {"ST_interval", {index.total_within.low, index.total_within.high}}};
  }
  return json;
}

Json ExploreResults::json() const {
  Json json = {{"tributary", TRIBUTARY_VERSION},
               {"file", model_.file().path},
               {"method", model_.file().method.kind},
               {"seed", model_.file().seed},
               {"seeds", model_.file().seeds}};
  if (!ended_.empty()) json["ended"] = ended_;
  json["objectives"] = Json::array();
  for (const explore::Objective& objective : model_.problem().objectives())
    json["objectives"].push_back(
        {{"name", column_of(objective)}, {"of", objective.value.text()}, {"maximised", objective.maximised}});
  std::size_t infeasible = 0;
  for (const ExploredPoint& point : points_) infeasible += point.score.is_feasible() ? 0 : 1;
  json["points"] = points_.size();
  json["infeasible"] = infeasible;
  json["baseline"] = baseline_ ? point_json(*baseline_) : Json(nullptr);
  json["knee"] = knee_ ? point_json(*knee_) : Json(nullptr);
  json["within_baseline"] = within_ ? point_json(*within_) : Json(nullptr);
  json["front"] = Json::array();
  for (const std::size_t i : front_) json["front"].push_back(point_json(i));
  json.update(method_json());
  return json;
}

}  // namespace tributary
