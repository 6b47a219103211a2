#pragma once
/// FluidLowering: a platform and its jobs as the fluid engine sees them (`--mode fluid`, docs/fluid.md).

#include <cstddef>
#include <vector>

#include "modules/base/units.h"
#include "testbench/collective/fluid/activity_graph.h"
#include "testbench/workload/job.h"

namespace tributary {

/// A link of the graph of activities: links of Platform::links(), by their numbers there, which share its bytes evenly.
struct FluidLink {
  double rate = 0;  ///< bytes per second, of all of them
  std::vector<std::size_t> links;
};

class FluidLowering {
 public:
  virtual ~FluidLowering() = default;

  /// In the order of their numbers in the graph.
  virtual const std::vector<FluidLink>& links() const = 0;
  /// Throws SetupError, one line, when the engine is not offered for such a job, with the reason and what is offered.
  virtual void check(const JobSpec& job) const = 0;
  /// Adds a message to the graph. Nothing of it begins before `start`, ps; the last arrival is the end of the job. Throws
  /// what lowering throws.
  virtual void add(const JobSpec& job, Bytes message, double start, collective::ActivityGraph& graph) = 0;
};

}  // namespace tributary
