#pragma once
/// NetReduceEnergy: the actions of hosts, Ethernet switches and accelerators, and the block RAMs of an accelerator
/// (docs/energy.md).

#include "testbench/run/facets/energy.h"

namespace tributary {

class NetReduceEnergy : public FamilyEnergy {
 public:
  EnergyUse use(const RunSpec& spec, const RunParameters& params, const ResultRow& row) const override;
  AreaReport area(const RunSpec& spec, const RunParameters& params) const override;
};

}  // namespace tributary
