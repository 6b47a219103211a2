#pragma once
/// HardwareCost: silicon area of the reduction tables, and the sizes that the paper's equations require (Klenk IV-B, IV-C,
/// IV-G, VI-D).

#include <cstdint>
#include <string>

#include "modules/base/units.h"
#include "platforms/nvswitch/platform_params.h"
#include "platforms/topology/graph.h"
#include "testbench/family/nvswitch/algorithms.h"
#include "testbench/run/facets/cost.h"

namespace tributary {

/// Eq. (1): bytes per port that keep a port busy in pull, for `ranks` GPUs (2 or more) at most `d_max` switches apart.
/// `hop`: latency of a switch and its link; `gpu`: latency of a GPU's response.
double pull_table_bytes(Bandwidth port, int ranks, int d_max, Time hop, Time gpu);
/// Eq. (2): bytes over all ports of the fabric that hold the data arriving between the first and the last operand of a block
/// in push.
double push_tables_bytes(Bandwidth gpu_rate, int d_max, Time hop);
/// Returns the number of switches on the shortest path between the two most distant GPUs.
int farthest_switches(const topology::Graph& graph);
/// Area at 16 nm: 0.05 mm2 for 18 KiB.
double sram_area_mm2(double bytes);

inline constexpr double nvswitch_die_mm2 = 106;

/// Counts data bytes alone, as the paper does, without the 16-bit counts (1/8 more) and the tags of the entries.
struct HardwareCost {
  std::uint64_t port_bytes = 0, trunk_port_bytes = 0;
  std::uint64_t switch_bytes = 0;  ///< bytes of the tables of the largest switch
  std::uint64_t fabric_bytes = 0;
  int ports = 0, switches = 0;            ///< ports and switches of the fabric; only ports with a link count
  double area_mm2 = 0;                    ///< largest value of any switch
  double pull_needs = 0, push_needs = 0;  ///< bytes per port, Eq. (1) and Eq. (2)
  int d_max = 0;
  double hop_ns = 0, gpu_ns = 0;

  double die_share() const { return area_mm2 / nvswitch_die_mm2; }
};

/// `params`: without automatic values.
HardwareCost hardware_cost(const topology::Graph& graph, const NvSwitchPlatformParams& params, int ranks);
/// Returns names and values for a result.
std::vector<std::pair<std::string, CostReport::Value>> cost_values(const HardwareCost& cost);

/// Returns lines for the screen that begin with `# `. They compare the table with the equation for the place where operands
/// meet.
std::string cost_text(const HardwareCost& cost, Reduces reduces);

}  // namespace tributary
