#pragma once
/// Sharing of ranks and links among simultaneous transfers.

#include <cstdint>
#include <map>
#include <vector>

#include "testbench/collective/fluid/fair_shares.h"
#include "testbench/workload/training/ideal_run.h"
#include "testbench/workload/training/pair_rule.h"

namespace tributary::training {

/// Computes speeds by one of the rules of ideal_run.h; a transfer alone has speed 1. A rank does the work of one transfer at
/// a time, and a link carries no more than its capacity.
class TransferSharing {
 public:
  /// `pairs`, not owned, may be null: the speeds of transfers that meet, in place of fair shares, where it knows all of
  /// them.
  TransferSharing(std::size_t ranks, std::size_t links, Sharing rule = Sharing::fair, PairRule* pairs = nullptr)
      : ranks_(ranks),
        links_(links),
        rule_(rule),
        pairs_(rule == Sharing::fair ? pairs : nullptr),
        shares_(std::vector<double>(ranks + links, 1.0)) {}

  /// Starts the transfer of a task, which must outlive it. `ranks` holds each rank once. Throws std::out_of_range on an
  /// unknown link. Transfers are served in turn by their begin, at one time by their queue. So groups that begin at once are
  /// served alike, whatever the order in which their ranks arrive.
  void begin(std::uint32_t transfer, const std::vector<std::size_t>& ranks, const TransferTime& time, const Task& task,
             Tick now);
  void end(std::uint32_t transfer);
  /// Returns the transfers whose speed may have changed, in ascending order.
  const std::vector<std::uint32_t>& settle();
  double speed(std::uint32_t transfer) const;

 private:
  struct InFlight {
    std::vector<collective::FluidUse> shared = {};  ///< its own, which the shares refer to
    std::vector<collective::FluidUse> uses = {};    ///< as `shared`, with the loads of all groups of the kind
    std::uint32_t kind = 0;
    const Task* task = nullptr;
    Tick begin = 0;
  };
  bool meet(const InFlight& a, const InFlight& b) const;
  std::optional<double> speed_by_pairs(std::uint32_t transfer) const;

  std::size_t ranks_, links_;
  Sharing rule_;
  PairRule* pairs_;
  collective::FairShares shares_;
  std::map<std::uint32_t, InFlight> in_flight_;
  std::vector<std::uint32_t> begun_;  ///< Sharing::in_turn and pairs: transfers in flight, in the order of their turns
};

}  // namespace tributary::training
