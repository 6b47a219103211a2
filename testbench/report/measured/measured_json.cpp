#include <nlohmann/json.hpp>

#include "testbench/report/measured/measured_report.h"

namespace tributary {

using namespace measure;
using Json = nlohmann::ordered_json;

namespace {

Json moves_json(const Finding& finding, const std::vector<Move>& moves) {
  Json all = Json::array();
  for (const Move& move : moves) {
    const Parameter& p = finding.parameters[move.parameter];
    all.push_back({{"parameter", p.path}, {"from", p.value}, {"to", move.to}});
  }
  return all;
}

Json ladder_json(const Finding& finding, const Ladder& ladder) {
  Json all = Json::array();
  for (const Ladder::Rung& rung : ladder.rungs)
    all.push_back({{"factor", rung.factor}, {"parameters", moves_json(finding, rung.moves)}, {"gain", rung.gain}});
  return all;
}

/// Returns the steps that are done.
Json steps_json(const Finding& finding, const std::vector<Step>& steps) {
  Json all = Json::array();
  for (const Step& step : steps) {
    if (!step.outcome.done()) continue;
    const Parameter& p = finding.parameters[step.move.parameter];
    Json json = {{"parameter", p.path}, {"role", to_string(p.role)}, {"from", p.value}, {"to", step.move.to}};
    json["time_ns"] = step.outcome.time;
    json["gain"] = step.gain;
    if (step.move.pieces > 0) json["pieces"] = step.move.pieces;
    if (const auto elasticity = finding.elasticity(step.move.parameter)) json["elasticity"] = *elasticity;
    all.push_back(std::move(json));
  }
  return all;
}

Json refused_json(const Finding& finding) {
  Json all = Json::array();
  for (const auto* steps : {&finding.steps, &finding.choices})
    for (const Step& step : *steps)
      if (step.outcome.state == TrialState::refused || step.outcome.state == TrialState::failed)
        all.push_back({{"parameter", finding.parameters[step.move.parameter].path},
                       {"to", step.move.to},
                       {"reason", step.outcome.reason}});
  return all;
}

}  // namespace

Json measured_json(const Finding& finding, const MeasuredContext& context) {
  const char* const verdicts[] = {"unknown", "nothing", "single", "together"};
  Json json = {{"verdict", verdicts[static_cast<std::size_t>(finding.verdict)]},
               {"parameters", moves_json(finding, finding.bottleneck)},
               {"gain", finding.gain},
               {"equals", finding.equals},
               {"time_ns", finding.time},
               {"spread", finding.spread},
               {"eps", finding.eps},
               {"runs", finding.runs},
               {"missing", finding.missing}};
  if (!finding.reason.empty()) json["reason"] = finding.reason;
  if (!context.ended.empty()) json["ended"] = context.ended;
  json["steps"] = steps_json(finding, finding.steps);
  json["joint"] = nullptr;
  if (finding.joint)
    json["joint"] = {{"parameters", moves_json(finding, finding.joint->moves)},
                     {"gain", finding.joint->gain},
                     {"all", finding.joint->all}};
  json["ladder"] = ladder_json(finding, finding.verdict == Verdict::together ? finding.joint_ladder : finding.single_ladder);
  json["choices"] = steps_json(finding, finding.choices);
  json["inert"] = finding.inert;
  json["refused"] = refused_json(finding);
  json["not_run"] = finding.not_run;
  return json;
}

}  // namespace tributary
