#pragma once
/// AreaPrices: the area of structures at given parameters; AreaParts: the parts of a device (docs/energy.md#area).

#include <string>
#include <utility>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/units.h"
#include "platforms/technology_params.h"
#include "testbench/run/facets/energy.h"

namespace tributary {

/// All areas are in mm2, at `technology.node`.
class AreaPrices {
 public:
  explicit AreaPrices(const PriceParams& params);

  double sram(double bytes) const;
  /// One adder.
  double adder(ElementType type, ReduceOp op) const;
  /// Returns the DSP blocks of one adder in an FPGA, at every node.
  double dsp_blocks(ElementType type, ReduceOp op) const;
  /// Returns the adders of a port of that rate.
  double lanes(Bandwidth rate) const;
  /// Bits of associative tags.
  double cam(double bits) const;
  double crossbar(double ports) const;
  /// Senders and receivers of a port of that rate; the same at every node.
  double serdes(Bandwidth rate) const;

 private:
  AreaParams params_;
  double scale_;
};

class AreaParts {
 public:
  enum : unsigned { of_reduction = 1, is_sram = 2 };

  void add(const char* name, double mm2, unsigned sums);
  /// Returns the parts and the sums `reduction`, `sram` and `total`. `device`: `switch of 16 ports`.
  AreaReport report(const std::string& device, const std::string& not_modelled) const;

 private:
  std::vector<std::pair<std::string, double>> parts_;
  double reduction_ = 0, sram_ = 0, total_ = 0;
};

}  // namespace tributary
