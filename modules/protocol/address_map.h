#pragma once
/// Where in the fabric a block is at home: the hash that spreads addresses over planes, home ports and trunks.

#include <cstdint>

namespace tributary {

struct FabricLocation {
  std::uint8_t plane = 0;
  std::uint8_t home_switch = 0;  ///< index in the plane
  std::uint8_t home_port = 0;
  std::uint8_t trunk = 0;  ///< of a fat tree: the spine
};

class AddressMap {
 public:
  enum class Hash : std::uint8_t { interleave, strided, xor_folded, random };
  struct Shape {
    unsigned planes = 1, switches = 1, ports = 1, trunks = 1;
    unsigned spines = 0;  ///< of the switches, the last ones: spine j is reached over trunk j alone
  };
  AddressMap(Hash hash, const Shape& shape, std::uint64_t seed) : hash_(hash), shape_(shape), seed_(seed) {}

  /// Block b = address / 128, x = b / planes, y = x / switches (docs/systems/klenk.md#address-hash).
  /// `interleave`: plane b mod planes, home switch x mod switches, home port y mod ports; trunk y mod trunks, with spines
  /// (x + y) mod trunks: balanced in every window of addresses.
  /// `strided`: the same, but trunk (x / 2) mod trunks. With spines this ties each home switch to two trunks; without, it
  /// is `interleave`.
  /// `xor_folded`: the upper bits of b are folded into its lower 12, then `interleave`: balanced for strides of powers of
  /// two as well, and in every aligned window of 2^n blocks just as `interleave` is.
  /// `random`: an independent hash for each, which two table entries per port cannot absorb.
  /// A block whose home is spine j takes trunk j under every hash.
  FabricLocation locate(std::uint64_t address) const;

 private:
  FabricLocation at_random(std::uint64_t block) const;
  FabricLocation in_turn(std::uint64_t block) const;

  Hash hash_;
  Shape shape_;
  std::uint64_t seed_;
};

/// Remainder of the block number, as a polynomial over GF(2), by x^12 + x^6 + x^4 + x + 1, in place of its lower 12 bits.
/// The polynomial is primitive, so 4096 blocks in a row, or at any stride of 2^n, differ in these bits.
std::uint64_t xor_fold(std::uint64_t block);

}  // namespace tributary
