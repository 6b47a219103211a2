#pragma once
/// Energy: the energy of a row of results: its actions at their prices, and the power that is drawn whatever happens.

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbench/run/energy/prices.h"
#include "testbench/run/facets/energy.h"

namespace tributary {

struct RunSpec;
struct ResultRow;
class RunParameters;

/// Actions of one component, priced.
struct PricedAction {
  Action action;
  double price_pJ = 0, joules = 0;
};

struct Energy {
  std::array<double, energy_part_count> parts{};  ///< J, marginal
  std::array<bool, energy_part_count> has{};      ///< parts with an action, whatever its price
  double marginal = 0, standing = 0;              ///< J
  double bytes = 0;                               ///< ranks x size of the message
  double low = 0, high = 0;                       ///< J: total with all prices at their low and high ends
  bool reduces = true;                            ///< false: the bytes are moved, not reduced
  std::vector<PricedAction> actions;
  std::vector<std::pair<StandingPower, double>> powers;  ///< with W of one device
  std::vector<std::pair<std::string, double>> prices;    ///< parameters in use, by name
  std::vector<std::string> not_included;

  double total() const { return marginal + standing; }
  /// Returns pJ per byte.
  double per_byte(double joules) const { return bytes > 0 ? joules * 1e12 / bytes : 0; }
};

/// Prices the use of `seconds`. The parts and prices are those of params.
Energy priced(const EnergyUse& use, const PriceParams& params, double seconds);

/// Returns the actions of a row, also of one of several jobs, whose counters are those of all. None where the family does
/// not model energy, and for a row that has not finished. `params`: without automatic values.
std::optional<EnergyUse> energy_use(const RunSpec& spec, const RunParameters& params, const ResultRow& row);
/// Returns the energy of a row; none where the family does not model it, for a row that has not finished, and for a row of
/// several jobs, whose counters are not apart. `params`: without automatic values.
std::optional<Energy> energy_of(const RunSpec& spec, const RunParameters& params, const ResultRow& row);
/// Returns the area of the hardware; no values where it is not modelled.
AreaReport area_of(const RunSpec& spec, const RunParameters& params);

/// Returns the counter of a row, or 0 and the name added to `not_included` if the row has none.
double counted(const ResultRow& row, const std::string& counter, EnergyUse& use);

}  // namespace tributary
