// The file explore.json.
#include <cmath>
#include <nlohmann/json.hpp>

#include "testbench/report/explore/explore_report.h"

namespace tributary {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json point_json(const ExploreReport& report, std::size_t index) {
  const ExploreReport::Point& point = report.points[index];
  Json json = {{"variables", Json::object()}, {"objectives", Json::object()}};
  for (std::size_t v = 0; v < report.variables.size(); ++v) json["variables"][report.variables[v].name] = point.values[v];
  for (std::size_t m = 0; m < point.objectives.size(); ++m)
    json["objectives"][report.objectives[m].column] =
        std::isfinite(point.objectives[m]) ? Json(point.objectives[m]) : Json(nullptr);
  json["runs"] = point.runs;
  if (!point.reason.empty()) json["reason"] = point.reason;
  if (!point.commands.empty()) json["commands"] = point.commands;
  if (!point.bottlenecks.empty()) json["bottlenecks"] = point.bottlenecks;
  return json;
}

Json point_or_null(const ExploreReport& report, const std::optional<std::size_t>& index) {
  return index ? point_json(report, *index) : Json(nullptr);
}

Json rungs_json(const ExploreReport& report) {
  Json json = Json::array();
  for (const explore::RungReport& rung : report.rungs)
    json.push_back({{"points", rung.points},
                    {"checked", rung.checked},
                    {"missed", rung.missed},
                    {"correlation", or_null(rung.correlation)},
                    {"misleads", rung.misleads()}});
  return json;
}

Json bisection_json(const ExploreReport::Bisection& found) {
  return {{"variable", found.variable},
          {"of", found.of},
          {"keep", found.keep},
          {"answer", or_null(found.answer)},
          {"monotone", found.monotone},
          {"counter_example", or_null(found.counter_example)},
          {"drop", found.drop ? Json{found.drop->first, found.drop->second} : Json(nullptr)}};
}

Json tornado_json(const ExploreReport& report, const ExploreReport::Tornado& tornado) {
  Json json = {{"of", tornado.of}, {"at", Json::object()}, {"steps", Json::array()}};
  for (std::size_t v = 0; v < tornado.at.size(); ++v) json["at"][report.variables[v].name] = tornado.at[v];
  for (const ExploreReport::Step& step : tornado.steps)
    json["steps"].push_back({{"variable", step.variable},
                             {"from", step.from},
                             {"to", step.to},
                             {"gain", step.gain},
                             {"elasticity", or_null(step.elasticity)}});
  return json;
}

Json assumptions_json(const ExploreReport& report, const ExploreReport::Assumptions& all) {
  Json json = {{"members", Json::array()},
               {"examined", all.examined},
               {"refused", all.refused},
               {"zeros", all.zeros},
               {"live", Json::array()}};
  for (const std::size_t i : all.members) json["members"].push_back(point_json(report, i));
  for (const ExploreReport::Assumption& one : all.live)
    json["live"].push_back({{"parameter", one.parameter},
                            {"from", one.from},
                            {"to", one.to},
                            {"changes_order", one.changes_order},
                            {"ratios", one.ratios}});  // null where the member became infeasible
  return json;
}

void add_method(Json& json, const ExploreReport& report) {
  if (report.hypervolume)
    json["hypervolume"] = {{"reference", report.hypervolume->reference}, {"generations", report.hypervolume->generations}};
  if (!report.rungs.empty()) json["rungs"] = rungs_json(report);
  if (report.bisection) json["bisection"] = bisection_json(*report.bisection);
  for (std::size_t v = 0; v < report.morris.size(); ++v)
    json["morris"][report.variables[v].name] = {
        {"mu_star", report.morris[v].mu_star}, {"sigma", report.morris[v].sigma}, {"effects", report.morris[v].effects}};
  for (std::size_t v = 0; v < report.sobol.size(); ++v) {
    const explore::SobolIndex& index = report.sobol[v];
    json["sobol"][report.variables[v].name] = {{"S1", index.first},
                                               {"S1_interval", {index.first_within.low, index.first_within.high}},
                                               {"ST", index.total},
                                               {"ST_interval", {index.total_within.low, index.total_within.high}}};
  }
  if (report.tornado) json["tornado"] = tornado_json(report, *report.tornado);
  if (report.assumptions) json["assumptions"] = assumptions_json(report, *report.assumptions);
  if (report.comparison)
    json["comparison"] = {{"folder", report.comparison->folder},
                          {"members", report.comparison->members},
                          {"dominated", report.comparison->dominated},
                          {"dominates", report.comparison->dominates}};
}

}  // namespace

Json explore_json(const ExploreReport& report) {
  Json json = {{"schema", "explore.schema.json"}, {"tributary", report.version}, {"file", report.file},
               {"method", report.method},         {"seed", report.seed},         {"seeds", report.seeds}};
  if (!report.ended.empty()) json["ended"] = report.ended;
  json["workloads"] = report.workloads;
  json["variables"] = Json::array();
  for (const auto& variable : report.variables)
    json["variables"].push_back(
        {{"name", variable.name}, {"target", variable.target}, {"ordered", variable.ordered}, {"values", variable.values}});
  json["objectives"] = Json::array();
  for (const auto& objective : report.objectives)
    json["objectives"].push_back(
        {{"name", objective.column}, {"unit", objective.unit}, {"of", objective.text}, {"maximised", objective.maximised}});
  std::size_t infeasible = 0;
  for (const auto& point : report.points) infeasible += point.violation == 0.0 ? 0 : 1;
  json["points"] = report.points.size();
  json["infeasible"] = infeasible;
  json["baseline"] = point_or_null(report, report.baseline);
  json["knee"] = point_or_null(report, report.knee);
  json["within_baseline"] = point_or_null(report, report.within);
  json["front"] = Json::array();
  for (const std::size_t i : report.front) json["front"].push_back(point_json(report, i));
  add_method(json, report);
  return json;
}

}  // namespace tributary
