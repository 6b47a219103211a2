#pragma once
/// By which method the platform of a run carries out each collective of a graph.

#include <string>
#include <vector>

#include "testbench/run/run_spec.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary {

/// Software: a schedule that endpoints carry out, with what launches and steps of software cost.
bool is_software(const JobSpec& job);

class GraphMethods {
 public:
  /// `base`: the platform, and in its first job the endpoints of the ranks, element type and method of what names none.
  explicit GraphMethods(const RunSpec& base) : platform_(base.platform), all_(base.jobs.front()) {}

  /// A collective, or a send, which is a broadcast between two ranks, as a job of the endpoints of these ranks of the run.
  /// Where the platform has no way between them by the method asked for, it is the first that has one. Throws InputError
  /// where the platform has no such collective.
  JobSpec job_of(const training::Task& task, const std::vector<int>& members);
  /// Groups that run by another method than the one asked for, a line each.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::string platform_;
  JobSpec all_;
  std::vector<std::string> notes_;
};

}  // namespace tributary
