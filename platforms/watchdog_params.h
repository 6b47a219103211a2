#pragma once
/// WatchdogParams: parameters of a run's watchdog.

#include <optional>

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

struct WatchdogParams {
  std::optional<Time> window;
  Time patience = picoseconds(1'200'000'000'000'000);  // 20 min
};
template <class V>
void visit(V& v, WatchdogParams& p) {
  v.field("window", p.window,
          Note("simulated time without a delivery, merge or completion after which a run is considered stuck")
              .role(ParameterRole::shape)
              .source("docs/architecture.md#a-run")
              .range("1us", "1000s")
              .automatic("1 ms, or twice the longest idle time that the platform's latencies and rates allow"));
  v.field("patience", p.patience,
          Note("processor time that a message may need, estimated from its first 10 s at 4 million packet-hops a second")
              .role(ParameterRole::shape)
              .source("docs/architecture.md#a-run")
              .range("1s", "10000000s"));
}

}  // namespace tributary
