#pragma once
/// Problem: the names, constraints and objectives of an exploration; from the results of a point to its score.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbench/explore/expression.h"
#include "testbench/explore/search.h"

namespace tributary::explore {

/// The fields that the runs of an exploration have, by name: `large.time`, `area.total`.
class Fields {
 public:
  virtual ~Fields() = default;
  /// Returns nothing for an unknown name.
  virtual std::optional<Dimension> dimension_of(const std::string& name) const = 0;
  /// Returns names for suggestions.
  virtual std::vector<std::string> names() const = 0;
};

/// Values of the fields of one point in base units, and of variables whose value is automatic. A point that has no such
/// value returns the reason.
using Results = Expression::ValueOf;

struct Objective {
  std::string name;
  Expression value;
  bool maximised = false;
  Dimension dimension = {};
};

class Problem {
 public:
  /// `fields` outlives the problem.
  Problem(Space space, const Fields& fields);

  /// Defines a name for the expressions that follow. Throws ExpressionError or PlanError.
  void define(const std::string& name, const std::string& text);
  /// Sets a parameter of the runs to a value that follows from variables. Throws ExpressionError or PlanError.
  void derive(const std::string& parameter, const std::string& text);
  void add_constraint(const std::string& text);
  void add_objective(const std::string& name, const std::string& text, bool maximised);
  /// Sets the value that a bisection or a sensitivity is about; `logarithmic`: its logarithm, so it must be positive.
  void set_of(const std::string& text, bool logarithmic);

  const Space& space() const { return space_; }
  const std::vector<Objective>& objectives() const { return objectives_; }
  const std::vector<Comparison>& constraints() const { return constraints_; }

  /// Returns the derived parameters of a point with the texts of their values. Throws PlanError where there is no value.
  std::vector<std::pair<std::string, std::string>> derived(const Point& point) const;
  /// Returns the score of a point that violates a constraint of variables alone: it needs no run. Otherwise nothing.
  std::optional<Score> without_run(const Point& point) const;
  /// Returns the score of a point that has run. A missing value makes it infeasible.
  Score score(const Point& point, const Results& results) const;
  /// Returns the score of a point without results.
  static Score failed(const std::string& reason);

  /// Returns the value of an objective as the user wrote it: a maximised one is stored with the opposite sign.
  double written(const Score& score, std::size_t objective) const;
  /// Returns the amount of a variable's value; nothing for a name or an automatic value.
  std::optional<double> amount(std::size_t variable, std::uint32_t value) const { return amounts_[variable].at(value); }

 private:
  struct Derived {
    std::string parameter;
    Expression value;
    Dimension dimension;
  };

  Dimension dimension_of(const std::string& name) const;
  Evaluation value_of(const std::string& name, const Point& point, const Results& results) const;
  std::optional<std::size_t> variable_of(const std::string& name) const;
  std::string text_of(const Derived& derived, const Point& point) const;
  void check_new(const std::string& name) const;
  std::vector<std::string> known_names() const;

  Space space_;
  const Fields& fields_;
  std::vector<std::vector<std::optional<double>>> amounts_;  // by variable and value
  std::vector<std::optional<Dimension>> dimensions_;         // dimensions of variables; nothing for names
  std::map<std::string, std::pair<Expression, Dimension>> definitions_;
  std::vector<Derived> derived_;
  std::vector<Comparison> constraints_;
  std::vector<Objective> objectives_;
  std::optional<Expression> of_;
  bool logarithmic_ = false;
};

}  // namespace tributary::explore
