#include "testbench/explore/expression.h"

#include <algorithm>
#include <cmath>

#include "modules/base/text_format.h"
#include "testbench/explore/expression_parser.h"

namespace tributary::explore {
namespace {

std::string shortened(const std::string& text) {
  constexpr std::size_t most = 80;
  return one_line(text.size() <= most ? text : text.substr(0, most) + "...");
}

/// An operand during a check: its dimension, and its value if that is constant.
struct Operand {
  Dimension dimension;
  std::optional<double> constant;
};

/// Returns the value of an operation; nothing and a reason where it has none. `x` has the operands.
Evaluation apply(Operation operation, const double* x, std::size_t count) {
  switch (operation) {
    case Operation::negate:
      return {-x[0], ""};
    case Operation::add:
      return {x[0] + x[1], ""};
    case Operation::subtract:
      return {x[0] - x[1], ""};
    case Operation::multiply:
      return {x[0] * x[1], ""};
    case Operation::divide:
      if (x[1] == 0) return {std::nullopt, "division by 0"};
      return {x[0] / x[1], ""};
    case Operation::minimum:
      return {*std::min_element(x, x + count), ""};
    case Operation::maximum:
      return {*std::max_element(x, x + count), ""};
    case Operation::geomean: {
      double sum = 0;
      for (std::size_t i = 0; i < count; ++i) {
        if (x[i] <= 0) return {std::nullopt, "geomean of a number that is not above 0"};
        sum += std::log(x[i]);
      }
      return {count == 1 ? x[0] : std::exp(sum / static_cast<double>(count)), ""};
    }
    case Operation::absolute:
      return {std::fabs(x[0]), ""};
    case Operation::log2:
      if (x[0] <= 0) return {std::nullopt, "log2 of a number that is not above 0"};
      return {std::log2(x[0]), ""};
    case Operation::ceil:
      return {std::ceil(x[0]), ""};
    default:
      return {};
  }
}

/// Returns the dimension of an operation's value. Throws std::invalid_argument.
Dimension dimension_after(Operation operation, const Operand* x, std::size_t count) {
  const auto same = [&](const char* what) {
    for (std::size_t i = 1; i < count; ++i)
      if (x[i].dimension != x[0].dimension)
        throw std::invalid_argument(std::string(what) + " needs equal units, but has " + x[0].dimension.name() + " and " +
                                    x[i].dimension.name());
    return x[0].dimension;
  };
  const auto number = [&](const char* what) {
    if (!x[0].dimension.is_plain())
      throw std::invalid_argument(std::string(what) + " needs a plain number, but has " + x[0].dimension.name());
    return x[0].dimension;
  };
  switch (operation) {
    case Operation::add:
      return same("+");
    case Operation::subtract:
      return same("-");
    case Operation::multiply:
      return x[0].dimension * x[1].dimension;
    case Operation::divide:
      if (x[1].constant && *x[1].constant == 0) throw std::invalid_argument("division by 0");
      return x[0].dimension / x[1].dimension;
    case Operation::minimum:
      return same("min");
    case Operation::maximum:
      return same("max");
    case Operation::geomean:
      return same("geomean");
    case Operation::log2:
      return number("log2");
    case Operation::ceil:
      return number("ceil");
    default:
      return x[0].dimension;
  }
}

/// Returns the constant value of an operation on constants.
std::optional<double> constant_after(Operation operation, const Operand* x, std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    if (!x[i].constant) return std::nullopt;
    values.push_back(*x[i].constant);
  }
  return apply(operation, values.data(), count).value;
}

}  // namespace

ExpressionError::ExpressionError(const std::string& text, const std::string& fault)
    : std::invalid_argument("'" + shortened(text) + "': " + one_line(fault)) {}

Expression Expression::parse(const std::string& text) {
  ExpressionParser parser(text);
  Expression read = parser.expression();
  if (parser.relation()) parser.fail("a comparison is no value (legal: under constraints)");
  if (!parser.at_end()) parser.fail_at_rest();
  return read;
}

Dimension Expression::check(const DimensionOf& dimension_of) const {
  std::vector<Operand> stack;
  try {
    for (const Instruction& step : program_) {
      if (step.operation == Operation::constant) {
        stack.push_back({step.constant.dimension, step.constant.value});
      } else if (step.operation == Operation::name) {
        stack.push_back({dimension_of(names_[step.name]), std::nullopt});
      } else {
        const Operand* const x = stack.data() + stack.size() - step.arguments;
        const Operand result{dimension_after(step.operation, x, step.arguments),
                             constant_after(step.operation, x, step.arguments)};
        stack.resize(stack.size() - step.arguments);
        stack.push_back(result);
      }
    }
  } catch (const ExpressionError&) {
    throw;
  } catch (const std::invalid_argument& fault) {
    throw ExpressionError(text_, fault.what());
  }
  return stack.back().dimension;
}

Evaluation Expression::evaluate(const ValueOf& value_of) const {
  std::vector<double> stack;
  for (const Instruction& step : program_) {
    Evaluation result;
    if (step.operation == Operation::constant) {
      result.value = step.constant.value;
    } else if (step.operation == Operation::name) {
      result = value_of(names_[step.name]);
    } else {
      result = apply(step.operation, stack.data() + stack.size() - step.arguments, step.arguments);
      stack.resize(stack.size() - step.arguments);
    }
    if (result.value && !std::isfinite(*result.value)) result = {std::nullopt, "the value is not finite"};
    if (!result.value) {
      if (step.operation != Operation::name) result.reason = "'" + shortened(text_) + "': " + result.reason;
      return result;
    }
    stack.push_back(*result.value);
  }
  return {stack.back(), ""};
}

Comparison Comparison::parse(const std::string& text) {
  ExpressionParser parser(text);
  Comparison read;
  read.text = text;
  read.left = parser.expression();
  const auto relation = parser.relation();
  if (!relation) {
    if (!parser.at_end()) parser.fail_at_rest();
    parser.fail("a comparison is missing (legal: <= >= < > == !=)");
  }
  read.relation = *relation;
  read.right = parser.expression();
  if (parser.relation()) parser.fail("two comparisons in one line (legal: a line for each)");
  if (!parser.at_end()) parser.fail_at_rest();
  return read;
}

void Comparison::check(const Expression::DimensionOf& dimension_of) const {
  const Dimension a = left.check(dimension_of), b = right.check(dimension_of);
  if (a != b) throw ExpressionError(text, "the sides have different units: " + a.name() + " and " + b.name());
}

Evaluation Comparison::violation(const Expression::ValueOf& value_of) const {
  const Evaluation a = left.evaluate(value_of);
  if (!a.value) return a;
  const Evaluation b = right.evaluate(value_of);
  if (!b.value) return b;
  const double x = *a.value, y = *b.value;
  const bool holds = relation == Relation::less            ? x < y
                     : relation == Relation::less_equal    ? x <= y
                     : relation == Relation::greater       ? x > y
                     : relation == Relation::greater_equal ? x >= y
                     : relation == Relation::equal         ? x == y
                                                           : x != y;
  if (holds) return {0.0, ""};
  const double larger = std::max(std::fabs(x), std::fabs(y));
  return {std::max(larger == 0 ? 0 : std::fabs(x - y) / larger, 1e-9), ""};
}

}  // namespace tributary::explore
