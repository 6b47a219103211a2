#include "testbench/family/nvswitch/energy.h"

#include <algorithm>
#include <cmath>

#include "modules/base/text_format.h"
#include "modules/protocol/nvlink.h"
#include "platforms/nvswitch/machine.h"
#include "testbench/family/nvswitch/hardware_cost.h"
#include "testbench/family/nvswitch/nccl_plans.h"
#include "testbench/run/energy/area.h"
#include "testbench/run/energy/energy.h"
#include "testbench/run/energy/link_bytes.h"

namespace tributary {
namespace {

constexpr double tag_bits = 48;  ///< address and requester of an entry

using ActionKind = Action::Kind;

/// Adds what crosses switches: a bit that enters one pays for reception, its buffer, a crossing and the output. A further
/// copy, and the result of a table, crosses the crossbar again.
void add_switches(const topology::Graph& graph, const ResultRow& row, EnergyUse& use) {
  const double in = bytes_into(row, names_of(graph, topology::NodeKind::switch_node));
  const auto switches = static_cast<std::uint64_t>(graph.switches().size());
  use.actions.push_back({EnergyPart::switches, "switch.input", ActionKind::bit, 8 * in, "energy.nvswitch.bit", 0, switches});
  const double crossed = counted(row, "switch.crossbar_bytes", use);
  use.actions.push_back({EnergyPart::switches, "switch.copies", ActionKind::bit, 8 * std::max(0.0, crossed - in),
                         "energy.nvswitch.copy", 0, switches});
}

/// Accesses to the tables of a row, in blocks, and merges.
struct TableUse {
  double writes, reads, searches, adds;
};

/// An allocation writes a block, a merge reads, adds and writes one, and the end of an entry reads it. In rank order,
/// operands are written until the last one arrives, which completes the entry: all others are read and added.
TableUse table_use(const ResultRow& row, bool rank_order, double ranks, EnergyUse& use) {
  const double allocations = counted(row, "switch.allocations", use), merges = counted(row, "switch.merges", use);
  const double completions = counted(row, "switch.completions", use);
  const double losses = counted(row, "switch.evictions", use) + counted(row, "switch.timeouts", use);
  const double searches = allocations + merges + counted(row, "switch.misses", use);
  const double adds = rank_order ? completions * (ranks - 1) : merges;
  return {allocations + merges - (rank_order ? completions : 0), adds + losses + (rank_order ? 0 : completions), searches,
          adds};
}

/// Adds accesses to reduction tables, their tags and their adders.
void add_tables(const JobSpec& job, const TableUse& t, double block, std::uint64_t table_bytes, std::uint64_t tables,
                EnergyUse& use) {
  const double entries = static_cast<double>(table_bytes) / block_bytes;
  use.actions.push_back({EnergyPart::tables, "switch.table", ActionKind::write, block * t.writes, "", table_bytes, tables});
  use.actions.push_back({EnergyPart::tables, "switch.table", ActionKind::read, block * t.reads, "", table_bytes, tables});
  use.actions.push_back(
      {EnergyPart::tables, "switch.tags", ActionKind::search, t.searches * entries * tag_bits, "", 0, tables});
  use.actions.push_back({EnergyPart::adders, "switch.adder", ActionKind::add,
                         t.adds * block / static_cast<double>(element_size(job.type)), "", 0, tables, false, job.type,
                         job.op});
}

/// Adds what GPUs do: accesses to memory, of a block each, sums of engines, and bytes that kernels and copies move. `load`:
/// bytes that a load-reduce of NVLS reads from each rank.
void add_gpus(const JobSpec& job, double load, std::uint64_t gpus, const ResultRow& row, EnergyUse& use) {
  const double accesses = counted(row, "gpu.memory_reads", use) + counted(row, "gpu.memory_writes", use);
  const auto count = [&](const char* name) {
    const auto found = row.counters.find(name);
    return found == row.counters.end() ? 0 : found->second;
  };
  const double short_reads = count("gpu.load_reduces") * static_cast<double>(job.ranks.size());
  const double bytes = block_bytes * accesses - (block_bytes - load) * short_reads;
  use.actions.push_back({EnergyPart::memory, "gpu.memory", ActionKind::bit, 8 * bytes, "energy.memory.bit", 0, gpus});
  use.actions.push_back({EnergyPart::adders, "gpu.adder", ActionKind::add, counted(row, "gpu.added_elements", use), "", 0,
                         gpus, false, job.type, job.op});
  const double moved = count("kernel.bytes_read") + count("kernel.bytes_written") + count("gpu.copied_bytes");
  if (moved > 0)
    use.actions.push_back({EnergyPart::kernels, "gpu.kernels", ActionKind::byte, moved, "energy.gpu.sm_byte", 0, gpus});
}

}  // namespace

EnergyUse NvSwitchEnergy::use(const RunSpec& spec, const RunParameters& params, const ResultRow& row) const {
  const auto& p = params.of<NvSwitchPlatformParams>();
  const Machine machine_of_run = machine(spec.platform);
  const topology::Graph& graph = machine_of_run.graph;
  const JobSpec& job = spec.jobs.front();
  EnergyUse use;
  use.actions.push_back({EnergyPart::links, "link.nvlink", ActionKind::bit, 8 * bytes_of_links(row), "energy.link.nvlink", 0,
                         static_cast<std::uint64_t>(row.links.size())});
  use.links.push_back(
      {"energy.link.nvlink", 8 * static_cast<double>(p.link.rate.value) * static_cast<double>(row.links.size())});
  add_switches(graph, row, use);
  const HardwareCost cost = hardware_cost(graph, p, std::max(2, static_cast<int>(job.ranks.size())));
  const auto load = static_cast<double>(p.nvls.payload.value);
  const bool rank_order = p.switches.reduction_table.order == ReductionOrder::rank;
  add_tables(job, table_use(row, rank_order, static_cast<double>(job.ranks.size()), use),
             uses_nvls(job, p) ? load : block_bytes, cost.port_bytes, static_cast<std::uint64_t>(cost.ports), use);
  add_gpus(job, load, static_cast<std::uint64_t>(graph.gpus().size()), row, use);
  use.standing.push_back({"switch", static_cast<double>(graph.switches().size()), "energy.nvswitch.standing"});
  use.standing.push_back({"GPU", static_cast<double>(graph.gpus().size()), "energy.gpu.standing"});
  return use;
}

/// The largest switch. Its link layer, host interface, pads and clocks are not modelled.
AreaReport NvSwitchEnergy::area(const RunSpec& spec, const RunParameters& params) const {
  const auto& p = params.of<NvSwitchPlatformParams>();
  const Machine machine_of_run = machine(spec.platform);
  const topology::Graph& graph = machine_of_run.graph;
  const JobSpec& job = spec.jobs.front();
  const HardwareCost cost = hardware_cost(graph, p, std::max(2, static_cast<int>(job.ranks.size())));
  double ports = 0;
  for (const int s : graph.switches()) {
    double here = 0;
    for (int port = 0; port < graph.node(s).ports; ++port) here += graph.peer({s, port}) ? 1 : 0;
    ports = std::max(ports, here);
  }
  const auto table = static_cast<double>(cost.switch_bytes);
  const double buffer = ports * NvLink::vcs * NvLink::flit_bytes * input_buffer_flits(p.switches, p.link);
  const AreaPrices area(params.prices);
  AreaParts parts;
  parts.add("tables", area.sram(table), AreaParts::of_reduction | AreaParts::is_sram);
  parts.add("adders", ports * area.lanes(p.link.rate) * area.adder(job.type, job.op), AreaParts::of_reduction);
  parts.add("tags", area.cam(table / block_bytes * tag_bits) + area.sram(table / NvLink::flit_bytes * 2),
            AreaParts::of_reduction);
  parts.add("buffers", area.sram(buffer), AreaParts::is_sram);
  parts.add("crossbar", area.crossbar(ports), 0);
  parts.add("serdes", ports * area.serdes(p.link.rate), 0);
  return parts.report("switch of " + fixed(ports, 0) + " ports", "link layer, host interface, pads, clocks");
}

}  // namespace tributary
