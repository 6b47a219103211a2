#include "testbench/measure/moved_parameter.h"

#include <algorithm>
#include <cmath>

#include "modules/base/units.h"

namespace tributary::measure {
namespace {

/// Parses a quantity or a number in the unit of a parameter.
double parsed(const std::string& unit, const std::string& text) {
  if (unit == "B") return static_cast<double>(parse_bytes(text).value);
  if (unit == "ps") return static_cast<double>(parse_time(text).value);
  if (unit == "B/s") return static_cast<double>(parse_bandwidth(text).value);
  return parse_real(text);
}

std::string printed(const Parameter& parameter, double number) {
  const auto whole = static_cast<std::uint64_t>(number);
  if (parameter.unit == "B") return to_string(bytes(whole));
  if (parameter.unit == "ps") return to_string(picoseconds(whole));
  if (parameter.unit == "B/s") return to_string(bytes_per_second(whole));
  return parameter.whole ? std::to_string(whole) : print_real(number);
}

double number_in(const ParameterValue& value) {
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return 0;
}

Parameter parameter_of(const ParameterField& asked, const ParameterField& used) {
  Parameter p;
  p.path = used.path, p.role = used.note.role(), p.unit = used.unit, p.value = used.print();
  if (!asked.is_default()) p.standard = asked.default_text;
  if (!used.numeric) {
    p.choices = used.choices;
    return p;
  }
  const ParameterValue value = used.value();
  p.number = number_in(value);
  p.whole = !std::holds_alternative<double>(value);
  const Note& note = used.note;
  if (!note.min().empty()) p.least = parsed(p.unit, note.min());
  if (!note.max().empty()) p.most = parsed(p.unit, note.max());
  if (!note.multiple().empty()) p.multiple = parsed(p.unit, note.multiple());
  return p;
}

}  // namespace

std::string Parameter::group() const {
  const std::size_t first = path.find('.');
  return path.substr(0, first == std::string::npos ? first : path.find('.', first + 1));
}

std::optional<std::string> scaled(const Parameter& parameter, double factor) {
  if (!parameter.is_scalable()) return std::nullopt;
  double number = parameter.number * factor;
  if (parameter.whole) {
    const double steps = number / parameter.multiple;
    number = (factor > 1 ? std::ceil(steps - 1e-9) : std::floor(steps + 1e-9)) * parameter.multiple;
  }
  number = std::min(std::max(number, parameter.least), parameter.most);
  if (number <= 0 || number == parameter.number) return std::nullopt;
  if ((factor > 1) != (number > parameter.number)) return std::nullopt;  // the present value lies outside of the range
  return printed(parameter, number);
}

double number_of(const Parameter& parameter, const std::string& text) {
  return parameter.choices.empty() && text != "auto" ? parsed(parameter.unit, text) : 0;
}

std::vector<Parameter> movable_parameters(const ParameterSet& asked, const ParameterSet& used,
                                          const std::function<bool(const std::string&)>& accepts) {
  std::vector<Parameter> all;
  for (std::size_t i = 0; i < used.fields().size(); ++i) {
    if (!accepts(used.fields()[i].path)) continue;
    Parameter p = parameter_of(asked.fields()[i], used.fields()[i]);
    if (p.is_scalable() || p.choices.size() > 1 || (!p.standard.empty() && p.choices.empty() && used.fields()[i].numeric))
      all.push_back(std::move(p));
  }
  return all;
}

}  // namespace tributary::measure
