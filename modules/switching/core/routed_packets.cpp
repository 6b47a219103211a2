#include "modules/switching/core/routed_packets.h"

namespace tributary {

RoutedPackets::RoutedPackets(unsigned requesters, unsigned outputs)
    : outputs_(outputs), lists_(static_cast<std::size_t>(requesters) * outputs) {}

template <class T>
std::uint32_t RoutedPackets::take(std::vector<T>& pool, std::vector<std::uint32_t>& free) {
  if (free.empty()) {
    pool.emplace_back();
    return static_cast<std::uint32_t>(pool.size() - 1);
  }
  const std::uint32_t i = free.back();
  free.pop_back();
  return i;
}

void RoutedPackets::add(unsigned requester, const Routed& routed) {
  const std::uint32_t index = take(pool_, free_pool_);
  pool_[index] = routed;
  for (std::uint32_t left = routed.targets; left != 0; left &= left - 1) {
    List& list = lists_[requester * outputs_ + static_cast<unsigned>(__builtin_ctz(left))];
    const std::uint32_t node = take(nodes_, free_nodes_);
    nodes_[node] = {index, none};
    if (list.head == none)
      list.head = node;
    else
      nodes_[list.tail].next = node;
    list.tail = node;
  }
}

bool RoutedPackets::advance(unsigned requester, unsigned output) {
  std::uint32_t& first = head(requester, output);
  const std::uint32_t node = first;
  Routed& routed = pool_[nodes_[node].routed];
  routed.targets &= ~(1u << output);
  if (routed.targets == 0) free_pool_.push_back(nodes_[node].routed);
  first = nodes_[node].next;
  free_nodes_.push_back(node);
  return first != none;
}

void RoutedPackets::clear() {
  for (List& list : lists_) list = {};
  pool_.clear();
  nodes_.clear();
  free_pool_.clear();
  free_nodes_.clear();
}

}  // namespace tributary
