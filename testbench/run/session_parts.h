#pragma once
/// Session::Parts: the platform of a session, its observers, and the run of one message.

#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "modules/timing/completion_relay.h"
#include "testbench/run/completion.h"
#include "testbench/run/driver.h"
#include "testbench/run/family.h"
#include "testbench/run/requested_observers.h"
#include "testbench/run/resolve.h"
#include "testbench/run/run_observers.h"
#include "testbench/run/run_processes.h"
#include "testbench/run/session.h"
#include "testbench/run/task.h"
#include "testbench/run/watchdog.h"
#include "testbench/workload/step_operations.h"

namespace tributary {

struct Session::Parts {
  explicit Parts(const RunSpec& s);

  void allocate();
  void prepare(std::size_t number);
  void prepare(const Task& task);
  void tell_driver(const std::vector<ResultRow>& rows);
  ResultRow row_of(const Task& task, Status status, Tick end);
  std::vector<ResultRow> rows_of_wrong_block(std::size_t number);
  std::uint64_t wrong_elements(const Task& task);
  Tick end_of(Status status) const;
  Tick latest_start() const;
  Status simulate();
  /// Prepares and simulates a message.
  Status carry_out(std::size_t number);
  Time patience() const;
  void advance(Tick end);
  Status slice(Watchdog& watchdog);
  Status cause(Status found) const;
  std::string reason(Status status) const;
  std::string effort_beyond_patience() const;
  double shortest_time() const;
  MemoryOfRank memory_of(const JobSpec& job) {
    return [this, &job](int rank) -> std::byte* {
      const auto endpoint = static_cast<unsigned>(job.ranks.at(static_cast<std::size_t>(rank)));
      return processes.owns(endpoint) ? system.memory_of(endpoint) : nullptr;
    };
  }
  static double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
  void check_quiescent() const;
  void tell_progress() const;
  std::vector<std::string> waiting() const { return processes.lines(system.waiting_here()); }
  bool is_interrupted() const;
  KernelUse kernel() const;
  std::string dead_links() const;
  std::string waiting_report(const std::string& why) const;

  RunSpec spec;
  std::string one_lane;  ///< reason why blocks from outside need one lane; empty: they do not
  RunParameters params;
  const Family& family;
  RunProcesses processes;
  Completion completion;
  CompletionRelay relay;
  std::unique_ptr<Driver> driver;
  DriverFacets facets;  ///< facets of the driver
  Platform& system;
  ProbeDirectory probes;
  std::unique_ptr<RunObservers> observers;
  std::unique_ptr<BottleneckFinder> bottlenecks;
  std::unique_ptr<RequestedObservers> requested;
  Session::Progress progress_callback;
  std::uint64_t hops = 0;
  bool interrupted = false;  ///< in some process, when all of them last asked
  KernelUse used;            ///< by all processes, at the end of the last message
  double cpu_start = cpu_seconds();
  Tick t0 = 0;
  std::vector<Task> tasks;
  std::vector<double> bounds;              ///< GB/s, by task
  std::vector<std::vector<Choice>> tuned;  ///< by task
  std::uint64_t largest_memory = 0;        ///< largest memory of any endpoint, bytes
  std::string report;
};

}  // namespace tributary
