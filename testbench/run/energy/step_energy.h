#pragma once
/// StepEnergy: the energy of the communication of a training step, the sum over its transfers, and the area of its machine.

#include <cstddef>
#include <optional>

#include "testbench/run/energy/energy.h"

namespace tributary {

class StepEnergy {
 public:
  /// Adds the actions of a row `times` times. Its standing power counts once for the step, whatever the number of rows.
  void add(const EnergyUse& use, double times);
  /// Adds the area that a transfer of the step needs: each part has that of the transfer that needs the most.
  void add_area(const AreaReport& area);
  const AreaReport& area() const { return area_; }
  /// Returns the energy of a mean iteration, which takes `seconds`; none if nothing was added.
  std::optional<Energy> of_iteration(const PriceParams& prices, double seconds, std::size_t iterations) const;

 private:
  bool any_ = false;
  EnergyUse all_;
  AreaReport area_;
};

}  // namespace tributary
