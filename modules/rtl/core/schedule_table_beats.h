#pragma once
/// ScheduleTableBeats: converts the rows of a NIC's schedule table to beats for a memory in RTL.

#include <cstddef>
#include <string>

#include "modules/base/access_timing.h"
#include "modules/base/early_answers.h"
#include "modules/nic/nic_params.h"
#include "modules/rtl/core/rtl_unit.h"

namespace tributary {

/// Return the beats of a request, and that of a row that is read. `row`: 25 B to write; null: a read.
RtlBeat row_request_beat(const BeatLayout& request, std::uint64_t number, const std::byte* row);
ExpectedBeat row_beat(const BeatLayout& answer, const std::byte* row);

/// Row r is at byte address 25 r. Software writes rows in no time; a read takes the clocks of the RTL.
class ScheduleTableBeats {
 public:
  static constexpr unsigned row_bytes = 25;
  /// Returns the rows of a block: its parameter ROWS, or 65536.
  static std::uint64_t rows_of(const RtlBlock& block);
  /// Returns true if `bytes` at `address` are one of `rows` rows.
  static bool is_row(std::uint64_t address, std::uint64_t bytes, std::uint64_t rows) {
    return address % row_bytes == 0 && bytes == row_bytes && address / row_bytes < rows;
  }

  /// The RTL has as many rows as its parameter ROWS says, or 65536. Throws std::invalid_argument if the model lacks a pin.
  ScheduleTableBeats(const std::string& name, const RtlBlock& block, const NicParams& params);

  struct Answer {
    bool done;             ///< the row exists
    AccessTime time = {};  ///< beyond `table.read`
  };
  Answer write(std::uint64_t address, const std::byte* row, std::uint64_t bytes, Tick now);
  Answer read(std::uint64_t address, std::byte* row, std::uint64_t bytes, Tick now);
  EarlyTime early() const { return early_; }
  const RtlUnit& unit() const { return unit_; }
  void stall(const OutputStalls& stalls) { unit_.stall(stalls); }
  void reset() { unit_.reset(); }
  void describe(ProbeDirectory& directory, const std::string& prefix) { unit_.describe(directory, prefix); }

 private:
  bool holds(std::uint64_t address, std::uint64_t bytes) const { return is_row(address, bytes, rows_); }

  std::uint64_t rows_;
  Tick nominal_;  // time of a read
  RtlUnit unit_;
  EarlyTime early_;
};

}  // namespace tributary
