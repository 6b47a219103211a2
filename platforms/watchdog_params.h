#pragma once
/// WatchdogParams: parameters of a run's watchdog.

#include <optional>

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

struct WatchdogParams {
  std::optional<Time> window;
};
template <class V>
void visit(V& v, WatchdogParams& p) {
  v.field("window", p.window,
          Note("simulated time without a delivery, merge or completion after which a run is considered stuck")
              .role(ParameterRole::shape)
              .source("docs/architecture.md#a-run")
              .range("1us", "1000s")
              .automatic("1 ms, or twice the longest idle time that the platform's latencies and rates allow"));
}

}  // namespace tributary
