#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tributary {

/// The axes of a sweep: each is a list that stands where a scenario has one value. A scenario is read once for each point;
/// all readings meet the same axes in the same order, and take the element that is this point's turn.
class Axes {
 public:
  struct Axis {
    std::string name;  ///< key of the scenario, or path of a parameter
    std::vector<std::string> values;
    std::size_t chosen = 0;
  };

  using Values = std::function<std::vector<std::string>()>;

  /// Which of the values the present reading takes; `values` is asked at the first reading alone. `where` is the place of
  /// the list. Throws InputError: no value, a value or a name twice, too many points.
  std::size_t choose(const std::string& name, const Values& values, const std::string& where);
  /// Moves on to the next point, the last axis fastest. False after the last point.
  bool advance();

  const std::vector<Axis>& all() const { return axes_; }

 private:
  static constexpr std::size_t most_points = 100'000;

  void add(const std::string& name, const std::vector<std::string>& values, const std::string& where);

  std::vector<Axis> axes_;
  std::size_t met_ = 0;  ///< axes that the present reading has met
  std::size_t points_ = 1;
};

}  // namespace tributary
