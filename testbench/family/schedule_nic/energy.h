#pragma once
/// ScheduleNicEnergy: the actions of NICs with schedule tables, and of routers (docs/energy.md).

#include "testbench/run/facets/energy.h"

namespace tributary {

class ScheduleNicEnergy : public FamilyEnergy {
 public:
  EnergyUse use(const RunSpec& spec, const RunParameters& params, const ResultRow& row) const override;
};

}  // namespace tributary
