#include "testbench/workload/training/transfer_sharing.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>

namespace tributary::training {

void TransferSharing::begin(std::uint32_t transfer, const std::vector<std::size_t>& ranks, const TransferTime& time,
                            const Task& task, Tick now) {
  InFlight& own = in_flight_[transfer];
  own.kind = time.kind, own.task = &task, own.begin = now;
  std::vector<collective::FluidUse>& uses = own.shared;
  for (const std::size_t rank : ranks) uses.push_back({static_cast<std::uint32_t>(rank), 1.0});
  own.uses = uses;
  if (time.loads != nullptr)
    for (const LinkLoad& load : *time.loads) {
      if (load.link >= links_) throw std::out_of_range("load on unknown link " + std::to_string(load.link));
      if (load.share <= 0) continue;
      const auto link = static_cast<std::uint32_t>(ranks_ + load.link);
      uses.push_back({link, std::min(1.0, load.share)});
      own.uses.push_back({link, std::min(1.0, load.share * time.concurrent)});
    }
  constexpr double alone = 1.0;
  if (rule_ == Sharing::in_turn || pairs_ != nullptr) {
    const auto later = std::find_if(begun_.begin(), begun_.end(), [&](std::uint32_t other) {
      const InFlight& its = in_flight_.at(other);
      return std::tie(own.begin, own.task->queue) < std::tie(its.begin, its.task->queue);
    });
    begun_.insert(later, transfer);
  }
  shares_.add(transfer, uses.data(), rule_ == Sharing::fair ? uses.size() : 0, alone);
}

const std::vector<std::uint32_t>& TransferSharing::settle() {
  const std::vector<std::uint32_t>& changed = shares_.settle();
  return rule_ == Sharing::in_turn || pairs_ != nullptr ? begun_ : changed;
}

double TransferSharing::speed(std::uint32_t transfer) const {
  if (pairs_ != nullptr) return speed_by_pairs(transfer).value_or(shares_.rate(transfer));
  if (rule_ != Sharing::in_turn) return shares_.rate(transfer);
  const InFlight& own = in_flight_.at(transfer);
  for (const std::uint32_t other : begun_) {
    if (other == transfer) break;
    if (meet(in_flight_.at(other), own)) return 0;
  }
  return 1;
}

/// Returns the speed among all transfers that it meets; none if that of a pair is unknown. A pair was measured with all
/// groups of both kinds, so a kind counts once, with its slowest pair: a transfer is as slow as its slowest rank.
std::optional<double> TransferSharing::speed_by_pairs(std::uint32_t transfer) const {
  const InFlight& own = in_flight_.at(transfer);
  std::vector<double> speeds;               // transfers that were measured alone
  std::map<std::uint32_t, double> slowest;  // by kind
  bool known = true;
  for (const std::uint32_t other : begun_) {
    const InFlight& its = in_flight_.at(other);
    if (other == transfer || !meet(its, own)) continue;
    const std::optional<double> speed = pairs_->speed(*own.task, *its.task);
    known = known && speed.has_value();
    if (!speed) continue;
    if (its.kind == 0)
      speeds.push_back(*speed);
    else if (const auto [at, first] = slowest.try_emplace(its.kind, *speed); !first)
      at->second = std::min(at->second, *speed);
  }
  for (const auto& [kind, speed] : slowest) speeds.push_back(speed);
  if (!known) return std::nullopt;
  return speed_among(speeds);
}

/// True if both use a rank, or the groups of their kinds load a link beyond its capacity together.
bool TransferSharing::meet(const InFlight& a, const InFlight& b) const {
  const bool together = a.kind != 0 && a.kind == b.kind;
  for (const collective::FluidUse& x : a.uses)
    for (const collective::FluidUse& y : b.uses)
      if (x.link == y.link && (x.link < ranks_ || (!together && x.weight + y.weight > 1))) return true;
  return false;
}

void TransferSharing::end(std::uint32_t transfer) {
  shares_.remove(transfer);
  in_flight_.erase(transfer);
  begun_.erase(std::remove(begun_.begin(), begun_.end(), transfer), begun_.end());
}

}  // namespace tributary::training
