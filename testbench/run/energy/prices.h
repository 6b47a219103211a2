#pragma once
/// EnergyPrices: the energy of one action at given parameters, and the area of structures at a node (docs/energy.md).

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platforms/technology_params.h"
#include "testbench/run/facets/energy.h"

namespace tributary {

/// A price whose value is our choice lies between these ends.
struct PriceRange {
  const char* parameter;
  double low, high;
};
const std::vector<PriceRange>& price_ranges();

/// Returns true for a parameter that prices results and changes no run: `energy.*`, `area.*`, `technology.*`.
bool is_price(const std::string& path);

/// Interpolates between the prices at 45 and 7 nm, in the logarithms of node and price.
double at_node(double at_45, double at_7, double node);
/// Returns the area of logic or SRAM at a node as a multiple of that at 16 nm.
double area_at_node(double node);

/// All energies are in pJ, powers in W.
class EnergyPrices {
 public:
  /// End of the range of each price that has one, unless the user has set it.
  enum class End : std::uint8_t { low, stated, high };

  explicit EnergyPrices(const PriceParams& params, End end = End::stated);

  /// Returns the energy of one sum.
  double add(ElementType type, ReduceOp op, bool fpga = false) const;
  /// Returns the energy per byte of an access to one array.
  double sram_byte(std::uint64_t array_bytes, bool fpga = false) const;
  /// Returns a parameter by its path. Throws std::logic_error if it is none of the prices.
  double at(const std::string& path) const;
  /// Returns the energy of one action of this kind.
  double of(const Action& action) const;
  /// Returns the parameters that the price of an action depends on, with their values at its node.
  std::vector<std::pair<std::string, double>> parameters_of(const Action& action) const;

 private:
  struct Technology {
    double fp32, fp16, bf16, int32, small, medium, large;
  };
  static Technology technology_at(const EnergyParams& energy, double node);
  const Technology& technology(bool fpga) const { return fpga ? fpga_ : asic_; }

  Technology asic_, fpga_;
  std::map<std::string, double> prices_;
};

}  // namespace tributary
