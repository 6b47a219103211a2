#pragma once
/// FluidClasses: links of a machine without a platform of packets, as classes of equal links.

#include <string>
#include <vector>

namespace tributary {

/// Links of equal rate and load.
struct FluidClass {
  std::string name;  ///< `gpu*.port*>switch*.port*`
  double rate = 0;   ///< rate of a link, bytes per second
  double count = 1;  ///< links of the class
};

/// Interface of a FluidLowering whose graph has classes of links; links() is empty then.
class FluidClasses {
 public:
  virtual ~FluidClasses() = default;

  /// Returns the classes in the order of their numbers in the graph.
  virtual const std::vector<FluidClass>& classes() const = 0;
};

}  // namespace tributary
