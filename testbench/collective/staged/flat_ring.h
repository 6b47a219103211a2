#pragma once
/// Flat rings: collectives of all GPUs of several servers by rings that cross each server by another NIC.

#include <vector>

#include "testbench/collective/schedule/schedule.h"
#include "testbench/collective/staged/staged_schedule.h"

namespace tributary::collective {

/// Places of the ranks of a group: rank i q + j is place j of its i-th server.
struct RailPlaces {
  int servers = 1;
  std::vector<int> nic_of = {0};  ///< NIC of each place
  bool joined = false;            ///< the network joins the rails; else a NIC reaches the NICs of its number alone

  int each() const { return static_cast<int>(nic_of.size()); }
};

/// Returns the order of the ranks on each ring, one for each NIC. On rails that nothing joins, a ring enters a server by the
/// rail by which it has left the one before. Throws ScheduleError if there are too few rails for that.
std::vector<std::vector<int>> flat_ring_orders(const RailPlaces& places);

/// Returns the all-reduce by these rings, each with an equal part of the message.
Schedule flat_ring_allreduce(const std::vector<std::vector<int>>& orders);

/// Returns the reduce-scatter or all-gather by these rings, each with an equal piece of the slice of every rank: piece k of
/// slice r is chunk r x rings + k. Throws ScheduleError on another work.
Schedule flat_ring_of_slices(StageWork work, const std::vector<std::vector<int>>& orders);

}  // namespace tributary::collective
