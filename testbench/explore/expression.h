#pragma once
/// Arithmetic over named amounts: `16 * (table + buffer)`, `geomean(small.time, large.time)`, `sram <= 1MiB`.
///
/// Operators + - * /, functions min max geomean abs log2 ceil, parentheses, numbers with the units of parameters, names. A
/// unit follows its number without a blank: `4GB/s` is a rate, `4GB / s` a quotient.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "testbench/explore/amount.h"

namespace tributary::explore {

/// Error in an expression: one line with the text and the fault, without position (the reader adds file and line).
class ExpressionError : public std::invalid_argument {
 public:
  ExpressionError(const std::string& text, const std::string& fault);
};

/// Operations of an expression in postfix order.
enum class Operation : std::uint8_t {
  constant,
  name,
  negate,
  add,
  subtract,
  multiply,
  divide,
  minimum,
  maximum,
  geomean,
  absolute,
  log2,
  ceil
};

struct Instruction {
  Operation operation = Operation::constant;
  Amount constant = {};
  std::size_t name = 0;       ///< index of the name
  std::size_t arguments = 0;  ///< number of operands on the stack
};

/// The value of an expression, or the reason why it has none.
struct Evaluation {
  std::optional<double> value;
  std::string reason;
};

class Expression {
 public:
  /// Returns the dimension of a name. Throws std::invalid_argument with the fault for an unknown name.
  using DimensionOf = std::function<Dimension(const std::string&)>;
  /// Returns the value of a name in base units.
  using ValueOf = std::function<Evaluation(const std::string&)>;

  Expression() = default;
  /// `program` leaves one amount on the stack.
  Expression(std::string text, std::vector<Instruction> program, std::vector<std::string> names)
      : text_(std::move(text)), program_(std::move(program)), names_(std::move(names)) {}
  /// Throws ExpressionError.
  static Expression parse(const std::string& text);

  const std::string& text() const { return text_; }
  /// Returns each name of the expression once, in the order of the text.
  const std::vector<std::string>& names() const { return names_; }
  /// Returns the dimension of the value. Throws ExpressionError on units that do not agree, and on a division by a
  /// constant 0.
  Dimension check(const DimensionOf& dimension_of) const;
  Evaluation evaluate(const ValueOf& value_of) const;

 private:
  std::string text_;
  std::vector<Instruction> program_;
  std::vector<std::string> names_;
};

/// A condition: two expressions and a relation.
struct Comparison {
  enum class Relation : std::uint8_t { less, less_equal, greater, greater_equal, equal, different };

  /// Throws ExpressionError.
  static Comparison parse(const std::string& text);
  /// Throws ExpressionError, also on sides of different dimensions.
  void check(const Expression::DimensionOf& dimension_of) const;
  /// Returns 0 if the condition holds; else the difference of the sides relative to the larger one, at least 1e-9.
  Evaluation violation(const Expression::ValueOf& value_of) const;

  std::string text;
  Expression left, right;
  Relation relation = Relation::less_equal;
};

}  // namespace tributary::explore
