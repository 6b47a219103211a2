#pragma once
/// Converts Chakra traces to a task graph: one file per rank, or one file that represents all ranks.

#include <cstdint>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbench/workload/training/read/chakra_file.h"
#include "testbench/workload/training/read/read_options.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

/// Tasks run as in ASTRA-sim (workload/{Workload,HardwareResource}.cc): among the tasks whose predecessors are done, the
/// one with the smallest id, one compute task and one communication operation at a time on each rank. Broadcasts are
/// simulated; ASTRA-sim replays them. Host operations, including calls of collectives, and loads and stores become marks
/// with a delay; each of the two kinds runs sequentially, in order of dependencies and then of ids.
class ChakraGraph {
 public:
  /// `files`: number of calls of add_file(); a single file represents all ranks. Throws InputError if the run has a
  /// different number of ranks.
  ChakraGraph(const ReadOptions& options, int files, const std::string& path);

  /// Adds the next rank's file. Throws InputError: `path: byte N: node ID 'name': what`.
  void add_file(std::istream& file, const std::string& path);

  /// Returns the graph. To be called once, after the last file.
  TaskGraph take();

 private:
  using Index = std::uint32_t;

  /// State of one file while it is read.
  struct Trace {
    const std::string* path;
    int rank;  ///< -1: represents all ranks
    std::vector<Task> tasks;
    std::vector<std::uint64_t> ids, offsets;                     ///< by task
    std::vector<bool> host, storage;                             ///< by task: on the host; a load or a store
    std::vector<std::pair<Index, std::uint64_t>> data, control;  ///< task, id of a predecessor
    std::vector<std::pair<Index, std::string>> group_names;      ///< task, pg_name
    std::vector<std::pair<Index, std::uint64_t>> urgent;         ///< task, comm_priority
    std::map<std::string, std::vector<int>> groups;              ///< by pg_name
  };

  /// Compute nodes of the device.
  struct ComputeNodes {
    std::size_t all = 0;
    std::size_t untimed = 0;     ///< without a duration
    std::size_t operations = 0;  ///< among them, with operations
    std::size_t estimated = 0;   ///< among these, given by operations and bytes
  };

  void take_node(Trace& trace, ChakraNode&& node);
  Work compute_work(const Trace& trace, const ChakraNode& node);
  void warn_of_times();
  void take_collective(Trace& trace, const ChakraNode& node, Task& task) const;
  void take_transfer(Trace& trace, const ChakraNode& node, Task& task) const;
  void take_groups(Trace& trace, const ChakraNode& node) const;
  void resolve_groups(Trace& trace);
  void resolve_group(Trace& trace, Index task, const std::string& name);
  const std::vector<int>* ranks_of_group(const Trace& trace, Index task, const std::string& name);
  const std::map<std::string, std::vector<int>>& groups_of_file();
  GroupId group_of(const Trace& trace, const std::string& name, const std::vector<int>& ranks);
  std::vector<std::vector<Index>> predecessors(const Trace& trace);
  std::vector<Index> order_of(const Trace& trace, const std::vector<std::vector<Index>>& before) const;
  void append(Trace& trace, const std::vector<std::vector<Index>>& before, const std::vector<Index>& order);
  Tick duration(const Trace& trace, const ChakraNode& node) const;

  [[noreturn]] static void fail(const Trace& trace, const ChakraNode& node, const std::string& what);
  [[noreturn]] static void fail(const Trace& trace, Index task, const std::string& what);
  static std::string name_in(const Trace& trace, Index task);

  ReadOptions options_;
  std::string path_;
  int files_, next_ = 0;
  ComputeNodes compute_;
  std::string group_file_;                                          ///< empty: none, or not read yet
  std::optional<std::map<std::string, std::vector<int>>> of_file_;  ///< groups of that file, once read
  TaskGraph graph_;
  std::map<std::pair<std::string, std::vector<int>>, GroupId> known_;
};

}  // namespace tributary::training
