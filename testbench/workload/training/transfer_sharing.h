#pragma once
/// Sharing of ranks and links among simultaneous transfers.

#include <cstdint>
#include <map>
#include <vector>

#include "testbench/collective/fluid/fair_shares.h"
#include "testbench/workload/training/ideal_run.h"

namespace tributary::training {

/// Computes speeds that are max-min fair; a transfer alone has speed 1. A rank does the work of one transfer at a time, and
/// a link carries no more than its capacity.
class TransferSharing {
 public:
  TransferSharing(std::size_t ranks, std::size_t links)
      : ranks_(ranks), links_(links), shares_(std::vector<double>(ranks + links, 1.0)) {}

  /// Starts a transfer. `ranks` holds each rank once. `loads` may be null: the transfer shares no link. Throws
  /// std::out_of_range on an unknown link.
  void begin(std::uint32_t transfer, const std::vector<std::size_t>& ranks, const std::vector<LinkLoad>* loads);
  void end(std::uint32_t transfer);
  /// Returns the transfers whose speed may have changed, in ascending order.
  const std::vector<std::uint32_t>& settle() { return shares_.settle(); }
  double speed(std::uint32_t transfer) const { return shares_.rate(transfer); }

 private:
  std::size_t ranks_, links_;
  collective::FairShares shares_;
  std::map<std::uint32_t, std::vector<collective::FluidUse>> uses_;  ///< uses of transfers in flight
};

}  // namespace tributary::training
