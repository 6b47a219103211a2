#include "testbench/run/thread_choice.h"

#include <algorithm>
#include <deque>
#include <thread>
#include <vector>

#include "testbench/run/family.h"
#include "testbench/run/message_effort.h"
#include "testbench/run/one_lane.h"
#include "testbench/workload/collective.h"

namespace tributary {
namespace {

constexpr double least_divided_s = 2;   ///< shortest work that gains from threads
constexpr unsigned most_threads = 256;  ///< legal for --threads
constexpr double unreached = 1e6;       ///< links to an endpoint of another island

/// Returns the number of links from an endpoint to each endpoint.
std::vector<double> links_from(const topology::Graph& graph, int endpoint) {
  const std::vector<int> ends = graph.endpoints();
  std::vector<double> links(graph.nodes().size(), unreached);
  std::deque<int> next{ends.at(static_cast<std::size_t>(endpoint))};
  links[static_cast<std::size_t>(next.front())] = 0;
  for (; !next.empty(); next.pop_front()) {
    const int node = next.front();
    for (int port = 0; port < graph.node(node).ports; ++port) {
      const auto peer = graph.peer({node, port});
      if (!peer || links[static_cast<std::size_t>(peer->node)] < unreached) continue;
      links[static_cast<std::size_t>(peer->node)] = links[static_cast<std::size_t>(node)] + 1;
      next.push_back(peer->node);
    }
  }
  std::vector<double> of_ends;
  of_ends.reserve(ends.size());
  for (const int end : ends) of_ends.push_back(links[static_cast<std::size_t>(end)]);
  return of_ends;
}

/// The links between the first rank of a job and its other ranks.
struct Distance {
  double nearest = 0, mean = 0;
};

/// `ranks_of_end`: ranks that share an endpoint of the graph, as the GPUs of a host with one NIC do.
Distance distance_of(const std::vector<int>& ranks, const topology::Graph& graph, int ranks_of_end) {
  if (ranks.size() < 2) return {};
  const std::vector<double> links = links_from(graph, ranks.front() / ranks_of_end);
  Distance d{unreached, 0};
  unsigned reached = 0;
  for (std::size_t r = 1; r < ranks.size(); ++r) {
    const double each = links.at(static_cast<std::size_t>(ranks[r] / ranks_of_end));
    if (each == 0 || each >= unreached) continue;
    d.nearest = std::min(d.nearest, each), d.mean += each, ++reached;
  }
  return reached == 0 ? Distance{1, 1} : Distance{d.nearest, d.mean / reached};
}

/// Returns the data that all ranks receive, times the links that they cross.
double crossed_bytes(const std::string& name, std::size_t ranks, double message, const Distance& distance) {
  const Collective& collective = collective_of(name);
  const bool to_root = collective.rooted && collective.own_part_remains;  // a gather: one rank receives
  const double received = message * collective.bus_factor(ranks) * (to_root ? 1.0 : static_cast<double>(ranks));
  return received * (collective.chunking == collective::Chunking::pairs ? distance.mean : distance.nearest);
}

double crossed_bytes(const JobSpec& job, const topology::Graph& graph, int ranks_of_end) {
  const Distance distance = distance_of(job.ranks, graph, ranks_of_end);
  double bytes = 0;
  if (job.step)
    for (const JobStep::Part& part : job.step->operations)
      bytes += part.send ? static_cast<double>(part.bytes) * distance.nearest
                         : crossed_bytes(part.collective, part.members.size(), static_cast<double>(part.bytes), distance);
  else
    for (const WorkItem& item : job.items)
      bytes += crossed_bytes(job.collective, job.ranks.size(), static_cast<double>(item.size.value), distance);
  return bytes * job.back_to_back;
}

}  // namespace

unsigned threads_for(double hops, unsigned processors, std::size_t runs) {
  if (hops < least_divided_s * hops_per_second) return 1;
  const std::size_t share = processors / std::max<std::size_t>(1, runs);
  return static_cast<unsigned>(std::clamp<std::size_t>(share, 1, most_threads));
}

unsigned processors_of_process() { return std::max(1u, std::thread::hardware_concurrency()); }

double estimated_hops(const RunSpec& spec, const RunParameters& params) {
  const Family& family = family_of(spec.platform);
  const Bytes packet = family.packet_data(spec, params);
  if (packet.value == 0) return 0;
  const topology::Graph graph = family.graph_of_run(spec);
  const int ranks_of_end = family.platform(spec.platform).endpoints_per_source;
  double bytes = 0;
  for (const JobSpec& job : spec.jobs) bytes += crossed_bytes(job, graph, ranks_of_end);
  return bytes * static_cast<double>(spec.repeats()) / static_cast<double>(packet.value);
}

unsigned chosen_threads(const RunSpec& spec, const RunParameters& params) {
  if (spec.threads != 0) return spec.threads;
  if (spec.processes) return 1;  // hosts may differ in their processors, and lanes must not
  const unsigned processors = processors_of_process();
  if (processors < 2 || spec.runs_at_once >= processors || !one_lane_because(spec).empty()) return 1;
  return threads_for(estimated_hops(spec, params), processors, spec.runs_at_once);
}

}  // namespace tributary
