#include "testbench/family/netreduce/energy.h"

#include <algorithm>
#include <map>

#include "modules/base/text_format.h"
#include "platforms/topology/racks.h"
#include "testbench/family/netreduce/accelerator_needs.h"
#include "testbench/family/netreduce/driver.h"
#include "testbench/run/energy/area.h"
#include "testbench/run/energy/energy.h"
#include "testbench/run/energy/link_bytes.h"

namespace tributary {
namespace {

using ActionKind = Action::Kind;

constexpr std::uint64_t block_ram_bytes = 4608;

constexpr const char *host_kind = "host", *accelerator_kind = "accelerator";

bool is_switch(const std::string& kind) { return kind != host_kind && kind != accelerator_kind; }
bool to_switch(const std::string&, const std::string& to) { return is_switch(to); }
bool to_accelerator(const std::string&, const std::string& to) { return to == accelerator_kind; }
bool at_host(const std::string& from, const std::string& to) { return from == host_kind || to == host_kind; }

/// Devices of a rack by their number, as links show them.
struct RackParts {
  std::uint64_t hosts, accelerators;
  double ports;  ///< ports of switches, without those of accelerators that do nothing
};

RackParts parts_of(const topology::Racks& machine, const ResultRow& row, bool accelerated) {
  RackParts parts{0, 0, 0};
  for (const topology::Node& node : machine.graph.nodes()) {
    parts.hosts += device_kind(node.name) == host_kind ? 1 : 0;
    parts.accelerators += device_kind(node.name) == accelerator_kind ? 1 : 0;
  }
  parts.ports = links_by_kind(row, to_switch);
  if (accelerated) return parts;
  parts.accelerators = 0;
  parts.ports -= links_by_kind(
      row, [](const std::string& from, const std::string& to) { return from == accelerator_kind && is_switch(to); });
  return parts;
}

/// Adds what an accelerator does: frames in, payload buffers, sums.
void add_accelerators(const JobSpec& job, std::uint64_t count, const ResultRow& row, EnergyUse& use) {
  const auto bytes = [&](const char* counter) { return counted(row, counter, use); };
  use.actions.push_back({EnergyPart::accelerator, "accelerator.mac", ActionKind::bit, 8 * bytes_by_kind(row, to_accelerator),
                         "energy.fpga.bit", 0, count});
  for (const auto& [kind, counter] : {std::pair{ActionKind::write, "accelerator.payload_writes"},
                                      std::pair{ActionKind::read, "accelerator.payload_reads"}})
    use.actions.push_back(
        {EnergyPart::buffers, "accelerator.payloads", kind, bytes(counter), "", block_ram_bytes, count, true});
  use.actions.push_back({EnergyPart::adders, "accelerator.adder", ActionKind::add, bytes("accelerator.added_elements"), "",
                         0, count, true, job.type, job.op});
}

}  // namespace

EnergyUse NetReduceEnergy::use(const RunSpec& spec, const RunParameters& params, const ResultRow& row) const {
  const auto& p = params.of<NetReducePlatformParams>();
  const topology::Racks machine = racks_of(spec.platform.name(), p);
  const JobSpec& job = spec.jobs.front();
  const bool accelerated = bytes_by_kind(row, to_accelerator) > 0;
  const RackParts parts = parts_of(machine, row, accelerated);
  EnergyUse use;
  const auto links = number_of_links(row);
  use.actions.push_back(
      {EnergyPart::links, "link.ethernet", ActionKind::bit, 8 * bytes_of_links(row), "energy.link.ethernet", 0, links});
  use.links.push_back({"energy.link.ethernet", 8 * static_cast<double>(p.link.rate.value) * static_cast<double>(links)});
  use.actions.push_back({EnergyPart::switches, "switch.input", ActionKind::bit, 8 * bytes_by_kind(row, to_switch),
                         "energy.ethernet_switch.bit"});
  use.actions.push_back(
      {EnergyPart::nics, "host.nic", ActionKind::bit, 8 * bytes_by_kind(row, at_host), "energy.nic.bit", 0, parts.hosts});
  use.actions.push_back({EnergyPart::memory, "host.memory", ActionKind::bit, 8 * counted(row, "host.memory_bytes", use),
                         "energy.memory.bit", 0, parts.hosts});
  use.actions.push_back({EnergyPart::adders, "host.adder", ActionKind::add, counted(row, "host.added_elements", use), "", 0,
                         parts.hosts, false, job.type, job.op});
  if (accelerated) add_accelerators(job, parts.accelerators, row, use);
  if (accelerated) use.not_included.emplace_back("moves of results within hosts");
  if (machine.gpus > 1) use.not_included.emplace_back("links and kernels inside of hosts");
  use.standing.push_back({"switch port", parts.ports, "energy.ethernet_switch.standing"});
  use.standing.push_back({"NIC", static_cast<double>(parts.hosts), "energy.nic.standing"});
  if (accelerated) use.standing.push_back({"FPGA", static_cast<double>(parts.accelerators), "energy.fpga.standing"});
  use.standing.push_back({"GPU", static_cast<double>(machine.ranks()), "energy.gpu.standing"});
  return use;
}

namespace {

/// Returns the block RAMs of an accelerator. Each buffer has whole ones.
std::uint64_t block_rams_of(const AcceleratorMemory& m) {
  return block_rams(m.payload) + block_rams(m.headers) + block_rams(m.state) + block_rams(m.value) + block_rams(m.queues);
}

struct FpgaAdders {
  std::uint64_t adders = 0;
  double dsp_blocks = 0;
};

/// Returns the adders of all units of an accelerator. A unit that several rings share has those of the ring that needs the
/// most DSP blocks, or else the most adders.
FpgaAdders fpga_adders(const std::vector<RingAdders>& rings, const AreaPrices& prices) {
  std::map<unsigned, std::pair<double, std::uint64_t>> units;
  for (const RingAdders& ring : rings) {
    const double blocks = static_cast<double>(ring.adders) * prices.dsp_blocks(ring.type, ring.op);
    auto& unit = units[ring.unit];
    unit = std::max(unit, std::pair(blocks, ring.adders));
  }
  FpgaAdders all;
  for (const auto& [number, unit] : units) all.dsp_blocks += unit.first, all.adders += unit.second;
  return all;
}

}  // namespace

/// Returns the most block RAMs and the most DSP blocks of any accelerator.
AreaReport NetReduceEnergy::area(const RunSpec& spec, const RunParameters& params) const {
  const auto& p = params.of<NetReducePlatformParams>();
  const AreaPrices prices(params.prices);
  std::uint64_t most = 0;
  FpgaAdders sums;
  for (const AcceleratorNeeds& needs : accelerator_needs(spec, p, racks_of(spec.platform.name(), p))) {
    most = std::max(most, block_rams_of(needs.memory));
    const FpgaAdders adders = fpga_adders(needs.adders, prices);
    if (std::pair(adders.dsp_blocks, adders.adders) > std::pair(sums.dsp_blocks, sums.adders)) sums = adders;
  }
  if (most == 0) return {};
  const double share = static_cast<double>(most) / static_cast<double>(prototype_block_rams);
  return {{{"bram36", static_cast<double>(most)}, {"share_of_prototype_fpga", share}, {"dsp48", sums.dsp_blocks}},
          "# area: " + std::to_string(most) + " block RAMs of 36 Kb of an accelerator, " + fixed(100 * share, 2) +
              " % of the prototype's FPGA; " + fixed(sums.dsp_blocks, 0) + " DSP blocks of " + std::to_string(sums.adders) +
              " adders; logic is not modelled\n"};
}

}  // namespace tributary
