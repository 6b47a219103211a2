#include "testbench/workload/training/transfer_sharing.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

namespace tributary::training {

void TransferSharing::begin(std::uint32_t transfer, const std::vector<std::size_t>& ranks,
                            const std::vector<LinkLoad>* loads, Turn turn) {
  std::vector<collective::FluidUse>& uses = uses_[transfer];
  for (const std::size_t rank : ranks) uses.push_back({static_cast<std::uint32_t>(rank), 1.0});
  if (loads != nullptr)
    for (const LinkLoad& load : *loads) {
      if (load.link >= links_) throw std::out_of_range("load on unknown link " + std::to_string(load.link));
      if (load.share <= 0) continue;
      uses.push_back({static_cast<std::uint32_t>(ranks_ + load.link), std::min(1.0, load.share)});
    }
  constexpr double alone = 1.0;
  if (rule_ == Sharing::in_turn) {
    turns_[transfer] = turn;
    const auto later = std::find_if(begun_.begin(), begun_.end(), [&](std::uint32_t other) {
      const Turn& its = turns_.at(other);
      return std::tie(turn.begin, turn.queue) < std::tie(its.begin, its.queue);
    });
    begun_.insert(later, transfer);
  }
  shares_.add(transfer, uses.data(), rule_ == Sharing::fair ? uses.size() : 0, alone);
}

const std::vector<std::uint32_t>& TransferSharing::settle() {
  const std::vector<std::uint32_t>& changed = shares_.settle();
  return rule_ == Sharing::in_turn ? begun_ : changed;
}

double TransferSharing::speed(std::uint32_t transfer) const {
  if (rule_ != Sharing::in_turn) return shares_.rate(transfer);
  const Uses& own = uses_.at(transfer);
  for (const std::uint32_t other : begun_) {
    if (other == transfer) break;
    if (meet(uses_.at(other), own)) return 0;
  }
  return 1;
}

/// True if both use a rank, or load a link beyond its capacity together.
bool TransferSharing::meet(const Uses& a, const Uses& b) {
  for (const collective::FluidUse& x : a)
    for (const collective::FluidUse& y : b)
      if (x.link == y.link && x.weight + y.weight > 1) return true;
  return false;
}

void TransferSharing::end(std::uint32_t transfer) {
  shares_.remove(transfer);
  uses_.erase(transfer);
  turns_.erase(transfer);
  begun_.erase(std::remove(begun_.begin(), begun_.end(), transfer), begun_.end());
}

}  // namespace tributary::training
