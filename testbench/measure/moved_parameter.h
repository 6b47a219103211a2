#pragma once
/// The parameters that a search moves, and their values after a move.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/parameter_set.h"

namespace tributary::measure {

/// Values of parameters that differ from the run under examination, by path.
using Changes = std::map<std::string, std::string>;

/// A parameter of a run.
struct Parameter {
  std::string path;
  ParameterRole role = ParameterRole::none;
  std::string unit;                  ///< B, ps, B/s; empty for a number or a name
  std::string value;                 ///< text of its value in this run; automatic values are resolved
  std::string standard;              ///< text of its default, if the user has set another value; else empty
  double number = 0;                 ///< value in `unit`; 0 for a name
  bool whole = true;                 ///< legal values are whole numbers
  double least = 0;                  ///< smallest legal value
  double most = 1e18;                ///< largest legal value
  double multiple = 1;               ///< legal values are multiples of it
  std::vector<std::string> choices;  ///< legal names; empty for a number
  double piece = 0;                  ///< shape: bytes of a message for one unit of its value; 0: unknown

  /// Returns the first two parts of the path, `nvswitch.link`: parameters of one group are first moved together.
  std::string group() const;
  /// Returns true if the value can be multiplied: a number other than 0.
  bool is_scalable() const { return choices.empty() && number > 0; }
  /// Returns true for a role whose double or half value makes the machine faster without changing its latencies: the
  /// parameters that are moved together.
  bool is_capacity() const {
    return role == ParameterRole::rate || role == ParameterRole::cycle || role == ParameterRole::room;
  }
  /// Returns true if smaller values are better by the role.
  bool is_better_below() const { return role == ParameterRole::cycle || role == ParameterRole::delay; }
};

/// Returns the text of the value times `factor`. A whole number or a multiple is rounded away from the present value. The
/// result is clipped to the legal range; nothing if the present value remains.
std::optional<std::string> scaled(const Parameter& parameter, double factor);

/// A value of a shape that cuts a message into one piece less.
struct FewerPieces {
  std::string to;
  std::uint64_t pieces = 0;  ///< number of pieces at this value
};

/// Returns the smallest value that needs one piece less for a message of `bytes` than the present value; nothing if the
/// message is one piece, or if the value is not legal.
std::optional<FewerPieces> fewer_pieces(const Parameter& shape, double bytes);

/// Returns the number of a text in the unit of the parameter.
double number_of(const Parameter& parameter, const std::string& text);

/// Returns the parameters that can be moved: scalable numbers and names with other legal values. `asked` has the user's
/// values, `used` those of the run. `accepts` selects paths. `piece_of` returns the parameter with the bytes of one unit of
/// a shape that counts pieces, or an empty text.
std::vector<Parameter> movable_parameters(const ParameterSet& asked, const ParameterSet& used,
                                          const std::function<bool(const std::string&)>& accepts,
                                          const std::function<std::string(const std::string&)>& piece_of = {});

}  // namespace tributary::measure
