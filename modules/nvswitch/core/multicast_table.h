#pragma once
/// Multicast regions (MCR) of a switch: Klenk et al., ISCA 2020, section III, Figure 2.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "modules/switching/core/route_table.h"

namespace tributary {

/// One row: an address range and its members. Filled by the fabric manager.
struct MulticastRegion {
  std::uint32_t id = 0;
  std::uint64_t start = 0, size = 0;
  std::vector<std::uint16_t> members;  ///< GPUs
};

/// Looks up what range an address lies in; ports and operand counts are derived from the routing table once.
class MulticastTable {
 public:
  MulticastTable(unsigned capacity, unsigned ports) : capacity_(capacity), ports_(ports) {}

  /// Throws std::length_error when the table is full.
  void add(const MulticastRegion& region, const RouteTable& routes);
  void clear() { rows_.clear(); }

  struct Row {
    MulticastRegion region;
    std::vector<std::uint64_t> outputs;         ///< by trunk: a bit per port that leads to a member
    std::vector<std::uint16_t> members_behind;  ///< by trunk x port
  };
  /// Throws std::out_of_range for an address that lies in no region.
  const Row& find(std::uint64_t address) const {
    for (const Row& row : rows_)
      if (address - row.region.start < row.region.size) return row;
    throw std::out_of_range("no multicast region holds address " + std::to_string(address));
  }
  /// Outputs towards all members but those behind the port a packet came in by.
  std::uint64_t outputs_except(const Row& row, unsigned trunk, unsigned in_port) const {
    return row.outputs[trunk] & ~(std::uint64_t{1} << in_port);
  }
  /// Expected operands: members behind those outputs.
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
