#include "testbench/explore/expression_parser.h"

#include <algorithm>

#include "modules/base/nearest.h"
#include "testbench/explore/characters.h"

namespace tributary::explore {
namespace {

constexpr std::size_t longest_text = 2000, deepest = 100;

struct Function {
  const char* name;
  Operation operation;
  std::size_t least, most;  ///< number of arguments
};
constexpr std::size_t any = 64;
constexpr Function functions[] = {{"min", Operation::minimum, 2, any},     {"max", Operation::maximum, 2, any},
                                  {"geomean", Operation::geomean, 1, any}, {"abs", Operation::absolute, 1, 1},
                                  {"log2", Operation::log2, 1, 1},         {"ceil", Operation::ceil, 1, 1}};

}  // namespace

ExpressionParser::ExpressionParser(const std::string& text) : text_(text) {
  if (text.size() > longest_text) fail("the text has more than " + std::to_string(longest_text) + " characters");
}

Expression ExpressionParser::expression() {
  program_.clear(), names_.clear();
  sum();
  return {text_, program_, names_};
}

void ExpressionParser::sum() {
  product();
  for (;;) {
    if (pass("+"))
      product(), emit(Operation::add, 2);
    else if (pass("-"))
      product(), emit(Operation::subtract, 2);
    else
      return;
  }
}

void ExpressionParser::product() {
  factor();
  for (;;) {
    if (pass("*"))
      factor(), emit(Operation::multiply, 2);
    else if (pass("/"))
      factor(), emit(Operation::divide, 2);
    else
      return;
  }
}

void ExpressionParser::factor() {
  std::size_t signs = 0;
  while (pass("-")) ++signs;
  primary();
  if (signs % 2 == 1) emit(Operation::negate, 1);
}

void ExpressionParser::primary() {
  skip_blanks();
  if (pass("(")) {
    enter();
    sum();
    if (!pass(")")) fail("a ) is missing");
    --depth_;
    return;
  }
  if (at_ < text_.size() && is_letter(text_[at_])) return function_or_name();
  if (at_ == text_.size() || !is_digit(text_[at_])) {
    if (at_ == text_.size()) fail("a number, a name or ( is missing at the end");
    fail(std::string("'") + text_[at_] + "' is no number, name or (");
  }
  const auto read = begins_with_amount(std::string_view(text_).substr(at_));
  if (!read)
    fail("'" + word() + "' is no number with a unit (legal: 128B, 25GB/s, 150ns, 2pJ, 0.5mm2, 300MHz, 4 and others)");
  at_ += read->length;
  program_.push_back({Operation::constant, read->amount, 0, 0});
}

void ExpressionParser::function_or_name() {
  const std::string name = word();
  if (pass("(")) return call(name);
  const auto found = std::find(names_.begin(), names_.end(), name);
  program_.push_back({Operation::name, {}, static_cast<std::size_t>(found - names_.begin()), 0});
  if (found == names_.end()) names_.push_back(name);
}

void ExpressionParser::call(const std::string& function) {
  const auto* const known =
      std::find_if(std::begin(functions), std::end(functions), [&](const Function& f) { return function == f.name; });
  if (known == std::end(functions)) {
    std::vector<std::string> names;
    for (const Function& f : functions) names.emplace_back(f.name);
    fail(unknown_name("function", function, names));
  }
  enter();
  std::size_t arguments = 0;
  if (!pass(")")) {
    do {
      sum();
      ++arguments;
    } while (pass(","));
    if (!pass(")")) fail(function + ": a ) is missing");
  }
  --depth_;
  if (arguments < known->least || arguments > known->most)
    fail(function + " has " + std::to_string(arguments) + " arguments (legal: " + std::to_string(known->least) +
         (known->most == known->least ? ")" : " to " + std::to_string(known->most) + ")"));
  emit(known->operation, arguments);
}

/// Returns a word with its points, `large.counters.evictions`, and passes it.
std::string ExpressionParser::word() {
  const std::size_t from = at_;
  while (at_ < text_.size()) {
    const bool inner_point =
        text_[at_] == '.' && at_ + 1 < text_.size() && (is_letter(text_[at_ + 1]) || is_digit(text_[at_ + 1]));
    if (!is_letter(text_[at_]) && !is_digit(text_[at_]) && !inner_point) break;
    ++at_;
  }
  return text_.substr(from, at_ - from);
}

std::optional<Comparison::Relation> ExpressionParser::relation() {
  using Relation = Comparison::Relation;
  if (pass("<=")) return Relation::less_equal;
  if (pass(">=")) return Relation::greater_equal;
  if (pass("==")) return Relation::equal;
  if (pass("!=")) return Relation::different;
  if (pass("<")) return Relation::less;
  if (pass(">")) return Relation::greater;
  return std::nullopt;
}

bool ExpressionParser::at_end() {
  skip_blanks();
  return at_ == text_.size();
}

bool ExpressionParser::pass(std::string_view symbol) {
  skip_blanks();
  if (std::string_view(text_).substr(at_, symbol.size()) != symbol) return false;
  at_ += symbol.size();
  return true;
}

void ExpressionParser::skip_blanks() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
}

void ExpressionParser::emit(Operation operation, std::size_t arguments) {
  program_.push_back({operation, {}, 0, arguments});
}

void ExpressionParser::enter() {
  if (++depth_ > deepest) fail("more than " + std::to_string(deepest) + " parentheses are open");
}

void ExpressionParser::fail(const std::string& fault) const { throw ExpressionError(text_, fault); }

void ExpressionParser::fail_at_rest() {
  skip_blanks();
  fail("'" + text_.substr(at_, 20) + "' follows where the expression ends (legal: + - * / and parentheses)");
}

}  // namespace tributary::explore
