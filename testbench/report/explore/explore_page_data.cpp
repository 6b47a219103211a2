#include "testbench/report/explore/explore_page_data.h"

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "testbench/report/plot/colour_scale.h"

namespace tributary::html {
namespace {

using Json = nlohmann::ordered_json;

/// Numbers the words of texts.
class Words {
 public:
  /// Returns the numbers of the words of a text.
  Json numbers_of(const std::string& text) {
    Json numbers = Json::array();
    for (std::size_t at = 0; !text.empty() && at <= text.size();) {
      const std::size_t end = std::min(text.find(' ', at), text.size());
      numbers.push_back(number_of(text.substr(at, end - at)));
      at = end + 1;
    }
    return numbers;
  }
  std::size_t number_of(const std::string& word) {
    const auto [found, is_new] = numbers_.emplace(word, words_.size());
    if (is_new) words_.push_back(word);
    return found->second;
  }
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::vector<std::string> words_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

/// Returns a number with nine significant digits.
double rounded(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", x);
  return std::strtod(text, nullptr);
}

Json number_json(const PageColumn& column, const std::optional<double>& value) {
  if (!value) return nullptr;
  if (column.is_variable()) return static_cast<std::size_t>(*value);
  return rounded(*value);
}

Json column_json(const PageColumn& column) {
  Json json = {{"name", column.name}};
  if (!column.unit.empty()) json["unit"] = column.unit;
  if (!column.goal.empty()) json["goal"] = column.goal;
  if (column.is_variable()) json["values"] = column.values, json["ordered"] = column.ordered;
  json["data"] = Json::array();
  for (const auto& value : column.data) json["data"].push_back(number_json(column, value));
  return json;
}

template <class T>
Json or_nothing(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// Adds a list for each workload, with the words of each point's text.
void add_texts(Json& json, const char* name, const ExploreReport& report,
               std::vector<std::string> ExploreReport::Point::*texts, Words& words) {
  json[name] = Json::array();
  for (std::size_t w = 0; w < report.workloads.size(); ++w) {
    Json list = Json::array();
    for (const ExploreReport::Point& point : report.points)
      list.push_back(words.numbers_of(w < (point.*texts).size() ? (point.*texts)[w] : ""));
    json[name].push_back(std::move(list));
  }
}

void add_points(Json& json, const ExploreReport& report) {
  Words reasons;
  reasons.number_of("");
  for (const char* name : {"generation", "rung", "feasible", "reason"}) json[name] = Json::array();
  for (const ExploreReport::Point& point : report.points) {
    json["generation"].push_back(point.generation);
    json["rung"].push_back(point.rung);
    json["feasible"].push_back(point.violation == 0.0 ? 1 : 0);
    json["reason"].push_back(reasons.number_of(point.reason));
  }
  json["reasons"] = reasons.words();
}

Json growth_json(const ExploreReport& report) {
  Json json = {{"points", Json::array()}, {"values", Json::array()}};
  for (const GrowthPoint& at : growth_of(report))
    json["points"].push_back(at.points), json["values"].push_back(rounded(at.hypervolume));
  return json;
}

}  // namespace

std::vector<GrowthPoint> growth_of(const ExploreReport& report) {
  std::vector<GrowthPoint> growth;
  if (!report.hypervolume) return growth;
  for (const double volume : report.hypervolume->generations) growth.push_back({0, volume});
  for (const ExploreReport::Point& point : report.points)
    for (std::size_t g = point.generation; g < growth.size(); ++g) ++growth[g].points;
  return growth;
}

nlohmann::ordered_json explore_page_data(const ExploreReport& report, const PageColumns& columns) {
  Json json = {{"x", columns.x}, {"y", columns.y}, {"colour", columns.colour}, {"columns", Json::array()}};
  for (const PageColumn& column : columns.all) json["columns"].push_back(column_json(column));
  add_points(json, report);
  json["front"] = report.front;
  json["knee"] = or_nothing(report.knee), json["baseline"] = or_nothing(report.baseline);
  json["workloads"] = report.workloads;
  Words words;
  add_texts(json, "commands", report, &ExploreReport::Point::commands, words);
  add_texts(json, "bottlenecks", report, &ExploreReport::Point::bottlenecks, words);
  json["words"] = words.words();
  if (report.hypervolume) json["hypervolume"] = growth_json(report);
  for (int i = 0; i < plot::scale_colours; ++i) json["colours"].push_back(plot::scale_colour(i));
  return json;
}

}  // namespace tributary::html
