#include "modules/gpu/core/home_accumulator.h"

#include <algorithm>
#include <stdexcept>

#include "modules/link/nvlink_header.h"

namespace tributary {

Packet* HomeAccumulator::add(Packet* partial, unsigned expected) {
  const NvHeader& h = nv(*partial);
  const auto [it, first] = open_.try_emplace(h.address, partial);
  Packet* sum = it->second;
  if (!first) {
    if (sum->payload != nullptr) apply(h.op, h.type, sum->payload, partial->payload, partial->payload_bytes);
    nv(*sum).count = static_cast<std::uint16_t>(nv(*sum).count + h.count);
    partial->release();
  }
  if (nv(*sum).count > expected)
    throw std::logic_error("block " + std::to_string(nv(*sum).address) + " has more operands than members at its home GPU");
  if (nv(*sum).count < expected) return nullptr;
  open_.erase(it);
  return sum;
}

std::vector<std::string> HomeAccumulator::waiting() const {
  std::vector<std::string> lines;
  for (const auto& [address, packet] : open_)
    lines.push_back("home: block " + std::to_string(address / block_bytes) + " has " + std::to_string(nv(*packet).count) +
                    " operands");
  std::sort(lines.begin(), lines.end());
  return lines;
}

void HomeAccumulator::reset() {
  for (auto& [address, packet] : open_) packet->release();
  open_.clear();
}

}  // namespace tributary
