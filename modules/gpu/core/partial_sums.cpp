#include "modules/gpu/core/partial_sums.h"

#include <algorithm>
#include <stdexcept>

#include "modules/base/waiting_since.h"
#include "modules/protocol/nvlink.h"

namespace tributary {

void PartialSums::merge(Packet* sum, Packet* partial) {
  const NvHeader& h = nv(*partial);
  if (sum->payload != nullptr) apply(h.op, h.type, sum->payload, partial->payload, partial->payload_bytes);
  added_bytes_ += partial->payload_bytes;
  nv(*sum).count = static_cast<std::uint16_t>(nv(*sum).count + h.count);
  partial->release();
}

Packet* PartialSums::add(Packet* partial, unsigned expected) {
  const std::uint64_t address = nv(*partial).address;
  const auto it = open_.try_emplace(address).first;
  Block& block = it->second;
  block.count += nv(*partial).count;
  if (block.partials.empty() || rank_order_)
    block.partials.push_back(partial);
  else
    merge(block.partials.front(), partial);
  if (block.count > expected)
    throw std::logic_error("block " + std::to_string(address) + " has more operands than members at its home GPU");
  if (block.count < expected) return nullptr;
  std::vector<Packet*> all = std::move(block.partials);
  open_.erase(it);
  std::sort(all.begin(), all.end(), [](const Packet* a, const Packet* b) { return nv(*a).rank < nv(*b).rank; });
  for (std::size_t i = 1; i < all.size(); ++i) merge(all.front(), all[i]);
  return all.front();
}

std::vector<std::string> PartialSums::waiting() const {
  std::vector<std::string> lines;
  for (const auto& [address, block] : open_)
    lines.push_back("home: block " + std::to_string(address / block_bytes) + " has " + std::to_string(block.count) +
                    " operands" + waiting_since(block.partials.empty() ? 0 : block.partials.front()->born));
  std::sort(lines.begin(), lines.end());
  return lines;
}

void PartialSums::reset() {
  for (auto& [address, block] : open_)
    for (Packet* packet : block.partials) packet->release();
  open_.clear();
  added_bytes_ = 0;
}

}  // namespace tributary
