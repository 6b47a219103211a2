#pragma once
/// NicPair: two schedule NICs, each with a router, and a link between them, without a platform.

#include <memory>
#include <string>
#include <vector>

#include "platforms/schedule_nic/network_node.h"
#include "testbench/harness/finish_times.h"

namespace tributary {

/// 16 GB/s and 150 ns a link, a router of 3 ns, tables of four rows; an all-reduce of i32 over two chunks.
class NicPair {
 public:
  /// The nodes are called `name`0 and `name`1. `chunk`: bytes, a multiple of 4.
  NicPair(const std::string& name, const Nic::Parts& parts, std::uint32_t chunk);
  ~NicPair();

  NetworkNode& node(unsigned n) { return *nodes_[n]; }
  Nic& nic(unsigned n) { return *nodes_[n]->nic(); }
  const PacketPool& packets() const { return pool_; }
  const FinishTimes& finished() const { return finished_; }

  /// Rows of node n: the other's chunk goes up its tree, where it is added, and the own sum down.
  std::vector<ScheduleEntry> rows(std::uint16_t n) const;
  /// What node n does, with these rows; the table is loaded when it is posted.
  NicProgram program(std::uint16_t n) const;
  /// The same of a table that is loaded already.
  NicProgram loaded_program() const;

  /// All elements of node n become `value`.
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
