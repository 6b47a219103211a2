#include "testbench/family/blink/energy.h"

#include <array>
#include <set>
#include <string>

#include "testbench/run/energy/energy.h"
#include "testbench/run/energy/link_bytes.h"

namespace tributary {
namespace {

using ActionKind = Action::Kind;

enum Wire : std::size_t { nvlink, pcie, network, wires };
constexpr std::array<const char*, wires> wire_prices{"energy.link.nvlink", "energy.link.pcie", "energy.link.ethernet"};
constexpr std::array<const char*, wires> wire_names{"link.nvlink", "link.pcie", "link.ethernet"};

/// PCIe begins or ends at a PCIe switch or a socket, and NICs are linked to the network between servers.
Wire wire_of(const KindOfLink& link) {
  const auto is = [&](const char* kind) { return link.from == kind || link.to == kind; };
  if (is("pcie") || is("socket")) return pcie;
  return is("nic") || is("network") ? network : nvlink;
}

/// Adds links by their kind.
void add_links(const ResultRow& row, EnergyUse& use) {
  std::array<double, wires> bytes{};
  std::array<std::uint64_t, wires> links{};
  for (const LinkUse& link : row.links) {
    const Wire wire = wire_of(kind_of_link(link.name));
    bytes[wire] += static_cast<double>(link.bytes), ++links[wire];
  }
  for (std::size_t w = 0; w < wires; ++w)
    if (links[w] != 0)
      use.actions.push_back({EnergyPart::links, wire_names[w], ActionKind::bit, 8 * bytes[w], wire_prices[w], 0, links[w]});
}

}  // namespace

EnergyUse BlinkEnergy::use(const RunSpec& spec, const RunParameters&, const ResultRow& row) const {
  const JobSpec& job = spec.jobs.front();
  EnergyUse use;
  add_links(row, use);
  const auto from = [&](const char* kind) {
    std::set<std::string> devices;
    for (const LinkUse& link : row.links)
      if (kind_of_link(link.name).from == kind) devices.insert(link.name.substr(0, link.name.find('.')));
    return static_cast<double>(devices.size());
  };
  const double nics = from("nic"), gpus = from("gpu"), switches = from("switch") + from("nvswitch");
  const auto wire_is = [](Wire wire) {
    return [wire](const std::string& a, const std::string& b) { return wire_of({a, b}) == wire; };
  };
  const auto at_switch = [](const std::string&, const std::string& to) { return to == "switch" || to == "nvswitch"; };
  use.actions.push_back({EnergyPart::switches, "switch.input", ActionKind::bit, 8 * bytes_by_kind(row, at_switch),
                         "energy.nvswitch.bit", 0, static_cast<std::uint64_t>(switches)});
  if (nics > 0)
    use.actions.push_back({EnergyPart::nics, "server.nic", ActionKind::bit, 2 * 8 * bytes_by_kind(row, wire_is(network)),
                           "energy.nic.bit", 0, static_cast<std::uint64_t>(nics)});
  const double copied = counted(row, "copied.nvlink_bytes", use) + counted(row, "copied.pcie_bytes", use) +
                        counted(row, "copied.network_bytes", use);
  const double kernels = counted(row, "kernel.bytes_read", use) + counted(row, "kernel.bytes_written", use);
  const auto devices = static_cast<std::uint64_t>(gpus);
  // A copy is read once and written once.
  use.actions.push_back(
      {EnergyPart::memory, "gpu.memory", ActionKind::bit, 8 * (2 * copied + kernels), "energy.memory.bit", 0, devices});
  use.actions.push_back(
      {EnergyPart::kernels, "gpu.kernels", ActionKind::byte, copied + kernels, "energy.gpu.sm_byte", 0, devices});
  use.actions.push_back({EnergyPart::adders, "gpu.adder", ActionKind::add, counted(row, "kernel.added_elements", use), "", 0,
                         devices, false, job.type, job.op});
  if (switches > 0) use.standing.push_back({"switch", switches, "energy.nvswitch.standing"});
  if (nics > 0) use.standing.push_back({"NIC", nics, "energy.nic.standing"});
  use.standing.push_back({"GPU", gpus, "energy.gpu.standing"});
  use.not_included.emplace_back("PCIe switches");
  return use;
}

}  // namespace tributary
