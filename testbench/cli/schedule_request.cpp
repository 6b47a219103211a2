#include "testbench/cli/schedule_request.h"

#include "modules/base/nearest.h"
#include "testbench/cli/choices.h"
#include "testbench/cli/option_text.h"
#include "testbench/cli/output_check.h"
#include "testbench/cli/rank_list.h"

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

/// The first name stands for an option that is not given.
template <class Value>
Value choice(const ScheduleOptions& options, const std::string& name,
             const std::vector<std::pair<std::string, Value>>& names) {
  return with_place("--" + name, [&] { return parse_name(text_of(options, name, names.front().first), names); });
}

topology::Network network_of(const ScheduleOptions& options) {
  if (options.count("topology") == 0)
    throw InputError("--topology is missing (legal: " + join_names(topology::network_names()) + ")");
  const topology::ParallelLinks parallel{links(options, "x-links"), links(options, "y-links")};
  return with_place("--topology", [&] { return topology::network(options.at("topology"), parallel); });
}

/// What the networks of this command can run.
std::vector<Method> network_methods() {
  std::vector<Method> methods;
  for (const collective::NetworkAlgorithm& a : collective::network_algorithms())
    methods.push_back({a.collective, a.name, a.about});
  return methods;
}
std::vector<CollectiveEntry> entries() { return collective_entries(network_methods()); }

/// The names of a table, of which the first is the default.
template <class Entry>
std::string named(const std::vector<Entry>& entries) {
  return join_names(entry_names(entries)) + " [unit: name; default: " + entries.front().name + "]";
}

}  // namespace

const std::vector<ScheduleOption>& schedule_options() {
  static const std::vector<ScheduleOption> all{
      {"topology", "NAME", join_names(topology::network_names()) + " [unit: name; needed]"},
      {"algorithm", "NAME", named(entries().front().algorithms)},
      {"collective", "NAME", named(entries())},
      {"ranks", "LIST", "nodes that take part, such as 0-3,8; rank i is the i-th [unit: nodes; default: all]"},
      {"order", "NAME", "turns of the trees: root, eccentricity or remaining [unit: name; default: root]"},
      {"search", "NAME", "through switches: no_transit, literal or nearest [unit: name; default: no_transit]"},
      {"x-links", "N", "parallel links between neighbours in a row of a torus or mesh [unit: links; default: 1]"},
      {"y-links", "N", "the same in a column [unit: links; default: 1]"},
      {"json", "FILE", "the schedule, with trees and NIC tables; - is standard output [unit: path; default: none]"},
  };
  return all;
}

ScheduleRequest make_schedule_request(const ScheduleOptions& options) {
  ScheduleRequest request{network_of(options), {}, text_of(options, "json", "")};
  const std::string collective = text_of(options, "collective", entries().front().name);
  const CollectiveEntry entry = find_collective(network_methods(), collective, "--collective");
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
    throw InputError("--order and --search belong to --algorithm multitree");
  if (options.count("search") != 0 && request.network.direct())
    throw InputError("--search belongs to networks with switches; legal: with fat_tree_2level or bigraph");
  Settings outputs;
  if (options.count("json") != 0) outputs.add("json", {request.json, "--json"});
  check_outputs(outputs);
  return request;
}

}  // namespace tributary
