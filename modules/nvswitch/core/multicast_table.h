#pragma once
/// MulticastTable: multicast regions (MCR) of a switch (Klenk et al., ISCA 2020, section III, Figure 2).

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "modules/link/core/device_ports.h"
#include "modules/switching/core/route_table.h"

namespace tributary {

/// One row: an address range and its members, set by the fabric manager.
struct MulticastRegion {
  std::uint32_t id = 0;
  std::uint64_t start = 0, size = 0;
  std::vector<std::uint16_t> members;  ///< GPU numbers
};

/// Finds the region of an address. Ports and operand counts are derived from the routing table once.
class MulticastTable {
 public:
  MulticastTable(unsigned capacity, unsigned ports) : capacity_(capacity), ports_(ports) {}

  /// Throws std::length_error if the table is full.
  void add(const MulticastRegion& region, const RouteTable& routes);
  void clear() { rows_.clear(); }

  struct Row {
    MulticastRegion region;
    std::vector<PortMask> outputs;              ///< by trunk: a bit per port that leads to a member, up to port 63
    std::vector<WidePortMask> wide;             ///< the same for all ports
    std::vector<std::uint16_t> members_behind;  ///< members reached by each port, by trunk x port
  };
  /// Throws std::out_of_range for an address outside all regions.
  const Row& find(std::uint64_t address) const {
    for (const Row& row : rows_)
      if (address - row.region.start < row.region.size) return row;
    throw std::out_of_range("no multicast region holds address " + std::to_string(address));
  }
  /// Returns the outputs towards all members except those reached by the input port of the packet.
  template <class Mask = PortMask>
  static Mask outputs_except(const Row& row, unsigned trunk, unsigned in_port) {
    return outputs<Mask>(row, trunk) & ~port_bit<Mask>(in_port);
  }
  template <class Mask>
  static Mask outputs(const Row& row, unsigned trunk) {
    if constexpr (std::is_same_v<Mask, PortMask>)
      return row.outputs[trunk];
    else
      return row.wide[trunk];
  }
  /// Returns the number of expected operands: members reached by those outputs.
  unsigned members_except(const Row& row, unsigned trunk, unsigned in_port) const {
    return static_cast<unsigned>(row.region.members.size()) - row.members_behind[trunk * ports_ + in_port];
  }
  std::size_t size() const { return rows_.size(); }
  unsigned capacity() const { return capacity_; }

 private:
  unsigned capacity_, ports_;
  std::vector<Row> rows_;
};

}  // namespace tributary
