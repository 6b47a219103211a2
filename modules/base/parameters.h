#pragma once
/// Description of parameter structs: each struct describes itself once, in a function `visit`.
///
///   struct LinkParams { Bandwidth rate = 25_GBps; Time latency = 20_ns; };
///   template <class V> void visit(V& v, LinkParams& p) {
///     v.field("rate", p.rate, Note("bytes per second and direction").role(ParameterRole::rate).range("1kB/s", "10TB/s"));
///     v.field("latency", p.latency, Note("wire delay").role(ParameterRole::delay).source("Klenk V [P]"));
///     v.group("fec", p.fec);                       // a nested struct with its own visit: path link.fec.*
///   }
///
/// This function serves the YAML reader, `--set`, `tributary list parameters`, the dump in every result and the docs
/// (parameter_set.h). Field types: Bytes, Time, Bandwidth, bool, double, std::uint32_t, std::uint64_t, an enum with
/// EnumNames, any type with ParameterText, and std::optional of these ("auto": chosen by the algorithm).

#include <string>
#include <utility>
#include <vector>

namespace tributary {

/// Effect of a numeric parameter on the time of a run. `--bottleneck measured` orders its report by it; it never decides the
/// direction in which a parameter is moved.
enum class ParameterRole {
  none,       ///< for names alone: a numeric parameter has a role
  rate,       ///< work per time: bytes per second, bytes per cycle, units that work in parallel
  cycle,      ///< time or cycles of a piece of work: a rate whose smaller value is better
  delay,      ///< time that passes without work: latencies, timeouts
  room,       ///< capacity in bytes or pieces: tables, buffers, queues, windows
  shape,      ///< size of a piece, threshold, factor: neither more nor less is better
  fault,      ///< probability or strength of a disturbance
  structure,  ///< changes the machine that is built
};

/// Help, source and legal range of a field. Bounds are texts in the field's unit. All texts are string literals: a note
/// keeps pointers to them, so that describing a struct costs little code.
class Note {
 public:
  explicit constexpr Note(const char* help) : help_(help) {}
  constexpr Note& source(const char* s) { return source_ = s, *this; }
  constexpr Note& range(const char* min, const char* max) { return min_ = min, max_ = max, *this; }
  constexpr Note& multiple_of(const char* m) { return multiple_ = m, *this; }
  constexpr Note& role(ParameterRole r) { return role_ = r, *this; }
  /// Describes the value of an absent std::optional, for instance "256B for push, 4KiB for pull".
  constexpr Note& automatic(const char* a) { return automatic_ = a, *this; }

  std::string help() const { return help_; }
  std::string source() const { return source_; }
  std::string min() const { return min_; }
  std::string max() const { return max_; }
  std::string multiple() const { return multiple_; }
  std::string automatic() const { return automatic_; }
  ParameterRole role() const { return role_; }

 private:
  const char* help_;
  const char* source_ = "";
  const char* min_ = "";
  const char* max_ = "";
  const char* multiple_ = "";
  const char* automatic_ = "";
  ParameterRole role_ = ParameterRole::none;
};

/// Returns `rate`, `room` ...; `-` without a role.
std::string to_string(ParameterRole role);

/// Specialise for an enum: `static const std::vector<std::pair<E, std::string>>& names()`.
template <class E>
struct EnumNames;

/// Specialise for a type with its own text form: `static T parse(const std::string&)` (throws UnitError), `static
/// std::string print(const T&)`, `static std::string legal()`.
template <class T>
struct ParameterText;

}  // namespace tributary
