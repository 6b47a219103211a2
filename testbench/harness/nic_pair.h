#pragma once
/// NicPair: two schedule NICs with a router each and a link between them, without a platform.

#include <memory>
#include <string>
#include <vector>

#include "platforms/schedule_nic/network_node.h"
#include "testbench/harness/finish_times.h"

namespace tributary {

/// A link of 16 GB/s and 150 ns, routers of 3 ns, tables of four rows; an all-reduce of i32 over two chunks.
class NicPair {
 public:
  /// The nodes are named `name`0 and `name`1. `chunk`: bytes, a multiple of 4.
  NicPair(const std::string& name, const Nic::Parts& parts, std::uint32_t chunk);
  ~NicPair();

  NetworkNode& node(unsigned n) { return *nodes_[n]; }
  Nic& nic(unsigned n) { return *nodes_[n]->nic(); }
  const PacketPool& packets() const { return pool_; }
  const FinishTimes& finished() const { return finished_; }

  /// Returns the rows of node n: the peer's chunk is sent up its tree and added there, and the own sum is sent down.
  std::vector<ScheduleEntry> rows(std::uint16_t n) const;
  /// Returns the program of node n with these rows; posting it loads the table.
  NicProgram program(std::uint16_t n) const;
  /// Returns the program for a table that is already loaded.
  NicProgram loaded_program() const;

  /// Sets all elements of node n to `value`.
  void fill(unsigned n, std::int32_t value);
  std::size_t elements() const { return 2 * chunk_ / 4; }
  std::int32_t value(unsigned n, std::size_t element);

 private:
  NetworkNode::Config config(std::uint16_t n, const Nic::Parts& parts) const;

  std::uint32_t chunk_;
  PacketPool pool_{ScheduleNicLink{}};
  PayloadViews views_;
  FinishTimes finished_;
  std::vector<std::unique_ptr<NetworkNode>> nodes_;
};

}  // namespace tributary
