#include <cmath>

#include "modules/base/field_type.h"
#include "modules/base/text_format.h"
#include "testbench/explore/space.h"

namespace tributary::explore {
namespace {

template <class T>
double number_of(const T& x) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(x);
  else
    return static_cast<double>(x.value);
}

template <class T>
T value_of(double number) {
  if constexpr (std::is_same_v<T, double>) return number;
  T x{};
  if constexpr (std::is_arithmetic_v<T>)
    x = static_cast<T>(std::llround(number));
  else
    x.value = static_cast<std::uint64_t>(std::llround(number));
  return x;
}

template <class T>
T parsed(const std::string& text) {
  try {
    return FieldType<T>::parse(text);
  } catch (const UnitError& error) {
    throw PlanError(error.what());
  }
}

template <class T>
bool is_a(const std::string& text) {
  try {
    FieldType<T>::parse(text);
    return true;
  } catch (const UnitError&) {
    return false;
  }
}

/// Exact up to 2^53 base units, which is the range that a list of values needs.
template <class T>
std::vector<std::string> values_between(const std::string& from, const std::string& to, const std::string& step) {
  constexpr double exact = 9007199254740992.0;
  const bool factor = step[0] == 'x';
  const double least = number_of(parsed<T>(from)), most = number_of(parsed<T>(to));
  const double by = factor ? parsed<double>(step.substr(1)) : number_of(parsed<T>(step.substr(1)));
  if (most > exact || least < -exact) throw PlanError("'" + to + "' is too large for a list of values");
  if (least >= most) throw PlanError("from " + from + " to " + to + " is no range (legal: from less than to)");
  if (factor ? !(by > 1) || least <= 0 : !(by > 0))
    throw PlanError("step '" + step + "' does not lead from " + from + " to " + to +
                    " (legal: x2, or +1 in the unit of the values)");
  std::vector<std::string> values;
  double reached = least, next = least;
  while (next <= most * (1 + 1e-12)) {
    const T value = value_of<T>(next);
    if (!values.empty() && number_of(value) <= reached)
      throw PlanError("step '" + step + "' is too small for whole numbers from " + from);
    reached = number_of(value);
    values.push_back(FieldType<T>::print(value));
    if (values.size() > Space::most_values)
      throw PlanError("more than " + std::to_string(Space::most_values) + " values (legal: a larger step)");
    next = factor ? next * by : least + by * static_cast<double>(values.size());
  }
  return values;
}

}  // namespace

std::vector<std::string> stepped_values(const std::string& from, const std::string& to, const std::string& step) {
  if (step.size() < 2 || (step[0] != 'x' && step[0] != '+'))
    throw PlanError("step '" + one_line(step) + "' is not legal (legal: x2, or +128B in the unit of the values)");
  const bool whole =
      is_a<std::uint64_t>(from) && is_a<std::uint64_t>(to) && (step[0] == 'x' || is_a<std::uint64_t>(step.substr(1)));
  if (whole) return values_between<std::uint64_t>(from, to, step);
  if (is_a<double>(from)) return values_between<double>(from, to, step);
  if (is_a<Time>(from)) return values_between<Time>(from, to, step);
  if (is_a<Bandwidth>(from)) return values_between<Bandwidth>(from, to, step);
  return values_between<Bytes>(from, to, step);
}

}  // namespace tributary::explore
