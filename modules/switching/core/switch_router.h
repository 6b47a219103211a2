#pragma once
/// SwitchRouter: interface of a router of a user, which chooses among the shortest paths of a switch.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tributary {

/// Chooses the output of a packet that has several shortest paths (docs/blocks/switch.md#router). The choice depends on the
/// request alone: switches may be asked in another order than that of time, and packets of a flow stay in order.
class SwitchRouter {
 public:
  struct Request {
    unsigned input;               ///< port of arrival; for a packet of a reduction table the port of the table
    unsigned destination;         ///< number of a GPU, of a switch of the plane, or of a station
    bool to_switch;               ///< the destination is a switch
    std::uint64_t flow;           ///< NVSwitch: address of the packet; Ethernet: source port of the UDP datagram
    std::vector<unsigned> ports;  ///< outputs of all shortest paths, in ascending order
    std::size_t usual;            ///< index of the port that the switch of the model takes
  };
  virtual ~SwitchRouter() = default;

  /// Returns an index of `request.ports`, which has at least two ports.
  virtual std::size_t choose(const Request& request) const = 0;
};

struct SwitchRouterConfig {
  std::string device;  ///< hierarchical name of the switch
  unsigned ports = 0;
};

/// Creates the router of one switch. Null: that of the model.
using SwitchRouterFactory = std::function<std::unique_ptr<SwitchRouter>(const SwitchRouterConfig&)>;

/// The router of a user in a switch. Throws std::logic_error for a choice beyond the ports.
class RouterSeat {
 public:
  RouterSeat() = default;
  RouterSeat(const SwitchRouterFactory& make, const SwitchRouterConfig& config) : device_(config.device) {
    if (make) own_ = make(config);
  }
  explicit operator bool() const { return own_ != nullptr; }
  /// Returns the port. `request.usual` is the port that the model takes, and becomes its index.
  unsigned choose(SwitchRouter::Request request) const;

 private:
  std::string device_;
  std::unique_ptr<SwitchRouter> own_;
};

}  // namespace tributary
