#pragma once
/// RunProcesses: values that the processes of one run exchange between steps (docs/processes.md).

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/host/process_group.h"
#include "testbench/run/run_spec.h"

namespace tributary {

class Platform;
class CompletionRelay;

/// With several processes each call is made by all of them, and returns the same in all. With one process it returns the
/// value that is passed.
class RunProcesses {
 public:
  /// `group`: null with one process.
  explicit RunProcesses(std::shared_ptr<ProcessGroup> group) : group_(std::move(group)) {}

  /// Divides the lanes of a platform. Throws as Platform::distribute() does.
  void divide(Platform& platform, CompletionRelay& relay);
  ProcessGroup* group() { return group_.get(); }
  bool several() const { return group_ != nullptr; }
  /// Returns true if the endpoint's device and memory are in this process.
  bool owns(unsigned endpoint) const { return owned_.empty() || owned_.at(endpoint); }

  std::uint64_t sum(std::uint64_t own) const;
  std::uint64_t most(std::uint64_t own) const;
  /// Returns all lines in the order of their numbers.
  std::vector<std::string> lines(std::vector<std::pair<std::uint64_t, std::string>> own) const;
  /// Returns the sums of all processes.
  KernelUse sum(const KernelUse& own) const;

  /// The run goes on after a failure that all processes know.
  void join() {
    if (group_) group_->set_joined(true);
  }

 private:
  std::shared_ptr<ProcessGroup> group_;
  std::vector<bool> owned_;  // by endpoint; empty: all
};

/// Calls a function that may throw, in all processes. Throws SetupError in all of them if one of them has thrown: the text
/// of the first that has. The group is then no longer joined. `group`: null with one process.
void in_all_processes(ProcessGroup* group, const std::function<void()>& call);

/// Returns the part of a run that several processes cannot run; empty if they can.
std::string one_process_because(const RunSpec& spec);

}  // namespace tributary
