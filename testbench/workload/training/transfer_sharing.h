#pragma once
/// Transfers in flight at once: what each leaves to the others of its ranks and of the machine's links.

#include <cstdint>
#include <map>
#include <vector>

#include "testbench/collective/fluid/fair_shares.h"
#include "testbench/workload/training/ideal_run.h"

namespace tributary::training {

/// Max-min fair in the speed of each transfer, 1 when it is alone: a rank does one transfer's work at a time, and a link
/// carries no more than it can.
class TransferSharing {
 public:
  TransferSharing(std::size_t ranks, std::size_t links)
      : ranks_(ranks), links_(links), shares_(std::vector<double>(ranks + links, 1.0)) {}

  /// `ranks`: each once. `loads` may be null: of none that another needs. Throws std::out_of_range on links that are not
  /// there.
  void begin(std::uint32_t transfer, const std::vector<std::size_t>& ranks, const std::vector<LinkLoad>* loads);
  void end(std::uint32_t transfer);
  /// Those whose speed may have changed, by their numbers.
  const std::vector<std::uint32_t>& settle() { return shares_.settle(); }
  double speed(std::uint32_t transfer) const { return shares_.rate(transfer); }

 private:
  std::size_t ranks_, links_;
  collective::FairShares shares_;
  std::map<std::uint32_t, std::vector<collective::FluidUse>> uses_;  ///< of transfers in flight
};

}  // namespace tributary::training
