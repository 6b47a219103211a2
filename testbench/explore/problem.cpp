#include "testbench/explore/problem.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "modules/base/nearest.h"
#include "testbench/explore/characters.h"

namespace tributary::explore {
namespace {

constexpr std::size_t most_objectives = 4;

/// Returns the dimension that all numbers of a variable share; nothing if it has none, or a name other than `auto`.
std::optional<Dimension> common_dimension(const Variable& variable) {
  std::optional<Dimension> common;
  for (const std::string& text : variable.values) {
    const auto amount = read_amount(text);
    if (text == "auto") continue;
    if (!amount || (common && *common != amount->dimension)) return std::nullopt;
    common = amount->dimension;
  }
  return common;
}

}  // namespace

Problem::Problem(Space space, const Fields& fields) : space_(std::move(space)), fields_(fields) {
  for (const Variable& variable : space_.variables()) {
    if (!is_name(variable.name))
      throw PlanError("'" + variable.name + "' is no name (legal: letters, digits and _, no digit first)");
    if (find_unit(variable.name) != nullptr)
      throw PlanError("'" + variable.name + "' is the name of a unit (legal: another name)");
    dimensions_.push_back(common_dimension(variable));
    auto& amounts = amounts_.emplace_back();
    for (const std::string& text : variable.values) {
      const auto amount = dimensions_.back() ? read_amount(text) : std::nullopt;
      amounts.push_back(amount ? std::optional(amount->value) : std::nullopt);
    }
  }
}

std::optional<std::size_t> Problem::variable_of(const std::string& name) const {
  for (std::size_t v = 0; v < space_.dimensions(); ++v)
    if (space_.variables()[v].name == name) return v;
  return std::nullopt;
}

std::vector<std::string> Problem::known_names() const {
  std::vector<std::string> names;
  for (const Variable& variable : space_.variables()) names.push_back(variable.name);
  for (const auto& [name, definition] : definitions_) names.push_back(name);
  const std::vector<std::string> fields = fields_.names();
  names.insert(names.end(), fields.begin(), fields.end());
  return names;
}

void Problem::check_new(const std::string& name) const {
  if (!is_name(name)) throw PlanError("'" + name + "' is no name (legal: letters, digits and _, no digit first)");
  if (find_unit(name) != nullptr) throw PlanError("'" + name + "' is the name of a unit (legal: another name)");
  if (variable_of(name) || definitions_.count(name) != 0)
    throw PlanError("'" + name + "' has a meaning already (legal: another name)");
}

Dimension Problem::dimension_of(const std::string& name) const {
  if (const auto variable = variable_of(name)) {
    if (!dimensions_[*variable]) throw std::invalid_argument(name + " has names as values, no numbers");
    return *dimensions_[*variable];
  }
  const auto definition = definitions_.find(name);
  if (definition != definitions_.end()) return definition->second.second;
  if (const auto field = fields_.dimension_of(name)) return *field;
  throw std::invalid_argument(unknown_name("name", name, known_names(), false));
}

void Problem::define(const std::string& name, const std::string& text) {
  check_new(name);
  Expression read = Expression::parse(text);
  const Dimension dimension = read.check([&](const std::string& used) { return dimension_of(used); });
  definitions_[name] = {std::move(read), dimension};
}

void Problem::derive(const std::string& parameter, const std::string& text) {
  Derived read{parameter, Expression::parse(text), {}};
  read.dimension = read.value.check([&](const std::string& used) { return dimension_of(used); });
  text_of(read, space_.at(0));
  derived_.push_back(std::move(read));
}

std::string Problem::text_of(const Derived& derived, const Point& point) const {
  const Results none = [](const std::string& name) {
    return Evaluation{std::nullopt, name + " has a value only after a run"};
  };
  const Evaluation found = derived.value.evaluate([&](const std::string& used) { return value_of(used, point, none); });
  if (!found.value) throw PlanError(derived.parameter + ": " + found.reason + " (legal: variables and numbers)");
  try {
    return parameter_text({*found.value, derived.dimension});
  } catch (const std::invalid_argument& error) {
    throw PlanError(derived.parameter + ": " + error.what() + " (legal: a number, bytes, a time or a bandwidth)");
  }
}

std::vector<std::pair<std::string, std::string>> Problem::derived(const Point& point) const {
  std::vector<std::pair<std::string, std::string>> all;
  for (const Derived& one : derived_) all.emplace_back(one.parameter, text_of(one, point));
  return all;
}

void Problem::add_constraint(const std::string& text) {
  Comparison read = Comparison::parse(text);
  read.check([&](const std::string& used) { return dimension_of(used); });
  constraints_.push_back(std::move(read));
}

void Problem::add_objective(const std::string& name, const std::string& text, bool maximised) {
  if (objectives_.size() == most_objectives)
    throw PlanError("more than " + std::to_string(most_objectives) + " objectives (legal: 1 to " +
                    std::to_string(most_objectives) + ")");
  Objective read{name.empty() ? text : name, Expression::parse(text), maximised};
  read.dimension = read.value.check([&](const std::string& used) { return dimension_of(used); });
  for (const Objective& other : objectives_)
    if (other.name == read.name) throw PlanError("two objectives are named '" + read.name + "' (legal: the key `name`)");
  objectives_.push_back(std::move(read));
}

void Problem::set_of(const std::string& text, bool logarithmic) {
  of_ = Expression::parse(text);
  of_->check([&](const std::string& used) { return dimension_of(used); });
  logarithmic_ = logarithmic;
}

Evaluation Problem::value_of(const std::string& name, const Point& point, const Results& results) const {
  if (const auto variable = variable_of(name)) {
    const auto& amount = amounts_[*variable].at(point.at(*variable));
    return amount ? Evaluation{amount, ""} : results(name);
  }
  const auto definition = definitions_.find(name);
  if (definition == definitions_.end()) return results(name);
  return definition->second.first.evaluate([&](const std::string& used) { return value_of(used, point, results); });
}

std::optional<Score> Problem::without_run(const Point& point) const {
  const Results none = [](const std::string&) { return Evaluation{std::nullopt, "no run"}; };
  Score score;
  for (const Comparison& constraint : constraints_) {
    const Evaluation violation = constraint.violation([&](const std::string& used) { return value_of(used, point, none); });
    if (!violation.value || *violation.value == 0) continue;
    score.violation += *violation.value;
    score.reason += (score.reason.empty() ? "" : "; ") + constraint.text;
  }
  return score.violation > 0 ? std::optional(score) : std::nullopt;
}

Score Problem::score(const Point& point, const Results& results) const {
  const Expression::ValueOf value = [&](const std::string& used) { return value_of(used, point, results); };
  Score score;
  for (const Comparison& constraint : constraints_) {
    const Evaluation violation = constraint.violation(value);
    if (!violation.value) return failed(violation.reason);
    score.violation += *violation.value;
    if (*violation.value > 0) score.reason += (score.reason.empty() ? "" : "; ") + constraint.text;
  }
  for (const Objective& objective : objectives_) {
    const Evaluation found = objective.value.evaluate(value);
    if (!found.value) return failed(found.reason);
    score.objectives.push_back(objective.maximised ? -*found.value : *found.value);
  }
  if (!of_) return score;
  const Evaluation found = of_->evaluate(value);
  if (!found.value) return failed(found.reason);
  if (logarithmic_ && *found.value <= 0) return failed("'" + of_->text() + "' is not above 0, so it has no logarithm");
  score.of = logarithmic_ ? std::log(*found.value) : *found.value;
  return score;
}

Score Problem::failed(const std::string& reason) {
  Score score;
  score.violation = std::numeric_limits<double>::infinity();
  score.reason = reason;
  return score;
}

double Problem::written(const Score& score, std::size_t objective) const {
  return objectives_.at(objective).maximised ? -score.objectives.at(objective) : score.objectives.at(objective);
}

}  // namespace tributary::explore
