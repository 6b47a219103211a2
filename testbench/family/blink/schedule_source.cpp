#include "testbench/family/blink/schedule_source.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "modules/base/index.h"
#include "modules/base/parameter_set.h"
#include "platforms/topology/dgx2.h"
#include "platforms/topology/nvlink_islands.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/family/blink/algorithms.h"
#include "testbench/family/blink/codegen_params.h"
#include "testbench/family/blink/switch_report.h"
#include "testbench/family/blink/tree_report.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

/// Returns the option as a number from `least` to `most`, or `standard` if it is absent. Throws InputError.
template <class Number>
Number number(const ScheduleOptions& options, const std::string& name, Number standard, Number least, Number most,
              const std::string& legal) {
  const auto found = options.find(name);
  if (found == options.end()) return standard;
  const std::string& text = found->second;
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= least && value <= most))
    throw InputError("--" + name + ": '" + text + "' is given (legal: " + legal + ")");
  return value;
}

/// Parses a list such as `steps=halves,root=common`.
collective::TreeOptions tree_options(const ScheduleOptions& options) {
  TreegenParams params;
  const ParameterSet fields(params);
  if (const auto given = options.find("treegen"); given != options.end()) {
    std::istringstream assignments(given->second);
    try {
      for (std::string one; std::getline(assignments, one, ',');) fields.set_assignment(one);
    } catch (const ParameterError& error) {
      throw InputError(std::string("--treegen: ") + error.what());
    }
  }
  return params.options();
}

constexpr std::size_t most_gpus = 32;  ///< most GPUs for which TreeGen searches trees

/// Returns the built-in server of that name, or the server of files. Throws InputError.
topology::Server server_of(const topology::PlatformDescription& platform) {
  try {
    return topology::server(platform);
  } catch (const std::invalid_argument& error) {
    throw InputError(error.what());
  }
}

/// A server whose switches join all pairs of GPUs equally. Its trees need no search.
struct SwitchedServer {
  std::string name;
  int gpus = 0;
  int links = 0;  ///< NVLinks of each GPU
};

const char* const switched = "dgx2";  ///< the built-in server of this kind

/// Returns the server as some of its GPUs use it: the GPU with fewest links bounds the rate.
SwitchedServer switched_server(const topology::Server& server, const std::vector<int>& gpus) {
  const std::vector<int> links = topology::links_to_switches(server), islands = topology::nvlink_islands(server);
  int least = links[at(gpus.front())];
  for (const int gpu : gpus) {
    least = std::min(least, links[at(gpu)]);
    if (islands[at(gpu)] != islands[at(gpus.front())] || least == 0)
      throw InputError(server.name + ": no NVSwitch joins GPU " + std::to_string(gpus.front()) + " and GPU " +
                       std::to_string(gpu) + " (legal: --ranks of GPUs that NVSwitches join)");
  }
  return {server.name, server.gpus(), least};
}
SwitchedServer dgx2() {
  const topology::Graph graph = topology::dgx2();
  const std::vector<int> gpus = graph.gpus();
  return {switched, static_cast<int>(gpus.size()), graph.node(gpus.front()).ports};
}

constexpr std::int64_t most_chunks = 256;  ///< most chunks of a schedule whose chunks have one size

/// Returns a schedule in which the number of chunks of each tree is proportional to its weight.
collective::Schedule in_equal_chunks(collective::TreeUse use, std::vector<collective::WeightedTree> trees) {
  std::int64_t common = 0, chunks = 0;
  for (const collective::WeightedTree& t : trees) common = std::gcd(common, t.units);
  for (collective::WeightedTree& t : trees) chunks += t.units /= common;
  if (chunks > most_chunks)
    throw collective::ScheduleError("the weights of the trees need " + std::to_string(chunks) + " chunks (legal: at most " +
                                    std::to_string(most_chunks) + "; --treegen steps=eighths needs few)");
  const auto bytes = static_cast<std::uint64_t>(chunks) * block_bytes;
  collective::Schedule schedule = collective::packed_schedule({use, std::move(trees), bytes, 4, block_bytes}).schedule;
  schedule.algorithm = "blink";
  return schedule;
}

class BlinkSchedules : public ScheduleSource {
 public:
  std::vector<PlatformForm> topologies() const override {
    std::vector<PlatformForm> forms;
    for (const topology::ServerForm& f : topology::server_forms())
      forms.push_back({f.name, std::to_string(f.gpus), f.about});
    forms.push_back({switched, std::to_string(dgx2().gpus), "16 GPUs around 12 NVSwitches"});
    for (const topology::ServerForm& f : topology::server_file_forms()) forms.push_back({f.name, "as there", f.about});
    return forms;
  }
  int endpoints(const topology::PlatformDescription& platform) const override {
    if (platform.name() == switched) return dgx2().gpus;
    return topology::is_server(platform) ? server_of(platform).gpus() : -1;
  }
  std::vector<Algorithm> algorithms() const override {
    std::vector<Algorithm> all;
    for (const TreeAlgorithm& m : tree_algorithms())
      if (m.ring_share != nullptr) all.push_back(m.algorithm);
    return all;
  }
  std::vector<ScheduleOption> options() const override {
    return {{"root", "N", "blink: root of a broadcast or reduce [unit: rank; default: 0]"},
            {"pcie-ring", "X",
             "blink: rate of a ring over PCIe, the baseline if NVLinks form no ring [unit: links; default: 0.5]"},
            {"treegen", "LIST",
             "blink: comma-separated parameters blink.treegen.*, such as steps=halves,root=common [default: none]"}};
  }
  DrawnSchedule build(const ScheduleInput& input) const override {
    const TreeAlgorithm& algorithm = tree_algorithm(input.algorithm.collective, input.algorithm.name);
    if (input.topology.name() == switched) return through_switches(input, algorithm, dgx2());
    const topology::Server server = server_of(input.topology);
    const std::vector<int> gpus = gpus_of(input, server.gpus());
    if (topology::links_to_switches(server)[at(gpus.front())] > 0)
      return through_switches(input, algorithm, switched_server(server, gpus));
    TreeReport report;
    report.topology = server.name, report.notes = server.notes, report.algorithm = algorithm.algorithm,
    report.rooted = algorithm.rooted;
    report.root = root_of(input, algorithm, gpus);
    report.pcie_ring = number(input.own, "pcie-ring", 0.5, 0.01, 10.0, "0.01 to 10 links");
    report.allocation = topology::allocation(server, gpus);
    report.ring_share = algorithm.ring_share(report.allocation.ranks());
    try {
      collective::KeptTrees kept;
      report.trees = algorithm.generate(kept, report.allocation, report.root, tree_options(input.own));
    } catch (const collective::ScheduleError& error) {
      std::string notes;
      for (const std::string& note : server.notes) notes += "; " + note;
      throw InputError(input.topology.name() + ": " + error.what() + notes);
    }
    report.rings = collective::find_rings(report.allocation);
    const auto operations = [use = algorithm.use, made = report.trees, rooted = algorithm.rooted] {
      return in_equal_chunks(use, collective::weighted_trees(made.graph, made.packing, rooted));
    };
    return {{screen_text(report), [report] { return tree_json(report); }},
            [report] { return tree_drawing(report); },
            operations};
  }

 private:
  static std::vector<int> gpus_of(const ScheduleInput& input, int all) {
    std::vector<int> gpus = input.ranks;
    if (gpus.empty()) {
      gpus.resize(static_cast<std::size_t>(all));
      std::iota(gpus.begin(), gpus.end(), 0);
    }
    if (gpus.size() > most_gpus)
      throw InputError(input.topology.name() + ": " + std::to_string(gpus.size()) + " GPUs (legal: --ranks of up to " +
                       std::to_string(most_gpus) + ")");
    return gpus;
  }
  static int root_of(const ScheduleInput& input, const TreeAlgorithm& algorithm, const std::vector<int>& gpus) {
    const int last = static_cast<int>(gpus.size()) - 1;
    const int root = number(input.own, "root", 0, 0, last, "0 to " + std::to_string(last));
    if (!algorithm.rooted && input.own.count("root") != 0)
      throw InputError("--root: the trees of " + input.algorithm.collective +
                       " have roots of their own (legal: with broadcast or reduce)");
    return root;
  }
  static DrawnSchedule through_switches(const ScheduleInput& input, const TreeAlgorithm& algorithm,
                                        const SwitchedServer& server) {
    for (const char* const option : {"pcie-ring", "treegen"})
      if (input.own.count(option) != 0)
        throw InputError("--" + std::string(option) + ": not used by the trees through the NVSwitches of " + server.name +
                         " (legal: servers without NVSwitches)");
    SwitchReport report;
    report.topology = server.name, report.algorithm = algorithm.algorithm, report.use = algorithm.use,
    report.rooted = algorithm.rooted;
    report.gpus = gpus_of(input, server.gpus), report.links = server.links;
    if (report.gpus.size() < 2) throw InputError("--ranks: one GPU has no trees (legal: at least 2)");
    report.root = root_of(input, algorithm, report.gpus);
    const auto operations = [report] {
      return in_equal_chunks(report.use,
                             collective::switch_trees(report.use, static_cast<int>(report.gpus.size()), report.root));
    };
    return {{screen_text(report), [report] { return tree_json(report); }},
            [report] { return tree_drawing(report); },
            operations};
  }
};

}  // namespace

const ScheduleSource& blink_schedules() {
  static const BlinkSchedules schedules;
  return schedules;
}

}  // namespace tributary
