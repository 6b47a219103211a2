#pragma once
/// GraphAlgorithms: the algorithm by which the platform of a run executes each collective of a graph.

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "testbench/run/run_spec.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary {

/// Returns true for a schedule that endpoints execute by software, to which launches and steps of software add time.
bool is_software(const JobSpec& job);

class GraphAlgorithms {
 public:
  /// `base`: the platform, and in its first job the endpoints of the ranks, the element type and the algorithm of
  /// collectives without one.
  explicit GraphAlgorithms(const RunSpec& base);

  /// Returns a collective, or a send, as a job of the endpoints of these ranks of the run; a send is a broadcast between two
  /// ranks. If no algorithm of the collective has the requested name, FamilyAlgorithms::substitute() or the default is used.
  /// If the platform refuses the algorithm for these ranks, the first algorithm that it accepts is used.
  /// Throws InputError if the platform does not have the collective.
  JobSpec job_of(const training::Task& task, const std::vector<int>& members);
  /// Returns the job on the endpoints of these ranks, by its algorithm.
  JobSpec on_ranks(JobSpec job, const std::vector<int>& members) const;
  /// Shifts the endpoints of jobs by one distance, to the first place where the machine runs them in the same times
  /// (Family::period).
  void shift_to_first(std::vector<JobSpec>& jobs) const;
  /// Returns one line for each group that runs by another algorithm than the requested one.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  bool runs(JobSpec job);
  std::string algorithm_of(const training::Task& task, const std::string& collective);
  void note(const std::string& text);

  RunSpec run_;  ///< its jobs are replaced by one that is checked
  JobSpec all_;
  int period_;                                                                    ///< Family::period
  std::map<std::tuple<std::string, std::string, std::vector<int>>, bool> known_;  ///< by collective, algorithm and ranks
  std::vector<std::string> notes_;
};

}  // namespace tributary
