#include "modules/switching/core/switch_router.h"

#include <algorithm>
#include <stdexcept>

namespace tributary {

unsigned RouterSeat::choose(SwitchRouter::Request request) const {
  const auto usual = static_cast<unsigned>(request.usual);
  std::vector<unsigned>& ports = request.ports;
  std::sort(ports.begin(), ports.end());
  ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
  if (ports.size() < 2) return usual;
  request.usual = static_cast<std::size_t>(std::find(ports.begin(), ports.end(), usual) - ports.begin());
  const std::size_t index = own_->choose(request);
  if (index < ports.size()) return ports[index];
  throw std::logic_error(device_ + ".router breaks the rule `answer`: it chooses path " + std::to_string(index) + " of " +
                         std::to_string(ports.size()) + " to " + (request.to_switch ? "switch " : "") +
                         std::to_string(request.destination));
}

}  // namespace tributary
