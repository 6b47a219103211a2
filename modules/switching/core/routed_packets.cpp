#include "modules/switching/core/routed_packets.h"

namespace tributary {

RoutedPackets::RoutedPackets(unsigned requesters, unsigned outputs)
    : outputs_(outputs), lists_(static_cast<std::size_t>(requesters) * outputs) {}

void RoutedPackets::add(unsigned requester, const Arrival& arrival, unsigned vc) {
  std::uint32_t outputs = arrival.outputs;
  Routed routed{arrival.packet, arrival.ready + arrival.tail_after, none, none, arrival.exit,
                arrival.flits,  static_cast<std::uint8_t>(vc)};
  if ((outputs & (outputs - 1)) != 0) routed.group = new_group(outputs);
  for (; outputs != 0; outputs &= outputs - 1) append(requester, static_cast<unsigned>(__builtin_ctz(outputs)), routed);
}

void RoutedPackets::append(unsigned requester, unsigned output, const Routed& routed) {
  std::uint32_t node = free_;
  if (node == none) {
    node = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(routed);
  } else {
    free_ = nodes_[node].next;
    nodes_[node] = routed;
  }
  List& l = lists_[requester * outputs_ + output];
  (l.head == none ? l.head : nodes_[l.tail].next) = node;
  l.tail = node;
}

RoutedPackets::Advance RoutedPackets::advance(unsigned requester, unsigned output) {
  List& l = lists_[requester * outputs_ + output];
  const std::uint32_t node = l.head;
  const Routed routed = nodes_[node];
  l.head = routed.next;
  nodes_[node].next = free_;
  free_ = node;
  const bool last = routed.group == none || (remaining_[routed.group] &= ~(1u << output)) == 0;
  if (last && routed.group != none) free_groups_.push_back(routed.group);
  return {routed, last, l.head != none};
}

std::uint32_t RoutedPackets::new_group(std::uint32_t outputs) {
  if (free_groups_.empty()) {
    remaining_.push_back(outputs);
    return static_cast<std::uint32_t>(remaining_.size() - 1);
  }
  const std::uint32_t group = free_groups_.back();
  free_groups_.pop_back();
  remaining_[group] = outputs;
  return group;
}

void RoutedPackets::clear() {
  for (std::size_t i = 0; i < lists_.size(); ++i)
    while (lists_[i].head != none) {
      const Advance gone = advance(static_cast<unsigned>(i / outputs_), static_cast<unsigned>(i % outputs_));
      if (gone.last) gone.routed.packet->release();  // its copies share one reference until they cross
    }
  nodes_.clear();
  remaining_.clear();
  free_groups_.clear();
  free_ = none;
}

}  // namespace tributary
