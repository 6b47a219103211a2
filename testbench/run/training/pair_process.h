#pragma once
/// PairProcess: measures two operations of a graph together, by packets. A platform cannot be made after a simulation has
/// begun, so a process of its own, which has no platform yet, makes one for each pair.

#include <sys/types.h>

#include <optional>
#include <utility>

#include "testbench/run/run_spec.h"
#include "testbench/run/training/isolated_groups.h"
#include "testbench/workload/training/compute/software_collective.h"

namespace tributary {

/// Two collectives of a graph, of which the second begins later.
struct TaskPair {
  training::TaskId first = 0, second = 0;
  Tick delay = 0;
};

class PairProcess {
 public:
  /// Starts the process. To be called before the first platform of this process is made. All arguments are copied.
  PairProcess(const RunSpec& base, const training::TaskGraph& graph, const training::SoftwareCollectiveParams& ring);
  ~PairProcess();
  PairProcess(const PairProcess&) = delete;
  PairProcess& operator=(const PairProcess&) = delete;

  /// Returns the ends of two collectives of the graph, each with the groups that are concurrent with its own
  /// (IsolatedGroups); none if devices cannot execute them together, or the process has ended.
  std::optional<std::pair<Tick, Tick>> ends(const TaskPair& pair);

 private:
  pid_t child_ = -1;
  int socket_ = -1;
};

/// Returns a graph with two collectives of another graph, each with the groups that are concurrent with its own, on two
/// queues. Tasks 0 and 1 are the two themselves. Throws InputError for sends, and for ranks that have neither.
training::TaskGraph graph_of_pair(const training::TaskGraph& graph, const TaskPair& pair);

}  // namespace tributary
