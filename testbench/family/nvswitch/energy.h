#pragma once
/// NvSwitchEnergy: the actions of GPUs and NVSwitches, and the area of a switch (docs/energy.md).

#include "testbench/run/facets/energy.h"

namespace tributary {

class NvSwitchEnergy : public FamilyEnergy {
 public:
  EnergyUse use(const RunSpec& spec, const RunParameters& params, const ResultRow& row) const override;
  AreaReport area(const RunSpec& spec, const RunParameters& params) const override;
};

}  // namespace tributary
