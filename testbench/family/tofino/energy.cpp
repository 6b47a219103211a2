#include "testbench/family/tofino/energy.h"

#include "platforms/tofino/platform_params.h"
#include "testbench/family/tofino/algorithms.h"
#include "testbench/run/energy/energy.h"
#include "testbench/run/energy/link_bytes.h"

namespace tributary {
namespace {

constexpr const char* host = "host";  ///< begins the names of workers and the server

}  // namespace

/// A value that reaches a register reads and writes it.
EnergyUse TofinoEnergy::use(const RunSpec& spec, const RunParameters& params, const ResultRow& row) const {
  using ActionKind = Action::Kind;
  constexpr double register_bytes = 4;
  const auto& p = params.of<TofinoPlatformParams>();
  const auto at_host = [](const std::string& from, const std::string& to) { return from == host || to == host; };
  const auto from_host = [](const std::string& from, const std::string&) { return from == host; };
  const auto hosts = static_cast<std::uint64_t>(links_by_kind(row, from_host));
  EnergyUse use;
  const auto links = static_cast<std::uint64_t>(row.links.size());
  use.actions.push_back(
      {EnergyPart::links, "link.ethernet", ActionKind::bit, 8 * bytes_of_links(row), "energy.link.ethernet", 0, links});
  use.links.push_back({"energy.link.ethernet", 8 * static_cast<double>(p.link.rate.value) * static_cast<double>(links)});
  use.actions.push_back({EnergyPart::switches, "switch.pipeline", ActionKind::bit,
                         8 * counted(row, "switch.passage_bytes", use), "energy.tofino.bit"});
  use.actions.push_back(
      {EnergyPart::nics, "host.nic", ActionKind::bit, 8 * bytes_by_kind(row, at_host), "energy.nic.bit", 0, hosts});
  use.actions.push_back({EnergyPart::memory, "host.memory", ActionKind::bit, 8 * counted(row, "worker.memory_bytes", use),
                         "energy.memory.bit", 0, hosts});
  const double accesses = counted(row, "switch.register_accesses", use);
  const std::uint64_t array = std::uint64_t{p.tofino_switch.slots} * static_cast<std::uint64_t>(register_bytes);
  for (const ActionKind kind : {ActionKind::read, ActionKind::write})
    use.actions.push_back(
        {EnergyPart::tables, "switch.registers", kind, register_bytes * accesses, "", array, p.tofino_switch.stages});
  use.actions.push_back({EnergyPart::adders, "switch.adder", ActionKind::add, counted(row, "switch.added_elements", use), "",
                         0, p.tofino_switch.stages, false, ElementType::i32, ReduceOp::sum});
  if (tofino_algorithm(spec.jobs.front()).scheme == AggregationScheme::atp)
    use.actions.push_back({EnergyPart::adders, "server.adder", ActionKind::add, counted(row, "server.added_elements", use),
                           "", 0, 1, false, spec.jobs.front().type, ReduceOp::sum});
  use.standing.push_back({"switch port", static_cast<double>(links) / 2, "energy.tofino.standing"});
  use.standing.push_back({"NIC", static_cast<double>(hosts), "energy.nic.standing"});
  use.standing.push_back({"GPU", static_cast<double>(hosts), "energy.gpu.standing"});
  return use;
}

}  // namespace tributary
