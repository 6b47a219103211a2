#pragma once
/// Packets that have been routed and wait for crossbar outputs, by requester and output.

#include <cstdint>
#include <vector>

#include "modules/switching/core/forwarding.h"

namespace tributary {

/// A packet with the outputs that it has still to reach (partial progress of a multicast: a bit per port).
struct Routed {
  Packet* packet = nullptr;
  Tick tail = 0;
  std::uint32_t targets = 0;
  Exit exit = Exit::link;
  std::uint8_t flits = 0;
};

/// A list per (requester, output), so that a packet waits only behind others for the same output (virtual output queues).
/// With the FIFO discipline a requester has one routed packet at a time, and the lists have one element.
class RoutedPackets {
 public:
  RoutedPackets(unsigned requesters, unsigned outputs);

  void add(unsigned requester, const Routed& routed);
  /// The packet of this requester that is next for this output; only if there is one.
  Routed& front(unsigned requester, unsigned output) { return pool_[nodes_[head(requester, output)].routed]; }
  /// The front packet leaves for that output. Returns whether the requester has another one for it.
  bool advance(unsigned requester, unsigned output);
  void clear();

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Node {
    std::uint32_t routed, next;
  };
  struct List {
    std::uint32_t head = none, tail = none;
  };
  std::uint32_t& head(unsigned r, unsigned o) { return lists_[r * outputs_ + o].head; }
  template <class T>
  static std::uint32_t take(std::vector<T>& pool, std::vector<std::uint32_t>& free);

  unsigned outputs_;
  std::vector<List> lists_;
  std::vector<Routed> pool_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> free_pool_, free_nodes_;
};

}  // namespace tributary
