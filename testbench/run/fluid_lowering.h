#pragma once
/// FluidLowering: a platform and its jobs as a graph of activities (`--mode fluid`, docs/fluid.md).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "modules/base/units.h"
#include "testbench/collective/fluid/activity_graph.h"
#include "testbench/workload/job.h"

namespace tributary {

/// A link of the graph of activities. It represents one or more links of Platform::links(), by index, which share its bytes
/// evenly.
struct FluidLink {
  double rate = 0;  ///< bytes per second, sum of all these links
  std::vector<std::size_t> links;
};

class FluidLowering {
 public:
  virtual ~FluidLowering() = default;

  /// Returns the links in the order of their numbers in the graph.
  virtual const std::vector<FluidLink>& links() const = 0;
  /// Throws SetupError, one line with the reason and the supported jobs, if flows do not support this job.
  virtual void check(const JobSpec& job) const = 0;
  /// Returns about the memory that the schedule, its proof and the flows of a message need, in bytes, without building them;
  /// 0: little. The numbers of drivers are measured, and lie within a factor of 2 (test_fluid_memory).
  virtual double memory(const JobSpec&, Bytes) const { return 0; }
  /// Returns the same for a message that has the machine to itself.
  virtual double memory_alone(const JobSpec& job, Bytes message) const { return memory(job, message); }
  /// Adds a message to the graph. No activity of it starts before `start`, ps; the job ends with the last arrival. Throws
  /// the exceptions of lowering.
  virtual void add(const JobSpec& job, Bytes message, double start, collective::ActivityGraph& graph) = 0;
  /// Returns true if add_alone() adds this message without the driver's lowering, and reports its errors now.
  virtual bool lowers_alone(const JobSpec&, Bytes) { return false; }
  /// Adds a message that has the machine to itself; endpoints that act alike may be represented by one of them. Returns, for
  /// each link, the link of the graph that carries as many bytes; nothing if each link carries its own.
  virtual std::vector<std::uint32_t> add_alone(const JobSpec& job, Bytes message, double start,
                                               collective::ActivityGraph& graph) {
    add(job, message, start, graph);
    return {};
  }
};

}  // namespace tributary
