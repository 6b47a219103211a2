#pragma once
/// The space of an exploration: variables, each with a list of values.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace tributary::explore {

/// Error in a space, a plan or a question: one line, without position (the reader adds file and line).
class PlanError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A point: the index of each variable's value.
using Point = std::vector<std::uint32_t>;

struct Variable {
  std::string name;
  std::vector<std::string> values;  ///< texts, at least one
  bool ordered = true;              ///< values rise or fall along the list; false for names
};

class Space {
 public:
  static constexpr std::size_t most_values = 4096;

  Space() = default;
  /// Throws PlanError without a variable, without a value, with too many of them, and with a value that occurs twice.
  explicit Space(std::vector<Variable> variables);

  const std::vector<Variable>& variables() const { return variables_; }
  std::size_t dimensions() const { return variables_.size(); }
  /// Returns the number of values of a variable.
  std::uint32_t values(std::size_t variable) const { return static_cast<std::uint32_t>(variables_[variable].values.size()); }
  /// Returns the number of points; at most 2^64 - 1.
  std::uint64_t size() const { return size_; }
  /// Returns a point by its number; the last variable changes fastest.
  Point at(std::uint64_t number) const;
  /// Returns the text of a point's value.
  const std::string& text(const Point& point, std::size_t variable) const {
    return variables_[variable].values[point[variable]];
  }
  /// Returns the variable of a name. Throws PlanError with the nearest names.
  std::size_t find(const std::string& name) const;
  /// Returns the point with these texts of the values, one for each variable. Throws PlanError.
  Point point_of(const std::vector<std::string>& texts) const;

 private:
  std::vector<Variable> variables_;
  std::uint64_t size_ = 1;
};

/// Returns `from`, and all values up to `to` by a step such as `x2` or `+128B`. Values are numbers, bytes, times or
/// bandwidths. Throws PlanError.
std::vector<std::string> stepped_values(const std::string& from, const std::string& to, const std::string& step);

}  // namespace tributary::explore
