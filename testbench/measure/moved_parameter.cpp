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
  p.path = used.path, p.role = used.note.role(), p.unit = used.unit(), p.value = used.print();
  if (!asked.is_default()) p.standard = asked.default_text;
  if (!used.numeric()) {
    p.choices = used.choices();
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

std::optional<FewerPieces> fewer_pieces(const Parameter& shape, double bytes) {
  if (shape.role != ParameterRole::shape || !shape.is_scalable() || shape.piece <= 0) return std::nullopt;
  const double pieces = std::ceil(bytes / (shape.number * shape.piece));
  if (pieces < 2) return std::nullopt;
  const double fewest = std::ceil(bytes / ((pieces - 1) * shape.piece));  // units that hold such a piece
  const double number = std::ceil(fewest / shape.multiple) * shape.multiple;
  if (number <= shape.number || number > shape.most) return std::nullopt;
  return FewerPieces{printed(shape, number), static_cast<std::uint64_t>(std::ceil(bytes / (number * shape.piece)))};
}

double number_of(const Parameter& parameter, const std::string& text) {
  return parameter.choices.empty() && text != "auto" ? parsed(parameter.unit, text) : 0;
}

std::vector<Parameter> movable_parameters(const ParameterSet& asked, const ParameterSet& used,
                                          const std::function<bool(const std::string&)>& accepts,
                                          const std::function<std::string(const std::string&)>& piece_of) {
  std::vector<Parameter> all;
  const auto bytes_of_unit = [&](const Parameter& p) {
    if (p.role != ParameterRole::shape || !p.choices.empty()) return 0.0;
    if (p.unit == "B") return 1.0;
    const std::string piece = piece_of ? piece_of(p.path) : std::string();
    for (const ParameterField& field : used.fields())
      if (!piece.empty() && field.path == piece) return number_in(field.value());
    return 0.0;
  };
  for (std::size_t i = 0; i < used.fields().size(); ++i) {
    if (!accepts(used.fields()[i].path)) continue;
    Parameter p = parameter_of(asked.fields()[i], used.fields()[i]);
    p.piece = bytes_of_unit(p);
    if (p.is_scalable() || p.choices.size() > 1 || (!p.standard.empty() && p.choices.empty() && used.fields()[i].numeric()))
      all.push_back(std::move(p));
  }
  return all;
}

}  // namespace tributary::measure
