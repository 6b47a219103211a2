#pragma once
/// AddressMap: the hash that spreads blocks over planes, home ports and trunks of the fabric.

#include <cstdint>
#include <vector>

namespace tributary {

struct FabricLocation {
  std::uint8_t plane = 0;        ///< GPU port that leads to the plane
  std::uint8_t home_switch = 0;  ///< index in its plane
  std::uint8_t home_port = 0;
  std::uint8_t trunk = 0;  ///< in a fat tree: the spine
};

/// One plane of a machine whose planes differ. `links` of every GPU lead to it.
struct FabricPlane {
  unsigned links = 1;
  unsigned trunks = 1;          ///< parallel paths between its switches
  unsigned spines = 0;          ///< spines among the switches; spine j is reached by trunks from j x trunks / spines on
  std::vector<unsigned> ports;  ///< home ports of each switch
  std::vector<unsigned> spine;  ///< per switch: its number among the spines, from 1; 0: a leaf
};
/// One link of a GPU: number `turn` of its links to the plane.
struct FabricLink {
  unsigned plane = 0, turn = 0;
};

class AddressMap {
 public:
  enum class Hash : std::uint8_t { interleave, strided, xor_folded, random };
  struct Shape {
    unsigned planes = 1, switches = 1, ports = 1, trunks = 1;
    unsigned spines = 0;  ///< the last switches are spines; spine j is reached over trunk j only
    /// Used instead of the numbers above if planes differ: the links of a GPU, by port, and the planes.
    std::vector<FabricLink> links = {};
    std::vector<FabricPlane> unlike = {};

    /// Number of paths through a plane: the range of FabricLocation::trunk.
    unsigned routes(unsigned plane) const { return unlike.empty() ? trunks : unlike[plane].links * unlike[plane].trunks; }
  };
  AddressMap(Hash hash, const Shape& shape, std::uint64_t seed) : hash_(hash), shape_(shape), seed_(seed) {}

  /// Block b = address / 128, x = b / planes, y = x / switches (docs/systems/klenk.md#address-hash).
  /// `interleave`: plane b mod planes, home switch x mod switches, home port y mod ports; trunk y mod trunks, with spines
  /// (x + y) mod trunks: balanced in every window of addresses.
  /// `strided`: as `interleave`, but trunk (x / 2) mod trunks. With spines, this ties each home switch to two trunks;
  /// without spines, it equals `interleave`.
  /// `xor_folded`: folds the upper bits of b into its lower 12, then applies `interleave`. Balanced for strides of powers
  /// of two too, and as balanced as `interleave` in every aligned window of 2^n blocks.
  /// `random`: an independent hash for each field; too uneven for tables with two entries per port.
  /// A block whose home is spine j uses trunk j under every hash.
  /// If planes differ, block b uses link b mod links of every GPU, and x is its index among the blocks of that link's
  /// plane. Each plane thus has blocks in proportion to its links, in every window. The ports of a plane's switches are
  /// home ports in turn, and trunk = turn of the link + links of the plane x (the trunk above).
  FabricLocation locate(std::uint64_t address) const;

 private:
  FabricLocation at_random(std::uint64_t block) const;
  FabricLocation in_turn(std::uint64_t block) const;
  FabricLocation over_links(std::uint64_t block) const;

  Hash hash_;
  Shape shape_;
  std::uint64_t seed_;
};

/// Replaces the lower 12 bits of the block number by the remainder of the number, a polynomial over GF(2), modulo x^12 +
/// x^6 + x^4 + x + 1. The polynomial is primitive, so 4096 consecutive blocks, or blocks at any stride of 2^n, differ in
/// these bits.
std::uint64_t xor_fold(std::uint64_t block);

}  // namespace tributary
