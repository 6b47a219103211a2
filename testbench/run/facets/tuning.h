#pragma once

#include <vector>

#include "modules/base/units.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Settings that a driver chooses by itself.
class DriverTuning {
 public:
  virtual ~DriverTuning() = default;

  /// Returns the choices for the message that is posted next; empty if the parameters determine everything. Call it before
  /// post().
  virtual std::vector<Choice> choices(const JobSpec& job, Bytes message) const = 0;
  /// An iteration of a message has ended with the right result; the next one may be lowered differently. The driver keeps
  /// jobs and sizes apart. Called only with RunSpec::iterations, so that messages of a run do not depend on each other. Each
  /// size begins anew with iteration 0.
  virtual void measured(const JobSpec& job, const ResultRow& row) = 0;
};

}  // namespace tributary
