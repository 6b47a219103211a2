#pragma once
/// PayloadBeats: converts the payloads of an accelerator to rows for the banks of a payload buffer in RTL.

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "modules/base/access_timing.h"
#include "modules/base/early_answers.h"
#include "modules/netreduce/accelerator_params.h"
#include "modules/rtl/core/payload_places.h"
#include "modules/rtl/core/rtl_unit.h"

namespace tributary {

/// Return the beats of an access to a bank from `row` on, and those of the rows that are read.
std::vector<RtlBeat> write_beats(const BeatLayout& write, std::uint64_t row, const std::byte* data, unsigned bytes);
std::vector<RtlBeat> read_beats(const BeatLayout& read, std::uint64_t row, unsigned bytes);
/// Copies the row of a beat: at most 64 B.
void copy_row(const BeatLayout& answer, const RtlBeat& beat, std::byte* to, unsigned bytes);
std::vector<ExpectedBeat> row_beats(const BeatLayout& answer, const std::byte* data, unsigned bytes);

/// An instance of the RTL for each bank of PayloadPlaces.
class PayloadBeats {
 public:
  /// Throws std::invalid_argument as PayloadPlaces does, or if the model lacks a pin.
  PayloadBeats(const std::string& name, const RtlBlock& block, const AcceleratorParams& params);

  /// Returns the times beyond a clock for each beat, and for a read a clock to the first one. A write has no answer. Throws
  /// std::invalid_argument for a row that the RTL lacks.
  AccessTime write(std::uint64_t address, const std::byte* data, unsigned bytes, Tick now);
  AccessTime read(std::uint64_t address, std::byte* data, unsigned bytes, Tick now);
  EarlyTime early() const { return early_; }
  const RtlUnit& bank(unsigned rank) const { return banks_[rank]; }
  void stall(const OutputStalls& stalls) {
    for (RtlUnit& bank : banks_) bank.stall(stalls);
  }
  void reset();
  /// Probes of the pins of the first bank.
  void describe(ProbeDirectory& directory, const std::string& prefix) { banks_.front().describe(directory, prefix); }

 private:
  struct Place {
    RtlUnit& bank;
    std::uint64_t row;
  };
  Place place(std::uint64_t address, unsigned beats);
  static Tick interval(const RtlUnit& bank, unsigned beats);

  PayloadPlaces places_;
  std::deque<RtlUnit> banks_;
  EarlyTime early_;
};

}  // namespace tributary
