#include "modules/switching/core/fabric_map.h"

#include "modules/base/random.h"
#include "modules/link/packet.h"

namespace tributary {

FabricLocation FabricMap::locate(std::uint64_t address) const {
  const std::uint64_t block = address / block_bytes;
  const auto byte = [](std::uint64_t x) { return static_cast<std::uint8_t>(x); };
  if (hash_ == Hash::random) {
    const auto pick = [&](unsigned what, unsigned bound) { return byte(below(random_at(seed_, what, block), bound)); };
    return {pick(1, shape_.planes), pick(2, shape_.switches), pick(3, shape_.ports), pick(4, shape_.trunks)};
  }
  const std::uint64_t x = block / shape_.planes;
  const std::uint64_t y = x / shape_.switches;
  return {byte(block % shape_.planes), byte(x % shape_.switches), byte(y % shape_.ports), byte(y % shape_.trunks)};
}

}  // namespace tributary
