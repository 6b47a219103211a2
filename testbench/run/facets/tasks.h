#pragma once

#include <string>

namespace tributary {

/// Endings of the names of the probes at which an endpoint reports its tasks, by number.
struct TaskProbes {
  std::string ready = ".tasks.ready";
  std::string begun = ".tasks.begun";
  std::string ended = ".tasks.ended";
};

/// Endpoints that execute the tasks of JobSpec::step.
class FamilyTasks {
 public:
  virtual ~FamilyTasks() = default;

  virtual TaskProbes probes() const { return {}; }
};

}  // namespace tributary
