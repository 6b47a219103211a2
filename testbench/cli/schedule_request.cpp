#include "testbench/cli/schedule_request.h"

#include <algorithm>

#include "modules/base/field_type.h"
#include "modules/base/nearest.h"
#include "testbench/cli/output_check.h"
#include "testbench/cli/rank_list.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

using collective::SwitchSearch;
using collective::TreeOrder;

std::string text_of(const ScheduleOptions& options, const std::string& name, const std::string& standard) {
  const auto found = options.find(name);
  return found == options.end() ? standard : found->second;
}

/// Calls `read`; what it refuses gets the option's name in front.
template <class Read>
auto with_place(const std::string& option, Read read) {
  try {
    return read();
  } catch (const InputError& error) {
    throw InputError("--" + option + ": " + error.what());
  } catch (const std::invalid_argument& error) {
    throw InputError("--" + option + ": " + error.what());
  }
}

int links(const ScheduleOptions& options, const std::string& name) {
  const std::string text = text_of(options, name, "1");
  std::uint64_t n = 0;
  try {
    n = parse_count(text, ~std::uint64_t{0});
  } catch (const UnitError&) {
  }
  if (n < 1 || n > 8) throw InputError("--" + name + ": '" + text + "' (legal: 1 to 8)");
  return static_cast<int>(n);
}

template <class Value>
Value choice(const ScheduleOptions& options, const std::string& name,
             const std::vector<std::pair<std::string, Value>>& choices) {
  const std::string text = text_of(options, name, choices.front().first);
  std::vector<std::string> names;
  for (const auto& [known, value] : choices) {
    if (known == text) return value;
    names.push_back(known);
  }
  throw InputError("--" + name + ": " + unknown_name(name, text, names));
}

void check_algorithm(const collective::NetworkRequest& request) {
  std::vector<std::string> collectives, algorithms;
  for (const auto& a : collective::network_algorithms()) {
    if (std::find(collectives.begin(), collectives.end(), a.collective) == collectives.end())
      collectives.push_back(a.collective);
    if (a.collective == request.collective) algorithms.push_back(a.name);
  }
  if (algorithms.empty()) throw InputError("--collective: " + unknown_name("collective", request.collective, collectives));
  if (std::find(algorithms.begin(), algorithms.end(), request.algorithm) == algorithms.end())
    throw InputError("--algorithm: " + unknown_name("algorithm of " + request.collective, request.algorithm, algorithms) +
                     (algorithms.size() == 1 ? " (legal: " + algorithms.front() + ")" : ""));
}

topology::Network network_of(const ScheduleOptions& options) {
  if (options.count("topology") == 0)
    throw InputError("--topology is missing (legal: " + join_names(topology::network_names()) + ")");
  const topology::ParallelLinks parallel{links(options, "x-links"), links(options, "y-links")};
  return with_place("topology", [&] { return topology::network(options.at("topology"), parallel); });
}

}  // namespace

const std::vector<ScheduleOption>& schedule_options() {
  static const std::vector<ScheduleOption> all{
      {"topology", "NAME", join_names(topology::network_names()) + " [unit: name; needed]"},
      {"algorithm", "NAME", "multitree, ring, ring_2d, double_binary_tree or hdrm [unit: name; default: multitree]"},
      {"collective", "NAME", "allreduce, reduce_scatter, allgather or alltoall [unit: name; default: allreduce]"},
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
  request.request.collective = text_of(options, "collective", "allreduce");
  request.request.algorithm = text_of(options, "algorithm", "multitree");
  check_algorithm(request.request);
  if (options.count("ranks") != 0)
    request.request.members =
        with_place("ranks", [&] { return parse_node_list(options.at("ranks"), request.network.size()); });
  request.request.multitree.order = choice<TreeOrder>(
      options, "order",
      {{"root", TreeOrder::root}, {"eccentricity", TreeOrder::eccentricity}, {"remaining", TreeOrder::remaining}});
  request.request.multitree.search = choice<SwitchSearch>(
      options, "search",
      {{"no_transit", SwitchSearch::no_transit}, {"literal", SwitchSearch::literal}, {"nearest", SwitchSearch::nearest}});
  if (options.count("order") + options.count("search") != 0 && request.request.algorithm != "multitree")
    throw InputError("--order and --search belong to --algorithm multitree");
  if (options.count("search") != 0 && request.network.direct())
    throw InputError("--search belongs to networks with switches; legal: with fat_tree_2level or bigraph");
  Settings outputs;
  if (options.count("json") != 0) outputs.add("json", {request.json, "--json"});
  check_outputs(outputs);
  return request;
}

}  // namespace tributary
