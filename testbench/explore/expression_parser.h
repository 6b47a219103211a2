#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/explore/expression.h"

namespace tributary::explore {

/// Parses one text by recursive descent. Errors are ExpressionError.
class ExpressionParser {
 public:
  explicit ExpressionParser(const std::string& text);

  /// Parses sums and products up to a relation or the end of the text.
  Expression expression();
  /// Returns the relation at the present place and passes it, or nothing.
  std::optional<Comparison::Relation> relation();
  bool at_end();
  [[noreturn]] void fail(const std::string& fault) const;
  /// Throws: the text goes on where it should end.
  [[noreturn]] void fail_at_rest();

 private:
  void sum();
  void product();
  void factor();
  void primary();
  void function_or_name();
  void call(const std::string& function);
  std::string word();
  bool pass(std::string_view symbol);
  void skip_blanks();
  void emit(Operation operation, std::size_t arguments);
  void enter();

  std::string text_;
  std::size_t at_ = 0, depth_ = 0;
  std::vector<Instruction> program_;
  std::vector<std::string> names_;
};

}  // namespace tributary::explore
