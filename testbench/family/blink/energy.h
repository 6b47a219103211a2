#pragma once
/// BlinkEnergy: the actions of GPUs with copy engines, NVLinks, PCIe and NICs (docs/energy.md).

#include "testbench/run/facets/energy.h"

namespace tributary {

class BlinkEnergy : public FamilyEnergy {
 public:
  EnergyUse use(const RunSpec& spec, const RunParameters& params, const ResultRow& row) const override;
};

}  // namespace tributary
