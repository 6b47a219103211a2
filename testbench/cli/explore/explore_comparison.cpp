#include "testbench/cli/explore/explore_comparison.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "testbench/cli/explore/explore_results.h"
#include "testbench/explore/choices.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

using Json = nlohmann::ordered_json;

explore::Score score_of(const std::vector<double>& values, const std::vector<bool>& maximised) {
  explore::Score score;
  for (std::size_t m = 0; m < values.size(); ++m) score.objectives.push_back(maximised[m] ? -values[m] : values[m]);
  return score;
}

std::vector<double> values_in(const Json& member, const explore::Problem& problem, const std::string& path) {
  const Json objectives = member.is_object() ? member.value("objectives", Json::object()) : Json::object();
  std::vector<double> values;
  for (const explore::Objective& objective : problem.objectives()) {
    const std::string column = column_of(objective);
    if (!objectives.is_object() || !objectives.contains(column) || !objectives[column].is_number())
      throw InputError("--compare: " + path + " has no objective " + column +
                       " (legal: an exploration with the same objectives)");
    values.push_back(objectives[column].get<double>());
  }
  return values;
}

}  // namespace

OtherFront read_front(const std::string& folder, const explore::Problem& problem) {
  const std::string path = folder + "/explore.json";
  std::ifstream file(path, std::ios::binary);
  const Json document = file ? Json::parse(file, nullptr, false) : Json();
  if (!document.is_object() || !document.contains("front") || !document["front"].is_array())
    throw InputError("--compare: '" + path + "' is no result of an exploration (legal: the folder of another --out)");
  std::vector<bool> maximised;
  for (const explore::Objective& objective : problem.objectives()) maximised.push_back(objective.maximised);
  OtherFront other{folder, {}};
  for (const Json& member : document["front"])
    other.members.push_back(score_of(values_in(member, problem, path), maximised));
  return other;
}

ExploreReport::Comparison compared(const ExploreReport& report, const OtherFront& other) {
  std::vector<bool> maximised;
  for (const auto& objective : report.objectives) maximised.push_back(objective.maximised);
  std::vector<explore::Score> own;
  for (const std::size_t i : report.front) own.push_back(score_of(report.points[i].objectives, maximised));
  return {other.folder, other.members.size(), explore::coverage(other.members, own), explore::coverage(own, other.members)};
}

}  // namespace tributary
