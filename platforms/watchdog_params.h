#pragma once
/// Parameters of the watchdog of a run.

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

struct WatchdogParams {
  Time window = 1_ms;
};
template <class V>
void visit(V& v, WatchdogParams& p) {
  v.field("window", p.window,
          Note("simulated time without a delivery, merge or completion after which a run counts as stuck")
              .source("docs/architecture.md#a-run")
              .range("1us", "1000s"));
}

}  // namespace tributary
