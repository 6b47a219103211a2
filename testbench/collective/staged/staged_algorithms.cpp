#include <algorithm>

#include "modules/base/nearest.h"
#include "testbench/collective/staged/staged_schedule.h"

namespace tributary::collective {
namespace {

using In = InsideAlgorithm;
using Out = BetweenAlgorithm;

std::string adding(In inside) { return inside == In::pull ? "NVSwitches add and multicast" : "rings of GPUs"; }

}  // namespace

std::string unknown_collective(const std::string& name) {
  std::vector<std::string> known;
  for (const StagedAlgorithm& m : staged_algorithms())
    if (std::find(known.begin(), known.end(), m.collective) == known.end()) known.push_back(m.collective);
  return "no collective '" + name + "' among servers (legal: " + join_names(known) + ")";
}

const std::vector<StagedAlgorithm>& staged_algorithms() {
  static const std::vector<StagedAlgorithm> all = [] {
    std::vector<StagedAlgorithm> rows;
    for (const auto& [inside, first] : {std::pair{In::pull, "pull"}, {In::ring, "ring"}}) {
      const std::string in = adding(inside) + " in each server, ", name = first;
      rows.push_back({"allreduce", name + "_ring", in + "rings of servers on each rail", inside, Out::ring});
      rows.push_back({"allreduce", name + "_tree", in + "two trees of servers on each rail", inside, Out::tree});
      rows.push_back({"allreduce", name + "_netreduce", in + "accelerators at leaf switches", inside, Out::netreduce});
      for (const char* collective : {"reduce_scatter", "allgather"})
        rows.push_back({collective, name + "_ring", in + "rings of servers on each rail", inside, Out::ring});
      rows.push_back({"broadcast", name + "_ring", in + "a chain of servers on each rail", inside, Out::ring});
    }
    for (const char* collective : {"allreduce", "reduce_scatter", "allgather"})
      rows.push_back(
          {collective, "ring", "rings of all GPUs, server by server, one for each NIC", In::ring, Out::ring, true});
    rows.push_back(
        {"alltoall", "direct", "by NVLink to the GPU of the destination's rail, then by its NIC", In::direct, Out::direct});
    rows.push_back({"sendrecv", "direct", "by NVLink in a server, the last GPU of each to the next server by a NIC",
                    In::direct, Out::direct});
    return rows;
  }();
  return all;
}

const StagedAlgorithm& staged_algorithm(const std::string& collective, const std::string& name) {
  std::string legal;
  for (const StagedAlgorithm& m : staged_algorithms()) {
    if (m.collective != collective) continue;
    if (m.name == name) return m;
    legal += (legal.empty() ? "" : ", ") + m.name;
  }
  if (legal.empty()) throw ScheduleError(unknown_collective(collective));
  throw ScheduleError("no algorithm '" + name + "' of " + collective + " in stages (legal: " + legal + ")");
}

}  // namespace tributary::collective
