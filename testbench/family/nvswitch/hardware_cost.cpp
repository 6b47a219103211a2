#include "testbench/family/nvswitch/hardware_cost.h"

#include <algorithm>
#include <deque>
#include <stdexcept>

#include "modules/base/text_format.h"

namespace tributary {
namespace {

double seconds(Time t) { return static_cast<double>(t.value) * 1e-12; }

/// Returns the hops from a GPU to the most distant one. GPUs do not forward.
int farthest_hops(const topology::Graph& graph, int from) {
  std::vector<int> hops(graph.nodes().size(), -1);
  std::deque<int> next{from};
  hops[static_cast<std::size_t>(from)] = 0;
  int farthest = 0;
  while (!next.empty()) {
    const int here = next.front();
    next.pop_front();
    const bool gpu = graph.node(here).kind == topology::NodeKind::gpu;
    if (gpu) farthest = std::max(farthest, hops[static_cast<std::size_t>(here)]);
    if (gpu && here != from) continue;
    for (int port = 0; port < graph.node(here).ports; ++port) {
      const auto peer = graph.peer({here, port});
      if (!peer || hops[static_cast<std::size_t>(peer->node)] >= 0) continue;
      hops[static_cast<std::size_t>(peer->node)] = hops[static_cast<std::size_t>(here)] + 1;
      next.push_back(peer->node);
    }
  }
  return farthest;
}

void count_tables(const topology::Graph& graph, HardwareCost& cost) {
  for (const int s : graph.switches()) {
    std::uint64_t bytes = 0;
    for (int port = 0; port < graph.node(s).ports; ++port) {
      const auto peer = graph.peer({s, port});
      if (!peer) continue;
      ++cost.ports;
      bytes += graph.node(peer->node).kind == topology::NodeKind::gpu ? cost.port_bytes : cost.trunk_port_bytes;
    }
    ++cost.switches;
    cost.fabric_bytes += bytes;
    cost.switch_bytes = std::max(cost.switch_bytes, bytes);
  }
}

/// Returns `256 B are 0.96 x the 265.6 B of Eq. (2)`.
std::string compared(std::uint64_t bytes, double needs, const char* equation) {
  return std::to_string(bytes) + " B are " + fixed(static_cast<double>(bytes) / needs, 2) + " x the " + fixed(needs, 1) +
         " B of " + equation;
}

}  // namespace

double pull_table_bytes(Bandwidth port, int ranks, int d_max, Time hop, Time gpu) {
  if (ranks < 2) throw std::invalid_argument("Eq. (1) is about 2 ranks or more");
  return static_cast<double>(port.value) / (ranks - 1) * (2 * d_max * seconds(hop) + seconds(gpu));
}

double push_tables_bytes(Bandwidth gpu_rate, int d_max, Time hop) {
  return static_cast<double>(gpu_rate.value) * d_max * seconds(hop);
}

int farthest_switches(const topology::Graph& graph) {
  int hops = 0;
  for (const int gpu : graph.gpus()) hops = std::max(hops, farthest_hops(graph, gpu));
  return std::max(0, hops - 1);
}

double sram_area_mm2(double bytes) { return 0.05 / (18 * 1024) * bytes; }

HardwareCost hardware_cost(const topology::Graph& graph, const NvSwitchPlatformParams& params, int ranks) {
  HardwareCost cost;
  const ReductionTableParams& table = params.switches.reduction_table;
  cost.port_bytes = table.bytes.value().value;
  cost.trunk_port_bytes = table.trunk_bytes.value_or(*table.bytes).value;
  count_tables(graph, cost);
  cost.area_mm2 = sram_area_mm2(static_cast<double>(cost.switch_bytes));
  cost.d_max = farthest_switches(graph);
  const Time hop = params.switches.latency + params.switches.crossbar.arbitration + params.link.latency;
  const Time gpu = picoseconds(params.gpu.memory.latency.value + params.gpu.memory.jitter.value / 2);
  const auto links = static_cast<std::uint64_t>(graph.node(graph.gpus().front()).ports);
  cost.pull_needs = pull_table_bytes(params.link.rate, ranks, cost.d_max, hop, gpu);
  cost.push_needs = push_tables_bytes(params.link.rate * links, cost.d_max, hop) / cost.ports;
  cost.hop_ns = seconds(hop) * 1e9;
  cost.gpu_ns = seconds(gpu) * 1e9;
  return cost;
}

std::vector<std::pair<std::string, CostReport::Value>> cost_values(const HardwareCost& cost) {
  const auto count = [](auto n) { return static_cast<std::uint64_t>(n); };
  return {{"table_bytes_per_port", cost.port_bytes},
          {"table_bytes_per_trunk_port", cost.trunk_port_bytes},
          {"table_bytes_per_switch", cost.switch_bytes},
          {"table_bytes_of_fabric", cost.fabric_bytes},
          {"ports", count(cost.ports)},
          {"switches", count(cost.switches)},
          {"sram_mm2_per_switch", cost.area_mm2},
          {"share_of_die", cost.die_share()},
          {"eq1_pull_bytes_per_port", cost.pull_needs},
          {"eq2_push_bytes_per_port", cost.push_needs},
          {"d_max", count(cost.d_max)},
          {"hop_ns", cost.hop_ns},
          {"gpu_ns", cost.gpu_ns}};
}

std::string cost_text(const HardwareCost& cost, Reduces reduces) {
  std::string text = "# tables: " + std::to_string(cost.port_bytes) + " B a port";
  if (cost.trunk_port_bytes != cost.port_bytes) text += " (" + std::to_string(cost.trunk_port_bytes) + " B a trunk port)";
  text += ", " + std::to_string(cost.switch_bytes) + " B a switch, " + std::to_string(cost.fabric_bytes) + " B in " +
          std::to_string(cost.ports) + " ports of " + std::to_string(cost.switches) + " switches\n";
  text += "# SRAM of a switch at 16 nm: " + fixed(cost.area_mm2, 4) + " mm2, " + fixed(100 * cost.die_share(), 3) +
          " % of a die of " + fixed(nvswitch_die_mm2, 0) + " mm2\n";
  const std::string push = compared(cost.port_bytes, cost.push_needs, "Eq. (2), push");
  const std::string pull = compared(cost.port_bytes, cost.pull_needs, "Eq. (1), pull");
  text += "# " +
          (reduces == Reduces::in_flight       ? pull
           : reduces == Reduces::at_home_ports ? push
                                               : push + "; " + pull) +
          " (" + std::to_string(cost.d_max) + " switches of " + fixed(cost.hop_ns, 1) + " ns, GPU " + fixed(cost.gpu_ns, 1) +
          " ns)\n";
  return text;
}

}  // namespace tributary
