#pragma once
/// MultiTree and its baselines on a network: schedule, places and trees in one.

#include <optional>
#include <string>
#include <vector>

#include "platforms/topology/network.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/collective/tree/multitree.h"

namespace tributary::collective {

struct NetworkRequest {
  std::string collective = "allreduce";
  std::string algorithm = "multitree";
  std::vector<int> members;  ///< end nodes, rank i is the i-th; empty: all, in ascending order
  int root = 0;              ///< rank that broadcasts, or receives a reduction
  MultiTreeOptions multitree = {};
  int chunks = 2;  ///< of pipelines
};

struct NetworkSchedule {
  Schedule schedule;
  std::vector<int> nodes;          ///< of each rank
  std::optional<StepTrees> trees;  ///< of multitree
  int phases = 1;                  ///< all-reduce: reduce-scatter and all-gather, up and down, or two dimensions
  int steps_per_phase = 0;         ///< of the longer one; of pipelined trees: their height
  bool pipelined = false;          ///< Operation::step says nothing
};

/// One algorithm of one collective.
struct NetworkAlgorithm {
  using Build = NetworkSchedule (*)(const topology::Network& network, const NetworkRequest& request,
                                    const std::vector<int>& members, int phases);
  const char* collective;
  const char* name;
  const char* about;
  Build build;
  int phases = 1;          ///< NetworkSchedule::phases
  bool grows = false;      ///< trees, as MultiTreeOptions say
  bool pipelined = false;  ///< NetworkRequest::chunks count
};
/// Every (collective, algorithm) that network_schedule() knows.
const std::vector<NetworkAlgorithm>& network_algorithms();
/// Null when there is none.
const NetworkAlgorithm* find_network_algorithm(const std::string& collective, const std::string& algorithm);

/// Throws ScheduleError, one line: an unknown combination, members that the network does not have, an algorithm that it
/// cannot carry, members that are not connected.
NetworkSchedule network_schedule(const topology::Network& network, const NetworkRequest& request);

}  // namespace tributary::collective
