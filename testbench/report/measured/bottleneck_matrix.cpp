#include "testbench/report/measured/bottleneck_matrix.h"

#include <algorithm>
#include <optional>

#include "modules/base/text_format.h"
#include "testbench/report/html/page.h"

namespace tributary {

using namespace measure;

namespace {

constexpr std::size_t most_columns = 7;  // columns of the screen

/// Returns the largest gain of a parameter alone; nothing if the set-up does not have it or it is within noise.
std::optional<double> gain_of(const Finding& finding, const std::string& path) {
  for (std::size_t i = 0; i < finding.parameters.size(); ++i) {
    if (finding.parameters[i].path != path) continue;
    const Step* best = finding.best(i);
    if (best != nullptr && best->gain >= finding.eps) return best->gain;
  }
  return std::nullopt;
}

/// Returns the parameters that gain alone in any set-up, in the order of their largest gain.
std::vector<std::string> paths_of(const std::vector<FoundBottleneck>& found) {
  std::vector<std::pair<double, std::string>> all;
  for (const FoundBottleneck& one : found)
    for (const Parameter& p : one.finding.parameters) {
      const auto gain = gain_of(one.finding, p.path);
      if (!gain) continue;
      const auto known = std::find_if(all.begin(), all.end(), [&](const auto& entry) { return entry.second == p.path; });
      if (known == all.end())
        all.emplace_back(*gain, p.path);
      else
        known->first = std::max(known->first, *gain);
    }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> paths;
  for (const auto& [gain, path] : all) paths.push_back(path);
  return paths;
}

std::string cell(const Finding& finding, const std::string& path) {
  const auto gain = gain_of(finding, path);
  return gain ? fixed(100 * *gain, 1) + "%" : "";
}

}  // namespace

std::string bottleneck_matrix(const std::vector<FoundBottleneck>& found) {
  const std::vector<std::string> paths = paths_of(found);
  if (found.size() < 2 || found.size() > most_columns || paths.empty()) return "";
  std::string text = "gain of each parameter alone\n";
  for (std::size_t i = 0; i < found.size(); ++i) text += "  " + std::to_string(i + 1) + ": " + found[i].name + "\n";
  text += left("  parameter", 46);
  for (std::size_t i = 0; i < found.size(); ++i) text += right(std::to_string(i + 1), 7);
  text += "\n";
  for (const std::string& path : paths) {
    std::string line = left("  " + path, 46);
    for (const FoundBottleneck& one : found) line += right(cell(one.finding, path), 7);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string bottleneck_page(const std::vector<FoundBottleneck>& found) {
  html::Page page("tributary bottleneck");
  std::vector<std::vector<std::string>> rows;
  for (const FoundBottleneck& one : found) {
    const bool known = one.finding.verdict == Verdict::single || one.finding.verdict == Verdict::together;
    rows.push_back({one.name, one.finding.time > 0 ? fixed(one.finding.time * 1e-3, 3) : "", bottleneck_phrase(one.finding),
                    known ? fixed(100 * one.finding.gain, 1) : ""});
  }
  page.section("summary", "Summary", html::table({"set-up", "time (us)", "bottleneck", "less time (%)"}, rows));
  std::vector<std::string> head{"parameter"};
  for (const FoundBottleneck& one : found) head.push_back(one.name);
  std::vector<std::vector<std::string>> cells;
  for (const std::string& path : paths_of(found)) {
    cells.push_back({path});
    for (const FoundBottleneck& one : found) cells.back().push_back(cell(one.finding, path));
  }
  if (!cells.empty()) page.section("matrix", "Gain of each parameter alone", html::table(head, cells));
  for (std::size_t i = 0; i < found.size(); ++i)
    page.section("set-up-" + std::to_string(i + 1), found[i].name, measured_section(found[i].finding, found[i].context));
  return page.text();
}

}  // namespace tributary
