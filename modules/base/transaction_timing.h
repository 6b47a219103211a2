#pragma once
/// Access to the member `timing` of a transaction (access_timing.h).

#include "modules/base/access_timing.h"

namespace tributary {

template <class Transaction>
auto interval_of(const Transaction& t, int) -> decltype(t.timing.interval) {
  return t.timing.interval;
}
template <class Transaction>
Tick interval_of(const Transaction&, long) {
  return 0;
}
/// Returns the interval of a transaction; 0 if it has none.
template <class Transaction>
Tick interval_of(const Transaction& t) {
  return interval_of(t, 0);
}

}  // namespace tributary
