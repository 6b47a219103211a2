#include "testbench/workload/training/transfer_sharing.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace tributary::training {

void TransferSharing::begin(std::uint32_t transfer, const std::vector<std::size_t>& ranks,
                            const std::vector<LinkLoad>* loads) {
  std::vector<collective::FluidUse>& uses = uses_[transfer];
  for (const std::size_t rank : ranks) uses.push_back({static_cast<std::uint32_t>(rank), 1.0});
  if (loads != nullptr)
    for (const LinkLoad& load : *loads) {
      if (load.link >= links_) throw std::out_of_range("load on unknown link " + std::to_string(load.link));
      if (load.share <= 0) continue;
      uses.push_back({static_cast<std::uint32_t>(ranks_ + load.link), std::min(1.0, load.share)});
    }
  constexpr double alone = 1.0;
  shares_.add(transfer, uses.data(), uses.size(), alone);
}

void TransferSharing::end(std::uint32_t transfer) {
  shares_.remove(transfer);
  uses_.erase(transfer);
}

}  // namespace tributary::training
