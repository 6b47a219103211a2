#pragma once
/// PayloadPlaces: banks and rows of a payload buffer in RTL.

#include <cstdint>
#include <string>

#include "modules/netreduce/accelerator_params.h"
#include "modules/rtl/core/rtl_block.h"

namespace tributary {

/// A bank for each of RANKS ranks. The payload of rank r in slot s begins at byte (s x RANKS + r) x BEATS x 64 of the
/// buffer, and at row s x BEATS of bank r. Rings of another number of ranks cannot use the buffer.
class PayloadPlaces {
 public:
  static constexpr unsigned row_bytes = 64;

  /// The RTL has as many rows as its parameter ROWS says, or 2^32. Throws std::invalid_argument if a beat of the accelerator
  /// is not 64 B.
  PayloadPlaces(std::string name, const RtlBlock& block, const AcceleratorParams& params);

  unsigned banks() const { return static_cast<unsigned>(ranks_); }
  static unsigned rows(unsigned bytes) { return (bytes + row_bytes - 1) / row_bytes; }
  struct Place {
    unsigned bank;
    std::uint64_t row;
  };
  /// Throws std::invalid_argument for a place that the RTL lacks.
  Place find(std::uint64_t address, unsigned rows) const;

 private:
  std::string name_;
  std::uint64_t ranks_, beats_, rows_;
};

}  // namespace tributary
