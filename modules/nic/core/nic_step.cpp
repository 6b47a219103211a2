#include "modules/nic/core/nic_step.h"

#include <algorithm>

namespace tributary {

void NicStepEngine::post(NicStep step, Tick t0) {
  step_ = std::move(step);
  engine_.post(std::move(step_.tasks), t0);
}

std::uint32_t NicStepEngine::operation_of(std::uint64_t address) const {
  const auto beyond = std::upper_bound(step_.places.begin(), step_.places.end(), address,
                                       [](std::uint64_t a, const auto& place) { return a < place.first; });
  return beyond == step_.places.begin() ? none : (beyond - 1)->second;
}

void NicStepEngine::reset() {
  engine_.reset();
  step_ = {};
}

}  // namespace tributary
