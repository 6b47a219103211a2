#include "testbench/cli/commands/import_command.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "platforms/topology/files/anynet.h"
#include "platforms/topology/files/fabric_file.h"
#include "platforms/topology/files/nccl_xml.h"
#include "platforms/topology/files/topo_matrix.h"
#include "platforms/topology/files/topology_text.h"
#include "testbench/cli/commands/import_trace.h"
#include "testbench/cli/exit_code.h"
#include "testbench/cli/requests/option_text.h"
#include "testbench/cli/requests/output_check.h"
#include "testbench/report/result_file.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

using Json = nlohmann::ordered_json;
using topology::TopologyFormat;

constexpr std::pair<TopologyFormat, const char*> formats[] = {
    {TopologyFormat::nccl, "nccl"}, {TopologyFormat::topo_m, "topo-m"}, {TopologyFormat::anynet, "anynet"}};

TopologyFormat format_of(const std::string& name, const std::string& text) {
  if (name.empty()) return topology::format_of_text(text);
  for (const auto& [format, known] : formats)
    if (name == known) return format;
  throw InputError("--format: '" + name + "' (legal: nccl, topo-m, anynet)");
}

/// The contents of a topology file of any format.
class Imported {
 public:
  std::vector<std::pair<std::string, std::string>> summary;
  std::vector<std::string> warnings;
  Json nodes = Json::array(), links = Json::array();

  void node(const std::string& name, const char* kind) { nodes.push_back({{"name", name}, {"kind", kind}}); }
  /// Adds `count` parallel links, each at the next port of both ends. `rate` is in bytes/s, 0 if unknown.
  void both(const std::string& a, const std::string& b, const char* kind, int count, std::uint64_t rate) {
    for (int i = 0; i < count; ++i) {
      const int at_a = ports_[a]++, at_b = ports_[b]++;
      link(a, at_a, b, at_b, kind, rate), link(b, at_b, a, at_a, kind, rate);
    }
  }
  Json& link(const std::string& from, int from_port, const std::string& to, int to_port, const char* kind,
             std::uint64_t rate) {
    Json row{{"from", from}, {"from_port", from_port}, {"to", to}, {"to_port", to_port}, {"class", kind}};
    if (rate != 0) row["GBps"] = static_cast<double>(rate) / 1e9;
    links.push_back(std::move(row));
    return links.back();
  }

 private:
  std::map<std::string, int> ports_;
};

std::string numbered(const char* word, std::size_t number) { return word + std::to_string(number); }

int sum(const std::vector<std::vector<int>>& table) {
  int all = 0;
  for (const std::vector<int>& row : table) all = std::accumulate(row.begin(), row.end(), all);
  return all;
}

void add_pcie(Imported& made, const topology::Server& s) {
  const auto name = [&](int node) {
    return numbered(s.pcie[static_cast<std::size_t>(node)].parent < 0 ? "cpu" : "pci", static_cast<std::size_t>(node));
  };
  for (std::size_t n = 0; n < s.pcie.size(); ++n) made.node(name(static_cast<int>(n)), s.pcie[n].parent < 0 ? "cpu" : "pci");
  for (std::size_t n = 0; n < s.nic_on.size(); ++n) made.node(numbered("nic", n), "nic");
  const auto rate = [](const std::vector<topology::PcieLink>& links, std::size_t i) {
    return i < links.size() ? topology::pcie_rate(links[i]) : 0;
  };
  for (std::size_t n = 0; n < s.pcie.size(); ++n)
    if (s.pcie[n].parent >= 0)
      made.both(name(static_cast<int>(n)), name(s.pcie[n].parent), "PCI", 1, topology::pcie_rate(s.pcie[n].up));
  for (std::size_t n = 0; n < s.pcie.size(); ++n)
    for (std::size_t other = 0; other < n; ++other)
      if (s.pcie[n].parent < 0 && s.pcie[other].parent < 0)
        made.both(name(static_cast<int>(other)), name(static_cast<int>(n)), "SYS", 1,
                  std::min(s.pcie[n].to_sockets, s.pcie[other].to_sockets));
  for (std::size_t g = 0; g < s.gpu_on.size(); ++g)
    made.both(numbered("gpu", g), name(s.gpu_on[g]), "PCI", 1, rate(s.gpu_up, g));
  for (std::size_t n = 0; n < s.nic_on.size(); ++n)
    made.both(numbered("nic", n), name(s.nic_on[n]), "PCI", 1, rate(s.nic_up, n));
}

Imported of_server(const topology::Server& s) {
  Imported made;
  const auto gpus = static_cast<std::size_t>(s.gpus()), switches = static_cast<std::size_t>(s.switches());
  const auto of_switch = [&](std::size_t i) { return s.switch_names.empty() ? numbered("switch", i) : s.switch_names[i]; };
  for (std::size_t g = 0; g < gpus; ++g) made.node(numbered("gpu", g), "gpu");
  for (std::size_t i = 0; i < switches; ++i) made.node(of_switch(i), "switch");
  const char* const kind = s.gcn.empty() ? "NVL" : "XGMI";
  for (std::size_t a = 0; a < gpus; ++a) {
    for (std::size_t b = 0; b < a; ++b)
      made.both(numbered("gpu", b), numbered("gpu", a), kind, s.links[a][b], s.nvlink_rate);
    for (std::size_t i = 0; i < switches; ++i)
      made.both(numbered("gpu", a), of_switch(i), kind, s.switch_links[a][i], s.nvlink_rate);
  }
  for (std::size_t a = 0; a < s.trunks.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) made.both(of_switch(b), of_switch(a), "NVL", s.trunks[a][b], s.nvlink_rate);
  add_pcie(made, s);
  const auto count = [&](const char* what, std::size_t number) { made.summary.emplace_back(what, std::to_string(number)); };
  count("GPUs", gpus), count("NVSwitches", switches);
  count("links", static_cast<std::size_t>(sum(s.links) / 2 + sum(s.switch_links) + sum(s.trunks) / 2));
  made.summary.emplace_back("rate", s.nvlink_rate == 0 ? "unknown" : to_string(bytes_per_second(s.nvlink_rate)) + " each");
  if (switches > 0) {
    std::string row;
    for (const int links : s.switch_links.front()) row += (row.empty() ? "" : "/") + std::to_string(links);
    made.summary.emplace_back("of GPU 0", row);
  }
  count("PCIe nodes", s.pcie.size()), count("NICs", s.nic_on.size());
  made.warnings = topology::is_fabric(s) ? topology::fabric_of(s).notes : s.notes;
  return made;
}

/// Units in a file of BookSim; null if unknown.
struct NetworkUnits {
  std::optional<Time> cycle;
  std::optional<Bandwidth> rate;
};

NetworkUnits units_of(const ImportRequest& request) {
  NetworkUnits units;
  if (request.cycle) units.cycle = with_place("--cycle", [&] { return parse_time(*request.cycle); });
  if (units.cycle && (*units.cycle < 1_ps || *units.cycle > 1_ms))
    throw InputError("--cycle: " + *request.cycle + " is out of range (legal: 1ps to 1ms)");
  if (request.flit_rate) units.rate = with_place("--flit-rate", [&] { return parse_bandwidth(*request.flit_rate); });
  if (units.rate && (*units.rate < bytes_per_second(1'000'000) || *units.rate > 10'000_GBps))
    throw InputError("--flit-rate: " + *request.flit_rate + " is out of range (legal: 1MB/s to 10TB/s)");
  return units;
}

Imported of_network(const topology::Anynet& net, const NetworkUnits& units) {
  Imported made;
  const topology::Graph& graph = net.network.graph;
  for (const topology::Node& node : graph.nodes())
    made.node(node.name, node.kind == topology::NodeKind::switch_node ? "router" : "nic");
  const auto link = [&](topology::PortRef from, topology::PortRef to) {
    Json& row = made.link(graph.node(from.node).name, from.port, graph.node(to.node).name, to.port, "NET",
                          units.rate ? units.rate->value : 0);
    const std::uint64_t cycles = net.cycles[static_cast<std::size_t>(from.node)][static_cast<std::size_t>(from.port)];
    row["cycles"] = cycles;
    if (units.cycle) row["latency_ns"] = static_cast<double>(cycles * units.cycle->value) / 1000;
  };
  for (const topology::Link& l : graph.links()) link(l.a, l.b), link(l.b, l.a);
  made.summary = {{"nodes", std::to_string(net.network.size())},
                  {"routers", std::to_string(graph.switches().size())},
                  {"links", std::to_string(graph.links().size())}};
  made.warnings = net.warnings;
  return made;
}

std::string completed_name(const ImportRequest& request) {
  std::string name = request.file;
  for (const auto& [key, value] : request.completion) name += "+" + key + ":" + value;
  return name;
}

Imported import_file(const ImportRequest& request, TopologyFormat& format) try {
  const topology::FileReading reading = topology::file_reading(completed_name(request));
  const std::string text = topology::read_topology_file(reading.path);
  format = format_of(request.format, text);
  if (format == TopologyFormat::anynet) return of_network(topology::read_anynet(text, reading.path), units_of(request));
  for (const auto& [option, text_of] : {std::pair("--cycle", &request.cycle), std::pair("--flit-rate", &request.flit_rate)})
    if (*text_of)
      throw InputError(std::string(option) +
                       ": the file describes a server, which has no cycles or flits (legal with anynet)");
  return of_server(topology::server_of_text(text, reading, format));
} catch (const std::logic_error& error) {
  throw InputError(error.what());
}

}  // namespace

int import_command(const ImportRequest& request) {
  if (request.what == "trace") return import_trace(request);
  if (request.what != "topology") throw InputError("import: '" + request.what + "' (legal: topology, trace)");
  if (request.file.empty()) throw InputError("import: FILE is missing (legal: a topology file; see --help)");
  if (!request.groups.empty()) throw InputError("--groups: a topology has no process groups (legal with trace)");
  if (!request.graph.empty()) {
    Settings files;
    files.add("file", {request.file, "FILE"});
    files.add("json", {request.graph, "--graph"});
    check_outputs(files);
  }
  TopologyFormat format = TopologyFormat::nccl;
  const Imported made = import_file(request, format);
  if (request.strict && !made.warnings.empty())
    throw InputError(request.file + ": " + made.warnings.front() + " (--strict)");
  for (const std::string& warning : made.warnings)
    std::cerr << "tributary: warning: " << request.file << ": " << warning << '\n';
  if (request.graph != "-") {
    for (const auto& [known, name] : formats)
      if (known == format) std::cout << "format      " << name << '\n';
    for (const auto& [what, number] : made.summary)
      std::cout << what << std::string(12 - what.size(), ' ') << number << '\n';
    std::cout << std::flush;
  }
  if (request.graph.empty()) return exit_done;
  const std::string json =
      Json{{"nodes", made.nodes}, {"links", made.links}}.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (request.graph == "-")
    std::cout << json << std::flush;
  else
    replace_file(request.graph, json);
  return exit_done;
}

}  // namespace tributary
