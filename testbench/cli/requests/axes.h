#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tributary {

/// The axes of a sweep. Each axis is a list in a place where a scenario has one value. A scenario is read once for each
/// point, in any order. All readings meet the same axes in the same order, and each reading selects the elements of its
/// point.
class Axes {
 public:
  struct Axis {
    std::string name;  ///< key of the scenario, or path of a parameter
    std::vector<std::string> values;
    std::size_t chosen = 0;
  };

  using Values = std::function<std::vector<std::string>()>;

  /// Returns the index of the value that the present reading selects. `values` is called only in the first reading. `where`
  /// is the place of the list. Throws InputError if there is no value, a repeated value or name, or too many points.
  std::size_t choose(const std::string& name, const Values& values, const std::string& where);
  /// Prepares the reading of a point; the last axis changes fastest.
  void select(std::size_t point);

  const std::vector<Axis>& all() const { return axes_; }
  std::size_t points() const { return points_; }

 private:
  static constexpr std::size_t most_points = 100'000;

  void add(const std::string& name, const std::vector<std::string>& values, const std::string& where);

  std::vector<Axis> axes_;
  std::size_t met_ = 0;  ///< number of axes that the present reading has met
  std::size_t points_ = 1;
};

}  // namespace tributary
