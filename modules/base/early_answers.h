#pragma once
/// EarlyAnswers: times by which a block in RTL is faster than its device counts.

#include "modules/base/units.h"

namespace tributary {

/// Times before the nominal ones, in ps.
struct EarlyTime {
  Tick interval = 0;  ///< the block accepts the next request earlier
  Tick latency = 0;   ///< the answer is valid earlier
};

/// A module whose block may be faster. Its device uses an answer at the nominal time at the earliest, so a transaction does
/// not have these times; observers compare them.
class EarlyAnswers {
 public:
  /// Returns the times of the latest access.
  virtual EarlyTime early() const = 0;

 protected:
  ~EarlyAnswers() = default;
};

/// Returns the times of the latest access of a block; 0 without the facet.
inline EarlyTime early_time(const EarlyAnswers* block) { return block == nullptr ? EarlyTime{} : block->early(); }

/// Returns the time by which `takes` exceeds `nominal`. `early`: the time by which it is shorter.
inline Tick beyond_nominal(Tick takes, Tick nominal, Tick& early) {
  early = takes < nominal ? nominal - takes : 0;
  return takes > nominal ? takes - nominal : 0;
}

}  // namespace tributary
