#pragma once
/// FieldType<T>: reads, prints and names a field type of a parameter struct; one specialisation per kind.

#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>

#include "modules/base/nearest.h"
#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

/// Value in a machine-readable dump, in the base unit; monostate is an automatic value that has not been settled yet.
using ParameterValue = std::variant<std::monostate, bool, std::uint64_t, double, std::string>;

/// Parse a value without a unit. Throw UnitError.
bool parse_bool(const std::string& text);
std::uint64_t parse_count(const std::string& text, std::uint64_t max);
double parse_real(const std::string& text);
/// Returns the shortest text that reads back as the same double.
std::string print_real(double x);

template <class T, class = void>
struct FieldType {  // an enum with EnumNames
  static constexpr const char* unit = "";
  static constexpr bool ordered = false;
  static std::vector<std::string> choices() {
    std::vector<std::string> names;
    for (const auto& [value, name] : EnumNames<T>::names()) names.push_back(name);
    return names;
  }
  static std::string legal() { return join_names(choices()); }
  static T parse(const std::string& text) {
    for (const auto& [value, name] : EnumNames<T>::names())
      if (name == text) return value;
    throw UnitError("'" + text + "' is not legal");
  }
  static std::string print(const T& x) {
    for (const auto& [value, name] : EnumNames<T>::names())
      if (value == x) return name;
    return "?";
  }
  static ParameterValue value(const T& x) { return print(x); }
};

/// A type with its own ParameterText.
template <class T>
struct FieldType<T, std::void_t<decltype(ParameterText<T>::legal())>> {
  static constexpr const char* unit = "";
  static constexpr bool ordered = false;
  static std::string legal() { return ParameterText<T>::legal(); }
  static T parse(const std::string& text) { return ParameterText<T>::parse(text); }
  static std::string print(const T& x) { return ParameterText<T>::print(x); }
  static ParameterValue value(const T& x) { return print(x); }
};

template <class T>
struct QuantityField {
  static constexpr bool ordered = true;
  static std::string print(const T& x) { return to_string(x); }
  static ParameterValue value(const T& x) { return x.value; }
  static bool is_multiple(const T& x, const T& of) { return of.value == 0 || x.value % of.value == 0; }
};
template <>
struct FieldType<Bytes> : QuantityField<Bytes> {
  static constexpr const char* unit = "B";
  static std::string legal() { return "a size such as 128B, 8KiB, 100MB"; }
  static Bytes parse(const std::string& text) { return parse_bytes(text); }
};
template <>
struct FieldType<Time> : QuantityField<Time> {
  static constexpr const char* unit = "ps";
  static std::string legal() { return "a time such as 150ns, 115.2ns, 2us"; }
  static Time parse(const std::string& text) { return parse_time(text); }
};
template <>
struct FieldType<Bandwidth> : QuantityField<Bandwidth> {
  static constexpr const char* unit = "B/s";
  static std::string legal() { return "a bandwidth such as 25GB/s, 100Gb/s"; }
  static Bandwidth parse(const std::string& text) { return parse_bandwidth(text); }
};

template <class T>
struct FieldType<T, std::enable_if_t<std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::uint64_t>>> {
  static constexpr const char* unit = "";
  static constexpr bool ordered = true;
  static std::string legal() { return "a whole number"; }
  static T parse(const std::string& text) { return static_cast<T>(parse_count(text, static_cast<T>(-1))); }
  static std::string print(const T& x) { return std::to_string(x); }
  static ParameterValue value(const T& x) { return std::uint64_t{x}; }
  static bool is_multiple(const T& x, const T& of) { return of == 0 || x % of == 0; }
};
template <>
struct FieldType<double> {
  static constexpr const char* unit = "";
  static constexpr bool ordered = true;
  static std::string legal() { return "a number"; }
  static double parse(const std::string& text) { return parse_real(text); }
  static std::string print(const double& x) { return print_real(x); }
  static ParameterValue value(const double& x) { return x; }
  static bool is_multiple(const double&, const double&) { return true; }
};
template <>
struct FieldType<bool> {
  static constexpr const char* unit = "";
  static constexpr bool ordered = false;
  static std::vector<std::string> choices() { return {"true", "false"}; }
  static std::string legal() { return "true or false"; }
  static bool parse(const std::string& text) { return parse_bool(text); }
  static std::string print(const bool& x) { return x ? "true" : "false"; }
  static ParameterValue value(const bool& x) { return x; }
};

}  // namespace tributary
