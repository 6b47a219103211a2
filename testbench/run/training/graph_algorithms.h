#pragma once
/// GraphAlgorithms: the algorithm by which the platform of a run executes each collective of a graph.

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
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
  /// Returns one line for each size of groups that run by another algorithm than the requested one.
  std::vector<std::string> notes() const;
  /// Returns the reason for which no collective of a group runs by the algorithm of the run's first job, although some
  /// should; empty if one does, or if none should.
  std::string refusal() const;

 private:
  /// Names of a collective and of its requested algorithm.
  using Asked = std::pair<std::string, std::string>;
  struct Note {
    std::string text;
    Asked asked = {};
    std::string end = {};  ///< after the number of the groups; empty: `text` is the whole note
  };
  std::string refusal_of(JobSpec job);
  std::string algorithm_of(const training::Task& task, const std::string& collective);
  void note(const Note& note);

  RunSpec run_;  ///< its jobs are replaced by one that is checked
  JobSpec all_;
  int period_;  ///< Family::period
  /// Refusals, by collective, algorithm and ranks; empty: it runs.
  std::map<std::tuple<std::string, std::string, std::vector<int>>, std::string> known_;
  std::vector<Note> notes_;
  std::set<Asked> ran_;                   ///< that some group runs by
  std::map<Asked, std::string> refused_;  ///< first reasons
};

}  // namespace tributary
