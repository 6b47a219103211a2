#include "testbench/cli/requests/schedule_request.h"

#include <algorithm>
#include <functional>

#include "modules/base/nearest.h"
#include "platforms/topology/plane.h"
#include "testbench/cli/requests/option_text.h"
#include "testbench/cli/requests/output_check.h"
#include "testbench/cli/requests/rank_list.h"
#include "testbench/run/choices.h"

namespace tributary {
namespace {

using collective::SwitchSearch;
using collective::TreeOrder;

std::string text_of(const ScheduleOptions& options, const std::string& name, const std::string& standard) {
  const auto found = options.find(name);
  return found == options.end() ? standard : found->second;
}

int links(const ScheduleOptions& options, const std::string& name) {
  return with_place("--" + name, [&] { return static_cast<int>(parse_count_within(text_of(options, name, "1"), 1, 8)); });
}

/// Parses the name of an option. The first name is the default.
template <class Value>
Value choice(const ScheduleOptions& options, const std::string& name,
             const std::vector<std::pair<std::string, Value>>& names) {
  return with_place("--" + name, [&] { return parse_name(text_of(options, name, names.front().first), names); });
}

/// Returns the topology of --topology.
topology::PlatformDescription topology_of(const ScheduleOptions& options) {
  if (options.count("topology") == 0)
    throw InputError("--topology is missing (legal: " + join_names(topology_names()) + ")");
  return with_place("--topology", [&] { return topology::PlatformDescription(options.at("topology")); });
}

/// Returns the source of the topology; null for networks of NICs.
const ScheduleSource* source_of(const topology::PlatformDescription& topology) {
  for (const ScheduleSource* source : schedule_sources())
    if (source->endpoints(topology) >= 0) return source;
  return nullptr;
}

topology::Network network_of(const topology::PlatformDescription& platform, const ScheduleOptions& options) {
  const std::string& name = platform.name();
  const std::string kind = name.substr(0, name.find(':'));
  std::vector<std::string> kinds = topology::network_kinds();
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    for (const ScheduleSource* source : schedule_sources())
      for (const PlatformForm& form : source->topologies()) kinds.push_back(form.name);
    throw InputError("--topology: " + unknown_name("topology", kind, kinds, false) +
                     " (legal: " + join_names(topology_names()) + ")");
  }
  const topology::ParallelLinks parallel{links(options, "x-links"), links(options, "y-links")};
  return with_place("--topology", [&] { return topology::network(platform, parallel); });
}

/// Returns a plane of a machine of NVSwitches, on which its GPUs execute algorithms of networks.
topology::Network plane_of(const topology::PlatformDescription& machine) {
  return with_place("--topology", [&] { return topology::plane(machine.name(), family_of(machine).graph(machine)); });
}

/// Returns the algorithms for networks of NICs.
std::vector<Algorithm> network_algorithms() {
  std::vector<Algorithm> algorithms;
  for (const collective::NetworkAlgorithm& a : collective::network_algorithms())
    algorithms.push_back({a.collective, a.name, a.about});
  return algorithms;
}
std::vector<CollectiveEntry> entries() { return collective_entries(network_algorithms()); }

/// Returns the algorithms of networks that a machine of a source also runs: on a plane of its switches.
std::vector<Algorithm> plane_algorithms(const topology::PlatformDescription& machine) {
  std::vector<Algorithm> own = family_of(machine).algorithms(), both;
  for (const Algorithm& a : network_algorithms())
    if (std::any_of(own.begin(), own.end(),
                    [&](const Algorithm& b) { return a.collective == b.collective && a.name == b.name; }))
      both.push_back(a);
  return both;
}

/// Returns true if the algorithm that is named runs on a plane of the machine, and is none of the source's.
bool on_plane(const topology::PlatformDescription& machine, const ScheduleOptions& options) {
  const std::string collective = text_of(options, "collective", "allreduce"), name = text_of(options, "algorithm", "");
  const std::vector<Algorithm> all = plane_algorithms(machine);
  return std::any_of(all.begin(), all.end(),
                     [&](const Algorithm& a) { return a.collective == collective && a.name == name; });
}

/// Throws InputError if an option belongs to another kind of topology.
void check_own(const ScheduleOptions& options, const std::vector<std::string>& own) {
  static const std::vector<std::string> common{"topology", "algorithm", "collective", "ranks", "json"};
  for (const auto& [name, text] : options)
    if (std::find(common.begin(), common.end(), name) == common.end() &&
        std::find(own.begin(), own.end(), name) == own.end())
      throw InputError("--" + name + ": " + options.at("topology") + " does not have this option");
}

/// Returns the algorithm, the ranks and the source's own options. Nothing is built yet.
ScheduleInput input_for(const ScheduleSource& source, const topology::PlatformDescription& topology,
                        const ScheduleOptions& options) {
  const std::vector<Algorithm> algorithms = source.algorithms();
  const CollectiveEntry entry =
      find_collective(algorithms, text_of(options, "collective", algorithms.front().collective), "--collective");
  ScheduleInput input;
  input.topology = topology;
  CollectiveEntry known = entry;  // for the error alone: on_plane() has found none of the others
  for (const Algorithm& a : plane_algorithms(topology))
    if (a.collective == entry.name) known.algorithms.push_back(a);
  input.algorithm = find_algorithm(known, text_of(options, "algorithm", entry.algorithms.front().name), "--algorithm");
  if (options.count("ranks") != 0)
    input.ranks =
        with_place("--ranks", [&] { return parse_node_list(options.at("ranks"), source.endpoints(input.topology)); });
  std::vector<std::string> own{"dot", "msccl"};
  for (const ScheduleOption& option : source.options()) {
    own.push_back(option.name);
    if (options.count(option.name) != 0) input.own[option.name] = options.at(option.name);
  }
  check_own(options, own);
  return input;
}

void check_files(const ScheduleOptions& options) {
  Settings files;
  for (const char* name : {"topology", "json", "dot", "msccl"})
    if (options.count(name) != 0) files.add(name, {options.at(name), std::string("--") + name});
  check_outputs(files);
}

/// Returns the names of a table, with the first one as the default.
template <class Entry>
std::string named(const std::vector<Entry>& entries) {
  return join_names(entry_names(entries)) + " [unit: name; default: " + entries.front().name + "]";
}

/// Returns the names that the sources add to those of networks: `; dgx1p and dgx1v: blink`.
std::string of_sources(const std::function<std::vector<std::string>(const ScheduleSource&)>& names) {
  std::string text;
  for (const ScheduleSource* source : schedule_sources()) {
    std::vector<std::string> topologies;
    for (const PlatformForm& form : source->topologies()) topologies.push_back(form.name);
    text += "; " + join_names(topologies, "and") + ": " + join_names(names(*source));
  }
  return text;
}
std::vector<std::string> algorithms_of(const ScheduleSource& source) {
  return entry_names(collective_entries(source.algorithms()).front().algorithms);
}
std::vector<std::string> collectives_of(const ScheduleSource& source) {
  return entry_names(collective_entries(source.algorithms()));
}

}  // namespace

std::vector<std::string> topology_names() {
  std::vector<std::string> names = topology::network_names();
  for (const ScheduleSource* source : schedule_sources())
    for (const PlatformForm& form : source->topologies()) names.push_back(form.name);
  return names;
}

std::vector<std::string> schedule_algorithms(const std::string& topology, const std::string& collective) {
  const topology::PlatformDescription platform(topology);
  const ScheduleSource* const source = source_of(platform);
  std::vector<Algorithm> all = source != nullptr ? source->algorithms() : network_algorithms();
  for (const Algorithm& a : source != nullptr ? plane_algorithms(platform) : std::vector<Algorithm>{}) all.push_back(a);
  std::vector<std::string> names;
  for (const Algorithm& a : all)
    if (a.collective == collective) names.push_back(a.name);
  return names;
}

const std::vector<ScheduleOption>& schedule_options() {
  static const std::vector<ScheduleOption> all = [] {
    std::vector<ScheduleOption> options{
        {"topology", "NAME", join_names(topology_names()) + " [unit: name; required]"},
        {"algorithm", "NAME", named(entries().front().algorithms) + of_sources(algorithms_of)},
        {"collective", "NAME", named(entries()) + of_sources(collectives_of)},
        {"ranks", "LIST", "nodes or GPUs that take part, in the order of their ranks: 0-3,8 [unit: nodes; default: all]"},
        {"order", "NAME", "order in which trees grow: root, eccentricity or remaining [unit: name; default: root]"},
        {"search", "NAME",
         "search of paths through switches: no_transit, literal or nearest [unit: name; default: no_transit]"},
        {"x-links", "N",
         "number of parallel links between neighbours in a row of a torus or mesh [unit: links; default: 1]"},
        {"y-links", "N", "number of parallel links between neighbours in a column [unit: links; default: 1]"},
        {"json", "FILE", "schedule with trees and NIC tables as JSON; - is standard output [unit: path; default: none]"},
        {"msccl", "FILE", "schedule as MSCCL XML; - is standard output [unit: path; default: none]"},
        {"dot", "FILE", "drawing of a server's trees for Graphviz; - is standard output [unit: path; default: none]"},
    };
    for (const ScheduleSource* source : schedule_sources())
      for (const ScheduleOption& option : source->options()) options.push_back(option);
    return options;
  }();
  return all;
}

ScheduleRequest make_schedule_request(const ScheduleOptions& options) {
  ScheduleRequest request;
  request.json = text_of(options, "json", ""), request.dot = text_of(options, "dot", "");
  request.msccl = text_of(options, "msccl", "");
  const topology::PlatformDescription topology = topology_of(options);
  request.source = source_of(topology);
  if (request.source != nullptr && on_plane(topology, options)) request.source = nullptr;
  if (request.source != nullptr) {
    request.input = input_for(*request.source, topology, options);
    check_files(options);
    return request;
  }
  request.input.topology = topology;
  request.network = source_of(topology) == nullptr ? network_of(topology, options) : plane_of(topology);
  check_own(options, {"order", "search", "x-links", "y-links", "msccl"});
  const std::string collective = text_of(options, "collective", entries().front().name);
  const CollectiveEntry entry = find_collective(network_algorithms(), collective, "--collective");
  const std::string algorithm = text_of(options, "algorithm", entry.algorithms.front().name);
  request.request.collective = entry.name;
  request.request.algorithm = find_algorithm(entry, algorithm, "--algorithm").name;
  if (options.count("ranks") != 0)
    request.request.members =
        with_place("--ranks", [&] { return parse_node_list(options.at("ranks"), request.network.size()); });
  request.request.multitree.order = choice<TreeOrder>(
      options, "order",
      {{"root", TreeOrder::root}, {"eccentricity", TreeOrder::eccentricity}, {"remaining", TreeOrder::remaining}});
  request.request.multitree.search = choice<SwitchSearch>(
      options, "search",
      {{"no_transit", SwitchSearch::no_transit}, {"literal", SwitchSearch::literal}, {"nearest", SwitchSearch::nearest}});
  const auto* grown = collective::find_network_algorithm(request.request.collective, request.request.algorithm);
  if (options.count("order") + options.count("search") != 0 && !grown->grows)
    throw InputError("--order and --search require --algorithm multitree");
  if (options.count("x-links") + options.count("y-links") != 0 && source_of(topology) != nullptr)
    throw InputError("--x-links and --y-links: " + topology.name() + " does not have these options");
  if (options.count("search") != 0 && request.network.direct())
    throw InputError("--search requires a network with switches (legal: fat_tree_2level or bigraph)");
  check_files(options);
  return request;
}

}  // namespace tributary
