#include "modules/protocol/address_map.h"

#include <array>

#include "modules/base/random.h"
#include "modules/protocol/nvlink.h"

namespace tributary {
namespace {

constexpr unsigned fold_bits = 12, step_bits = 6;
constexpr std::uint64_t fold_mask = (1u << fold_bits) - 1, step_mask = (1u << step_bits) - 1;
constexpr unsigned polynomial = 0x53;  // x^12 modulo the polynomial: x^6 + x^4 + x + 1

/// Remainders of the bits that a shift by step_bits moves above fold_bits.
constexpr std::array<std::uint16_t, 1u << step_bits> remainders() {
  std::array<std::uint16_t, 1u << step_bits> table{};
  for (unsigned beyond = 0; beyond < table.size(); ++beyond) {
    unsigned rest = beyond << fold_bits;
    for (unsigned bit = fold_bits + step_bits; bit-- > fold_bits;)
      if ((rest >> bit & 1u) != 0) rest ^= (1u << bit) ^ (polynomial << (bit - fold_bits));
    table[beyond] = static_cast<std::uint16_t>(rest);
  }
  return table;
}

}  // namespace

std::uint64_t xor_fold(std::uint64_t block) {
  static constexpr auto table = remainders();
  unsigned digits = 1;
  while (digits * step_bits < 64 && block >> (digits * step_bits) != 0) ++digits;
  std::uint64_t rest = 0;
  while (digits-- > 0) {
    const std::uint64_t digit = block >> (digits * step_bits) & step_mask;
    rest = ((rest << step_bits & fold_mask) ^ table[rest >> (fold_bits - step_bits)]) ^ digit;
  }
  return (block & ~fold_mask) | rest;
}

FabricLocation AddressMap::locate(std::uint64_t address) const {
  const std::uint64_t block = address / block_bytes;
  if (!shape_.links.empty()) return over_links(block);
  FabricLocation l = hash_ == Hash::random       ? at_random(block)
                     : hash_ == Hash::xor_folded ? in_turn(xor_fold(block))
                                                 : in_turn(block);
  const unsigned leaves = shape_.switches - shape_.spines;
  if (l.home_switch >= leaves) l.trunk = static_cast<std::uint8_t>(l.home_switch - leaves);
  return l;
}

FabricLocation AddressMap::at_random(std::uint64_t block) const {
  const auto pick = [&](unsigned what, unsigned bound) {
    return static_cast<std::uint8_t>(below(random_at(seed_, what, block), bound));
  };
  return {pick(1, shape_.planes), pick(2, shape_.switches), pick(3, shape_.ports), pick(4, shape_.trunks)};
}

FabricLocation AddressMap::in_turn(std::uint64_t block) const {
  const auto byte = [](std::uint64_t x) { return static_cast<std::uint8_t>(x); };
  const std::uint64_t x = block / shape_.planes;
  const std::uint64_t y = x / shape_.switches;
  const std::uint64_t turn = hash_ == Hash::strided ? x / 2 : shape_.spines > 0 ? x + y : y;
  return {byte(block % shape_.planes), byte(x % shape_.switches), byte(y % shape_.ports), byte(turn % shape_.trunks)};
}

FabricLocation AddressMap::over_links(std::uint64_t block) const {
  const auto byte = [](std::uint64_t x) { return static_cast<std::uint8_t>(x); };
  if (hash_ == Hash::xor_folded) block = xor_fold(block);
  if (hash_ == Hash::random) block = random_at(seed_, 1, block) >> 1;
  const std::uint64_t links = shape_.links.size();
  const FabricLink& link = shape_.links[block % links];
  const FabricPlane& plane = shape_.unlike[link.plane];
  const std::uint64_t x = block / links * plane.links + link.turn;
  const std::uint64_t y = x / plane.ports.size();
  std::uint64_t turn = (hash_ == Hash::strided ? x / 2 : plane.spines > 0 ? x + y : y) % plane.trunks;
  const std::uint64_t home = x % plane.ports.size();
  if (const unsigned spine = plane.spine[home]; spine > 0) {
    const unsigned of_spine = plane.trunks / plane.spines;  // NOLINT(clang-analyzer-core.DivideZero): a spine is > 0
    turn = (spine - 1) * of_spine + turn % of_spine;
  }
  return {byte(block % links), byte(home), byte(y % plane.ports[home]), byte(link.turn + plane.links * turn)};
}

}  // namespace tributary
