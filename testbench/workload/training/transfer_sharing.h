#pragma once
/// Sharing of ranks and links among simultaneous transfers.

#include <cstdint>
#include <map>
#include <vector>

#include "testbench/collective/fluid/fair_shares.h"
#include "testbench/workload/training/ideal_run.h"

namespace tributary::training {

/// Computes speeds by one of the rules of ideal_run.h; a transfer alone has speed 1. A rank does the work of one transfer at
/// a time, and a link carries no more than its capacity.
class TransferSharing {
 public:
  TransferSharing(std::size_t ranks, std::size_t links, Sharing rule = Sharing::fair)
      : ranks_(ranks), links_(links), rule_(rule), shares_(std::vector<double>(ranks + links, 1.0)) {}

  /// Place of a transfer among those that are served in turn: by its begin; at one time by its queue. So groups that begin
  /// at once are served alike, whatever the order in which their ranks arrive.
  struct Turn {
    Tick begin = 0;
    std::uint32_t queue = 0;
  };
  /// Starts a transfer. `ranks` holds each rank once. `loads` may be null: the transfer shares no link. Throws
  /// std::out_of_range on an unknown link.
  void begin(std::uint32_t transfer, const std::vector<std::size_t>& ranks, const std::vector<LinkLoad>* loads, Turn turn);
  void end(std::uint32_t transfer);
  /// Returns the transfers whose speed may have changed, in ascending order.
  const std::vector<std::uint32_t>& settle();
  double speed(std::uint32_t transfer) const;

 private:
  using Uses = std::vector<collective::FluidUse>;
  static bool meet(const Uses& a, const Uses& b);

  std::size_t ranks_, links_;
  Sharing rule_;
  collective::FairShares shares_;
  std::map<std::uint32_t, Uses> uses_;  ///< uses of transfers in flight
  std::vector<std::uint32_t> begun_;    ///< Sharing::in_turn: transfers in flight, in the order of their turns
  std::map<std::uint32_t, Turn> turns_;
};

}  // namespace tributary::training
