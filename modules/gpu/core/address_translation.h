#pragma once
/// AddressTranslation: maps network addresses to a GPU's own memory (Klenk et al., ISCA 2020, section III, Figure 2).

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace tributary {

/// Rows {network address, size, local address}, set by the fabric manager.
class AddressTranslation {
 public:
  struct Row {
    std::uint64_t network, size, local;
    std::uint8_t rank = 0;  ///< rank of this GPU among the members of a multicast region
  };
  void add(const Row& row) { rows_.push_back(row); }
  void clear() { rows_.clear(); }

  /// Returns the local address. Throws std::out_of_range for an address that is not mapped.
  std::uint64_t local(std::uint64_t network) const {
    const Row& row = find(network);
    return row.local + (network - row.network);
  }
  /// Returns the rank of this GPU in the multicast region of the address. Throws std::out_of_range for an address that is
  /// not mapped.
  std::uint8_t rank(std::uint64_t network) const { return find(network).rank; }

 private:
  const Row& find(std::uint64_t network) const {
    for (const Row& row : rows_)
      if (network - row.network < row.size) return row;
    throw std::out_of_range("network address " + std::to_string(network) + " is not mapped at this GPU");
  }

  std::vector<Row> rows_;
};

}  // namespace tributary
