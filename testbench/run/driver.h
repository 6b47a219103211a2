#pragma once
/// Driver: interface of a session to a platform: its devices, and the lowering of jobs to their work.

#include <cstdint>
#include <functional>
#include <vector>

#include "modules/base/units.h"
#include "platforms/platform.h"
#include "testbench/run/bottleneck_rules.h"
#include "testbench/run/facets/driver_facets.h"
#include "testbench/workload/collective.h"
#include "testbench/workload/job.h"

namespace tributary {

class Driver {
 public:
  virtual ~Driver() = default;

  virtual Platform& platform() = 0;
  /// Lowers and proves a job, and returns the bytes that each of its ranks needs in any iteration. Throws as lowering
  /// does. clear() forgets the job.
  virtual std::uint64_t memory_bytes(const JobSpec& job, Bytes message) = 0;
  /// Forgets all buffers.
  virtual void clear() {}
  /// Lowers the job again and posts it: rank i starts at exactly start(i), at least command_latency() from now.
  virtual void post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) = 0;
  virtual Tick command_latency() const = 0;
  /// Returns an upper bound of algbw, GB/s: the rate at which the busiest link or cut alone could carry the job; 0 if
  /// nothing crosses a link.
  virtual double bound(const JobSpec& job, Bytes message) = 0;
  /// Returns the buffers of the ranks after the job: those that the collective defines, unless the algorithm leaves more.
  virtual std::vector<OperandRange> results(const JobSpec& job, Bytes message) const {
    return collective_of(job.collective).result(job, message);
  }
  /// Returns the distance of the results of an operation of a step from its range of the buffer: 0 if they are there.
  virtual std::uint64_t result_distance(const JobSpec&, const JobStep::Part&) const { return 0; }
  /// Returns the possible bottlenecks of a run, after elaboration (docs/bottleneck.md).
  virtual BottleneckRules bottlenecks() const { return {}; }
  /// Returns the optional abilities (testbench/run/facets).
  virtual DriverFacets facets() { return {}; }
};

}  // namespace tributary
