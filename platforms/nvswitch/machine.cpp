#include "platforms/nvswitch/machine.h"

#include <algorithm>
#include <stdexcept>

#include "modules/base/nearest.h"
#include "platforms/topology/dgx2.h"
#include "platforms/topology/fat_tree.h"
#include "platforms/topology/files/fabric_file.h"

namespace tributary {
namespace {

struct Row {
  const char* name;
  const char* about;
  topology::Graph (*graph)();
  AddressMap::Shape shape;  // planes, switches per plane, home ports per switch, trunks, spines per plane
  MachineDefaults defaults;
};

const std::vector<Row>& table() {
  static const std::vector<Row> rows{
      {"dgx2", "16 GPUs, 12 NVSwitches in 6 planes", topology::dgx2, {6, 2, 16, 8}, {}},
      {"fat_tree",
       "128 GPUs, 96 leaf and 48 spine NVSwitches in 6 planes",
       topology::fat_tree,
       {6, 24, 16, 8, 8},
       {64, 16, 256_B, 1_KiB}},
  };
  return rows;
}

std::string base(const std::string& name) { return name.substr(0, name.find(':')); }

constexpr const char *file_kind = "file", *file_about = "GPUs and NVSwitches that a file describes";

/// Scales the waves to cover the same time of all links of a GPU as on a DGX-2, which has 6 links, and the reduction
/// tables to hold the same fraction of the blocks of these waves of a GPU: 384 of 1024 on a DGX-2, in 192 tables of 256
/// B.
MachineDefaults defaults_of(const topology::Graph& graph) {
  const MachineDefaults dgx2;
  const auto links = static_cast<std::uint32_t>(graph.node(graph.gpus().front()).ports);
  std::uint64_t ports = 0;
  for (const int s : graph.switches()) ports += static_cast<std::uint64_t>(graph.node(s).ports);
  const auto scaled = [&](std::uint32_t waves) { return (waves * links + 5) / 6; };
  const auto entries = [&](Bytes table) {
    const std::uint64_t share = table.value / block_bytes * 192 * links;
    return bytes((share + 6 * ports - 1) / (6 * ports) * block_bytes);
  };
  return {scaled(dgx2.push_waves), scaled(dgx2.pull_waves), entries(dgx2.push_table), entries(dgx2.pull_table)};
}

/// True for a built-in server whose GPUs NVSwitches join.
bool is_switched_server(const std::string& name) {
  const auto& forms = topology::server_forms();
  return std::any_of(forms.begin(), forms.end(),
                     [&](const topology::ServerForm& f) { return f.name == name && f.switched; });
}

Machine machine_of_server(const topology::PlatformDescription& platform, const topology::Server& server,
                          const std::string& name, const std::string& about) {
  topology::FabricFile file = topology::fabric_of(server);
  topology::SwitchPlanes planes = topology::switch_planes(file.links);
  const MachineDefaults defaults = defaults_of(planes.graph);
  topology::GpuKind gpus = topology::gpu_kind(platform, server);
  if (!gpus.note.empty()) file.notes.push_back(gpus.note);
  return {name,     about,          std::move(planes.graph), std::move(planes.shape),
          defaults, file.link_rate, std::move(file.notes),   std::move(gpus)};
}

Machine machine_of_file(const topology::PlatformDescription& platform) {
  if (!platform.is_file()) throw std::invalid_argument("'" + platform.name() + "' does not name a file (legal: file:FILE)");
  if (platform.file_server() == nullptr)
    throw std::invalid_argument(platform.path() +
                                ": a network of routers, not a server (legal: a file of NCCL or of topo -m)");
  topology::Server server = *platform.file_server();
  server.name = platform.path();
  try {
    return machine_of_server(platform, server, "machine", file_about);
  } catch (const topology::TopologyError& error) {
    throw std::invalid_argument(platform.path() + ": " + error.what());
  }
}

}  // namespace

const std::vector<MachineName>& machine_names() {
  static const std::vector<MachineName> names{
      {"dgx2", table()[0].about, 16, 16},
      {"a100", "8 A100, 6 NVSwitches", 8, 8},
      {"h100", "8 H100, 4 NVSwitches", 8, 8},
      {"h200", "8 H200, 4 NVSwitches", 8, 8},
      {"b200", "8 B200, 2 NVSwitches", 8, 8},
      {"nvl72", "72 B200 of a GB200 NVL72, 18 NVSwitches", 72, 72},
      {"fat_tree:128", table()[1].about, 128, 128},
      {"fat_tree:64", "the same machine with 64 participating GPUs (--gpus 64)", 128, 64},
  };
  return names;
}

MachineName machine_name(const topology::PlatformDescription& platform) {
  const std::string& name = platform.name();
  if (base(name) == file_kind) {
    const int gpus = static_cast<int>(machine(platform).graph.gpus().size());
    return {name, file_about, gpus, gpus};
  }
  std::vector<std::string> legal;
  for (const MachineName& known : machine_names()) {
    if (known.name == name) return known;
    if (known.name == base(name) || base(known.name) == base(name)) legal.push_back(known.name);
  }
  if (legal.empty()) throw std::invalid_argument(unknown_name("platform", base(name), machine_kinds()));
  const bool bare = name.find(':') == std::string::npos;
  if (bare) return machine_name(legal.front());
  const std::string given = "'" + name.substr(base(name).size() + 1) + "' is given";
  if (legal.front() == base(name))
    throw std::invalid_argument("platform " + base(name) + " accepts no arguments, but " + given);
  throw std::invalid_argument("platform " + base(name) + " requires a number of GPUs, but " + given +
                              " (legal: " + join_names(legal) + ")");
}

std::vector<std::string> machine_kinds() {
  std::vector<std::string> kinds;
  for (const Row& row : table()) kinds.emplace_back(row.name);
  for (const topology::ServerForm& f : topology::server_forms())
    if (f.switched) kinds.push_back(f.name);
  kinds.emplace_back(file_kind);
  return kinds;
}

bool is_machine_file(const topology::PlatformDescription& platform) {
  return platform.is_file() && platform.file_server() != nullptr && topology::is_fabric(*platform.file_server());
}

Machine machine(const topology::PlatformDescription& platform) {
  if (base(platform.name()) == file_kind) return machine_of_file(platform);
  const MachineName known = machine_name(platform);
  const std::string wanted = base(known.name);
  if (is_switched_server(wanted)) return machine_of_server(platform, topology::server(wanted), wanted, known.about);
  for (const Row& row : table())
    if (wanted == row.name)
      return {row.name,     row.about, row.graph(), row.shape,
              row.defaults, {},        {},          topology::gpu_kind(platform, topology::server("dgx1v"))};  // V100, too
  throw std::invalid_argument("platform '" + platform.name() + "' has no netlist");
}

}  // namespace tributary
