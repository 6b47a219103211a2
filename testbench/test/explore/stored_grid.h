#pragma once
/// All points of a space with their objectives, stored from runs: searches are tested on them in milliseconds.
///
/// `push_grid.csv` and `netreduce_grid.csv` are the grids of docs/results/explore.md, which `scripts/reproduce explore`
/// runs again.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "testbench/explore/hypervolume.h"
#include "testbench/explore/search.h"

namespace tributary::explore {

class StoredGrid {
 public:
  static constexpr std::size_t objectives = 3;

  /// Reads a table whose last three columns are objectives, in the order of Space::at().
  explicit StoredGrid(const std::string& name) {
    std::ifstream file(std::string(TRIBUTARY_SOURCE_DIR "/testbench/test/explore/") + name);
    std::string line;
    std::vector<Variable> variables;
    for (bool head = true; std::getline(file, line); head = false) {
      std::vector<std::string> cells = split(line);
      if (head) variables.resize(cells.size() - objectives);
      for (std::size_t v = 0; v < variables.size(); ++v)
        if (head)
          variables[v].name = cells[v];
        else if (auto& values = variables[v].values; std::find(values.begin(), values.end(), cells[v]) == values.end())
          values.push_back(cells[v]);
      if (head) continue;
      Score score;
      for (std::size_t m = 0; m < objectives; ++m) score.objectives.push_back(std::stod(cells[variables.size() + m]));
      score.of = std::log(score.objectives[0]);
      scores_.push_back(std::move(score));
    }
    space_ = Space(variables);
    if (scores_.size() != space_.size()) throw std::runtime_error(name + " is not a whole grid");
  }

  const Space& space() const { return space_; }
  const std::vector<Score>& scores() const { return scores_; }
  const Score& at(const Point& point) const {
    std::size_t number = 0;
    for (std::size_t v = 0; v < point.size(); ++v) number = number * space_.values(v) + point[v];
    return scores_[number];
  }
  /// Returns the hypervolume in ln of the objectives, scaled to 0 and 1 over the grid, up to 1.1.
  double volume(const std::vector<Score>& scores) const {
    std::vector<std::vector<double>> points(scores.size());
    for (std::size_t m = 0; m < objectives; ++m) {
      const auto worse = [&](const Score& a, const Score& b) { return a.objectives[m] < b.objectives[m]; };
      const auto [least, most] = std::minmax_element(scores_.begin(), scores_.end(), worse);
      const double low = std::log(least->objectives[m]), range = std::log(most->objectives[m]) - low;
      for (std::size_t i = 0; i < scores.size(); ++i) points[i].push_back((std::log(scores[i].objectives[m]) - low) / range);
    }
    return hypervolume(points, std::vector<double>(objectives, 1.1));
  }
  /// Returns S1 of a variable over the whole grid: the variance of its means.
  double first_index(std::size_t variable) const { return variance(means({variable})) / variance(means(all())); }
  /// Returns ST: 1 - the variance of the means over this variable alone.
  double total_index(std::size_t variable) const {
    std::vector<std::size_t> others = all();
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(variable));
    return 1 - variance(means(others)) / variance(means(all()));
  }

 private:
  static std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> cells;
    std::stringstream rest(line);
    for (std::string cell; std::getline(rest, cell, ',');) cells.push_back(cell);
    return cells;
  }
  std::vector<std::size_t> all() const {
    std::vector<std::size_t> variables;
    for (std::size_t v = 0; v < space_.dimensions(); ++v) variables.push_back(v);
    return variables;
  }
  /// Returns the means of Score::of for each combination of values of some variables.
  std::vector<double> means(const std::vector<std::size_t>& variables) const {
    std::size_t groups = 1;
    for (const std::size_t v : variables) groups *= space_.values(v);
    std::vector<double> sums(groups, 0);
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      const Point point = space_.at(i);
      std::size_t group = 0;
      for (const std::size_t v : variables) group = group * space_.values(v) + point[v];
      sums[group] += *scores_[i].of;
    }
    for (double& sum : sums) sum *= static_cast<double>(groups) / static_cast<double>(scores_.size());
    return sums;
  }
  static double variance(const std::vector<double>& values) {
    double sum = 0, squares = 0;
    for (const double value : values) sum += value;
    for (const double value : values) squares += std::pow(value - sum / static_cast<double>(values.size()), 2);
    return squares / static_cast<double>(values.size());
  }

  Space space_;
  std::vector<Score> scores_;
};

}  // namespace tributary::explore
