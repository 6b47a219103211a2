#pragma once
/// StepEnergy: the energy of the communication of a training step, the sum over its transfers.

#include <cstddef>
#include <optional>

#include "testbench/run/energy/energy.h"

namespace tributary {

class StepEnergy {
 public:
  /// Adds the actions of a row `times` times. Its standing power counts once for the step, whatever the number of rows.
  void add(const EnergyUse& use, double times);
  /// Returns the energy of a mean iteration, which takes `seconds`; none if nothing was added.
  std::optional<Energy> of_iteration(const PriceParams& prices, double seconds, std::size_t iterations) const;

 private:
  bool any_ = false;
  EnergyUse all_;
};

}  // namespace tributary
