#pragma once
/// SourceRoute: the output ports of a packet's NIC and switches, chosen at its source (indirect networks;
/// docs/systems/multitree.md#routes).

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace tributary {

/// Eight bytes, so that it fits into a packet's header. The NIC's own router takes the first port, and each switch the next:
/// six switches at most.
class SourceRoute {
 public:
  static constexpr unsigned max_hops = 7;

  SourceRoute() = default;
  /// Throws std::length_error on more than seven ports, std::out_of_range on a port above 255.
  explicit SourceRoute(const std::vector<unsigned>& ports) {
    if (ports.size() > max_hops)
      throw std::length_error("a source route has " + std::to_string(ports.size()) +
                              " ports, at most 7 are possible: of the NIC and of six switches");
    for (const unsigned port : ports) {
      if (port > 0xFF) throw std::out_of_range("output port " + std::to_string(port) + " in a source route, at most 255");
      ports_[hops_++] = static_cast<std::uint8_t>(port);
    }
  }
  bool empty() const { return hops_ == 0; }
  unsigned hops() const { return hops_; }  ///< still ahead, at this node included
  /// Output port at the node that the packet is at. Throws std::logic_error behind the last one.
  unsigned next() const {
    if (empty()) throw std::logic_error("a packet has come to the end of its source route, but to no NIC");
    return ports_[0];
  }
  /// The route behind that node.
  SourceRoute rest() const {
    next();
    SourceRoute r;
    for (unsigned i = 1; i < hops_; ++i) r.ports_[i - 1] = ports_[i];
    r.hops_ = static_cast<std::uint8_t>(hops_ - 1);
    return r;
  }

 private:
  std::array<std::uint8_t, max_hops> ports_{};
  std::uint8_t hops_ = 0;
};
static_assert(sizeof(SourceRoute) == 8);

}  // namespace tributary
