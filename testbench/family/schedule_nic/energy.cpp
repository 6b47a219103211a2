#include "testbench/family/schedule_nic/energy.h"

#include "modules/protocol/schedule_nic.h"
#include "platforms/schedule_nic/network_params.h"
#include "platforms/topology/network.h"
#include "testbench/run/energy/energy.h"
#include "testbench/run/energy/link_bytes.h"

namespace tributary {
namespace {

using ActionKind = Action::Kind;

constexpr std::uint64_t row_bytes = 25;  ///< row of a schedule table (Huang et al., IV-A)

/// Adds routers: each byte that crosses one was written to an input buffer and read from it.
void add_routers(const NetworkParams& p, std::uint64_t routers, const ResultRow& row, EnergyUse& use) {
  const double crossed = counted(row, "router.buffer_bytes", use);
  const std::uint64_t buffer = std::uint64_t{p.router.buffer_flits} * ScheduleNicLink::flit_bytes;
  use.actions.push_back(
      {EnergyPart::switches, "router.crossbar", ActionKind::bit, 8 * crossed, "energy.crossbar.bit", 0, routers});
  for (const ActionKind kind : {ActionKind::write, ActionKind::read})
    use.actions.push_back({EnergyPart::buffers, "router.input", kind, crossed, "", buffer, routers});
}

/// Adds NICs: packets of memory, schedule tables, sums. A sum reads the operand in memory, too.
void add_nics(const JobSpec& job, const NetworkParams& p, std::uint64_t nics, const ResultRow& row, EnergyUse& use) {
  const double packets = counted(row, "nic.packets_read", use) + counted(row, "nic.packets_written", use);
  const double sums = counted(row, "nic.added_elements", use);
  const double bytes =
      packets * static_cast<double>(p.flow_control.payload.value) + sums * static_cast<double>(element_size(job.type));
  use.actions.push_back({EnergyPart::memory, "nic.memory", ActionKind::bit, 8 * bytes, "energy.memory.bit", 0, nics});
  use.actions.push_back({EnergyPart::adders, "nic.adder", ActionKind::add, sums, "", 0, nics, false, job.type, job.op});
  use.actions.push_back({EnergyPart::tables, "nic.table", ActionKind::read,
                         static_cast<double>(row_bytes) * counted(row, "nic.table_reads", use), "",
                         row_bytes * p.nic.table.entries.value_or(1), nics});
}

}  // namespace

EnergyUse ScheduleNicEnergy::use(const RunSpec& spec, const RunParameters& params, const ResultRow& row) const {
  const auto& p = params.of<NetworkParams>();
  const topology::Network network = topology::network(spec.platform);
  EnergyUse use;
  const auto links = static_cast<std::uint64_t>(row.links.size());
  use.actions.push_back(
      {EnergyPart::links, "link.network", ActionKind::bit, 8 * bytes_of_links(row), "energy.link.network", 0, links});
  use.links.push_back({"energy.link.network", 8 * static_cast<double>(p.link.rate.value) * static_cast<double>(links)});
  add_routers(p, static_cast<std::uint64_t>(network.graph.nodes().size()), row, use);
  add_nics(spec.jobs.front(), p, static_cast<std::uint64_t>(network.size()), row, use);
  use.standing.push_back({"GPU", static_cast<double>(network.size()), "energy.gpu.standing"});
  use.not_included.emplace_back("standing power of routers and NICs");
  return use;
}

}  // namespace tributary
