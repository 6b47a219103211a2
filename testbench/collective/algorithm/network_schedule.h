#pragma once
/// Schedules of MultiTree and its baselines on a network of NICs, with the nodes of the ranks and the trees.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platforms/topology/network.h"
#include "testbench/collective/schedule/rank_programs.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/collective/tree/multitree.h"

namespace tributary::collective {

struct NetworkRequest {
  std::string collective = "allreduce";
  std::string algorithm = "multitree";
  std::vector<int> members;  ///< end node of each rank; empty: all end nodes in ascending order
  int root = 0;              ///< root rank of a broadcast or reduction
  MultiTreeOptions multitree = {};
  int chunks = 2;  ///< number of chunks of pipelined algorithms
};

struct NetworkSchedule {
  Schedule schedule;
  std::vector<int> nodes;          ///< node of each rank
  std::optional<StepTrees> trees;  ///< trees of multitree
  int phases = 1;                  ///< 2 for an all-reduce: reduce-scatter and all-gather, up and down, or two dimensions
  int steps_per_phase = 0;         ///< steps of the longer phase; for pipelined trees, their height
  bool pipelined = false;          ///< chunks are pipelined, Operation::step is not used
  ProgramOfRank program = {};      ///< makes the programs of an outline; null if `schedule` has them
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
  bool grows = false;      ///< grows trees; MultiTreeOptions apply
  bool pipelined = false;  ///< NetworkRequest::chunks applies
  bool by_rank = false;    ///< network_outline() leaves the programs out
};
/// Returns every (collective, algorithm) that network_schedule() supports.
const std::vector<NetworkAlgorithm>& network_algorithms();
/// Returns null if there is no such algorithm.
const NetworkAlgorithm* find_network_algorithm(const std::string& collective, const std::string& algorithm);

/// Builds a schedule. Throws ScheduleError (one line) on an unknown combination, on members that the network does not have
/// or does not connect, and on an algorithm that the network does not support.
NetworkSchedule network_schedule(const topology::Network& network, const NetworkRequest& request);
/// Builds the schedule without its programs if the algorithm can make them one rank at a time. Throws as network_schedule()
/// does.
NetworkSchedule network_outline(const topology::Network& network, const NetworkRequest& request);
/// Calls `use(rank, program)` for each rank in ascending order, also if the schedule is an outline.
void for_each_program(const NetworkSchedule& schedule,
                      const std::function<void(int rank, const std::vector<Operation>& program)>& use);

}  // namespace tributary::collective
