#include "testbench/family/blink/predicted_chunk.h"

#include <utility>

#include "modules/base/index.h"
#include "testbench/collective/packing/chunk_model.h"

namespace tributary {
namespace {

using collective::ChunkCosts;
using collective::ChunkWire;

double seconds(Time t) { return static_cast<double>(t.value) * 1e-12; }

ChunkCosts costs_of(const StreamGpuParams& gpu) {
  ChunkCosts costs;
  costs.launch = seconds(gpu.copy.fetch + gpu.copy.launch + gpu.copy.completion);
  costs.wait = seconds(gpu.streams.acquire);
  costs.record = seconds(gpu.streams.release);
  costs.kernel_launch = seconds(gpu.kernel.launch);
  costs.byte_added = 1 / static_cast<double>(gpu.kernel.rate->value);
  costs.fan_in = gpu.kernel.fan_in;
  costs.engines = gpu.copy.concurrent();
  return costs;
}

ChunkWire wire_of(const ServerWires& wires, int from, int to, CopyPath path) {
  const topology::ServerGraph& servers = wires.servers();
  if (servers.server_of(from) != servers.server_of(to))
    return {1 / static_cast<double>(wires.params().net.rate.value_or(ServerNetworkParams::standard_rate).value), true};
  double rate = static_cast<double>(wires.payload_rate(from, to, path).value);
  const bool shared = path != CopyPath::nvlink || servers.switched();
  if (path == CopyPath::nvlink) rate *= servers.switched() ? servers.bonded({from, 0}) : servers.nvlinks(from, to);
  return {1 / rate, shared};
}

}  // namespace

Bytes predicted_chunk(const std::vector<StreamTree>& trees, const TreeAlgorithm& algorithm, const JobSpec& job,
                      Bytes message, const JobTrees& all, const ServerWires& wires, std::optional<Time> read_trip) {
  collective::TreeRequest request{algorithm.use, {}, message.value, element_size(job.type), 0, all.from_roots};
  for (const StreamTree& t : trees) request.trees.push_back(t.tree);
  const auto wire = [&](int tree, int from, int to) {
    const bool between_islands = !all.islands.empty() && all.islands[at(from)] != all.islands[at(to)];
    return wire_of(wires, job.ranks[at(from)], job.ranks[at(to)], between_islands ? CopyPath::pcie : trees[at(tree)].path);
  };
  ChunkCosts costs = costs_of(wires.params().gpu);
  if (read_trip) costs.read_trip = seconds(*read_trip);
  return bytes(collective::ChunkModel(std::move(request), wire, costs).best());
}

}  // namespace tributary
