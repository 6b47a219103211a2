#pragma once
/// What reduction tables cost in silicon, and what the paper's equations ask of them (Klenk IV-B, IV-C, IV-G, VI-D).

#include <cstdint>
#include <string>

#include "modules/base/units.h"
#include "platforms/nvswitch/platform_params.h"
#include "platforms/topology/graph.h"
#include "testbench/family/nvswitch/methods.h"
#include "testbench/run/facets/cost.h"

namespace tributary {

/// Eq. (1): bytes per port that keep a port busy in pull, for `ranks` GPUs (2 or more) at most `d_max` switches apart.
/// `hop` is the latency of a switch and its link, `gpu` that of a GPU's response.
double pull_table_bytes(Bandwidth port, int ranks, int d_max, Time hop, Time gpu);
/// Eq. (2): bytes over all ports of the fabric that hold what arrives between a block's first and last operand in push.
double push_tables_bytes(Bandwidth gpu_rate, int d_max, Time hop);
/// Switches on the shortest path between the two GPUs that are farthest apart.
int farthest_switches(const topology::Graph& graph);
/// At 16 nm: 18 KiB take 0.05 mm2.
double sram_area_mm2(double bytes);

inline constexpr double nvswitch_die_mm2 = 106;

/// Data bytes alone, as the paper counts them: the 16-bit counts (1/8 more) and tags of the entries come on top.
struct HardwareCost {
  std::uint64_t port_bytes = 0, trunk_port_bytes = 0;
  std::uint64_t switch_bytes = 0;  ///< of the switch with the most
  std::uint64_t fabric_bytes = 0;
  int ports = 0, switches = 0;            ///< of the fabric; only ports with a link count
  double area_mm2 = 0;                    ///< of the switch with the most
  double pull_needs = 0, push_needs = 0;  ///< bytes per port, Eq. (1) and Eq. (2)
  int d_max = 0;
  double hop_ns = 0, gpu_ns = 0;

  double die_share() const { return area_mm2 / nvswitch_die_mm2; }
};

/// `params` without automatic values.
HardwareCost hardware_cost(const topology::Graph& graph, const NvSwitchPlatformParams& params, int ranks);
/// Names and values, for a result.
std::vector<std::pair<std::string, CostReport::Value>> cost_values(const HardwareCost& cost);

/// Lines for the screen, each begun with `# `; what the table is compared with depends on where operands meet.
std::string cost_text(const HardwareCost& cost, Reduces reduces);

}  // namespace tributary
