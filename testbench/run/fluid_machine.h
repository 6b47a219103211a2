#pragma once
/// FluidMachine: flows of a platform that is not elaborated (Family::flows). Its links are classes of equal links.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "testbench/run/bottleneck_rules.h"
#include "testbench/run/fluid_lowering.h"

namespace tributary {

/// Links of equal rate and load.
struct FluidClass {
  std::string name;         ///< `gpu*.port*>switch*.port*`
  double rate = 0;          ///< rate of a link, bytes per second
  std::uint64_t count = 1;  ///< links of the class
};

class FluidMachine : public FluidLowering {
 public:
  const std::vector<FluidLink>& links() const final { return no_links_; }
  /// Returns the classes in the order of their numbers in the graph.
  virtual const std::vector<FluidClass>& classes() const = 0;
  /// Returns an upper bound of algbw, GB/s, as Driver::bound().
  virtual double bound(const JobSpec& job, Bytes message) const = 0;
  /// Returns the job whose activities are also those of job `number`: both are alike. Only the activities of that job are in
  /// the graph.
  virtual std::size_t like(std::size_t number) const { return number; }
  /// Returns the parameters of the classes, by number.
  virtual BottleneckRules bottlenecks() const { return {}; }

 private:
  std::vector<FluidLink> no_links_;
};

}  // namespace tributary
