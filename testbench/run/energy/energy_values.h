#pragma once
/// Values of energy and area by name, for explorations and tables: `energy.per_byte`, `area.reduction`
/// (docs/energy.md#values).

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "testbench/run/energy/energy.h"

namespace tributary {

struct EnergyValueName {
  std::string name;
  std::string unit;  ///< pJ, pJ/B, mm2; empty: a count or a share
};

/// Returns all names: `energy.total`, `.marginal`, `.standing` and `.PART` in pJ, `energy.per_byte` in pJ/B, `area.total`,
/// `.sram`, `.reduction` and `.PART` in mm2, and block RAMs and DSP blocks of FPGAs.
const std::vector<EnergyValueName>& energy_value_names();

/// Returns the values by name, in the units of their names. A part of an energy without actions is 0. Areas that the
/// platform does not model are missing; so are energies if `energy` is empty.
std::map<std::string, double> energy_values(const std::optional<Energy>& energy, const AreaReport& area);
/// Returns one of these values.
std::optional<double> energy_value(const std::optional<Energy>& energy, const AreaReport& area, const std::string& name);

}  // namespace tributary
