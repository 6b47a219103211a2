#pragma once
/// Where in the fabric a block is at home: the hash that spreads addresses over planes, home ports and trunks.

#include <cstdint>
#include <vector>

namespace tributary {

struct FabricLocation {
  std::uint8_t plane = 0;  ///< port of every GPU that leads there
  std::uint8_t home_switch = 0;  ///< index in the plane
  std::uint8_t home_port = 0;
  std::uint8_t trunk = 0;  ///< of a fat tree: the spine
};

/// A plane where those of a machine are not alike: `links` of every GPU lead there.
struct FabricPlane {
  unsigned links = 1;
  unsigned trunks = 1;           ///< turns of the ways between its switches
  unsigned spines = 0;           ///< of the switches; spine j is reached in turns j x trunks / spines and on
  std::vector<unsigned> ports;   ///< home ports of each switch
  std::vector<unsigned> spine;   ///< of each switch: its number among the spines, from 1; 0: a leaf
};
/// A link of a GPU: the `turn`-th of those to its plane.
struct FabricLink {
  unsigned plane = 0, turn = 0;
};

class AddressMap {
 public:
  enum class Hash : std::uint8_t { interleave, strided, xor_folded, random };
  struct Shape {
    unsigned planes = 1, switches = 1, ports = 1, trunks = 1;
    unsigned spines = 0;  ///< of the switches, the last ones: spine j is reached over trunk j alone
    /// Where planes are unlike, these two instead of the numbers above: the links of a GPU by its port, and the planes.
    std::vector<FabricLink> links = {};
    std::vector<FabricPlane> unlike = {};

    /// Numbers of ways that a packet may take through a plane: what FabricLocation::trunk counts.
    unsigned ways(unsigned plane) const { return unlike.empty() ? trunks : unlike[plane].links * unlike[plane].trunks; }
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
  /// Where planes are unlike, block b goes over link b mod links of every GPU, and x is its number among the blocks of that
  /// link's plane: so each plane has as many blocks as it has links, in every window. The ports of a plane's switches are
  /// home in turn, and trunk = turn of the link + links of the plane x (the trunk above).
  FabricLocation locate(std::uint64_t address) const;

 private:
  FabricLocation at_random(std::uint64_t block) const;
  FabricLocation in_turn(std::uint64_t block) const;
  FabricLocation over_links(std::uint64_t block) const;

  Hash hash_;
  Shape shape_;
  std::uint64_t seed_;
};

/// Remainder of the block number, as a polynomial over GF(2), by x^12 + x^6 + x^4 + x + 1, in place of its lower 12 bits.
/// The polynomial is primitive, so 4096 blocks in a row, or at any stride of 2^n, differ in these bits.
std::uint64_t xor_fold(std::uint64_t block);

}  // namespace tributary
