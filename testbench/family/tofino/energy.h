#pragma once
/// TofinoEnergy: the actions of workers and a programmable switch (docs/energy.md).

#include "testbench/run/facets/energy.h"

namespace tributary {

class TofinoEnergy : public FamilyEnergy {
 public:
  EnergyUse use(const RunSpec& spec, const RunParameters& params, const ResultRow& row) const override;
};

}  // namespace tributary
