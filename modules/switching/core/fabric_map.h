#pragma once
/// Where in the fabric a block is at home: the hash that spreads addresses over planes, home ports and trunks.

#include <cstdint>

namespace tributary {

struct FabricLocation {
  std::uint8_t plane = 0;
  std::uint8_t home_switch = 0;  ///< index in the plane
  std::uint8_t home_port = 0;
  std::uint8_t trunk = 0;
};

class FabricMap {
 public:
  enum class Hash : std::uint8_t { interleave, random };
  struct Shape {
    unsigned planes = 1, switches = 1, ports = 1, trunks = 1;
  };
  FabricMap(Hash hash, const Shape& shape, std::uint64_t seed) : hash_(hash), shape_(shape), seed_(seed) {}

  /// `interleave`: block b = address / 128 goes to plane b mod planes; with x = b / planes its home switch is x mod
  /// switches, its home port (x / switches) mod ports, its trunk (x / switches) mod trunks: balanced in every window of
  /// addresses (klenk.md 3.3). `random`: an independent hash for each, which two table entries per port cannot absorb.
  FabricLocation locate(std::uint64_t address) const;

 private:
  Hash hash_;
  Shape shape_;
  std::uint64_t seed_;
};

}  // namespace tributary
