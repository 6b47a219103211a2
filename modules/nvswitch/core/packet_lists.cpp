#include "modules/nvswitch/core/packet_lists.h"

#include <algorithm>
#include <stdexcept>

namespace tributary {

template <class Mask>
std::uint16_t BasicPacketLists<Mask>::new_group(Mask outputs) {
  if (free_groups_.empty()) {
    if (remaining_.size() > 0xFFFF) throw std::length_error("a switch holds more than 65536 multicast packets");
    remaining_.push_back(outputs);
    return static_cast<std::uint16_t>(remaining_.size() - 1);
  }
  const std::uint16_t group = free_groups_.back();
  free_groups_.pop_back();
  remaining_[group] = outputs;
  return group;
}

template <class Mask>
void QueuedPacketPool<Mask>::grow() {
  const std::size_t old = places_.size();
  places_.resize(old == 0 ? 64 : 2 * old);
  const std::size_t first = std::max<std::size_t>(old, none + 1);
  for (std::size_t i = places_.size(); i > first; --i) release(static_cast<Place>(i - 1));
}

template <class Mask>
void BasicPacketLists<Mask>::clear() {
  remaining_.clear();
  free_groups_.clear();
}

template class QueuedPacketPool<std::uint16_t>;
template class QueuedPacketPool<PortMask>;
template class QueuedPacketPool<WidePortMask>;
template class BasicPacketLists<std::uint16_t>;
template class BasicPacketLists<PortMask>;
template class BasicPacketLists<WidePortMask>;

}  // namespace tributary
