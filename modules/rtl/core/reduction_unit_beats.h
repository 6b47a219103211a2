#pragma once
/// ReductionUnitBeats: converts the chunks of a NIC to passes of a reduction unit in RTL.

#include <cstddef>
#include <string>

#include "modules/base/access_timing.h"
#include "modules/base/early_answers.h"
#include "modules/nic/core/reduction_core.h"
#include "modules/rtl/core/rtl_unit.h"

namespace tributary {

/// A pass of a chunk: elements of 32 bits, with data or without.
struct ReductionPass {
  std::uint64_t elements = 0;
  ElementType type = ElementType::i32;
  ReduceOp op = ReduceOp::sum;
  const std::byte* sum = nullptr;
  const std::byte* data = nullptr;  ///< null: zeros
  bool last = true;
};
RtlBeat pass_beat(const BeatLayout& request, const ReductionPass& pass);
/// Returns the beat of the sums of a pass.
ExpectedBeat sums_beat(const BeatLayout& answer, std::uint64_t elements, const std::byte* sums, bool last);

/// A pass has UNITS x WIDTH elements of 32 bits. A chunk takes the clocks of its passes in RTL; the data of its packets,
/// which a NIC adds in no time, go through a second instance of the RTL.
class ReductionUnitBeats {
 public:
  /// Returns the passes of a chunk. Elements are divided among the units first, as in the model: a pass ends when the
  /// fullest unit has added `width`.
  static unsigned passes_of(std::uint64_t elements, std::uint64_t units, std::uint64_t width) {
    const std::uint64_t in_a_unit = (elements + units - 1) / units;
    return static_cast<unsigned>((in_a_unit + width - 1) / width);
  }
  /// Throws UnfitBlock for elements that the RTL of `block` does not add. `name`: that of the unit.
  static void require_elements(const std::string& name, const RtlBlock& block, ElementType type, ReduceOp op);
  /// Describes a wrong pin `last`.
  static std::string wrong_last(std::uint64_t pass, std::uint64_t passes, bool last) {
    return "sums of " + std::to_string(passes) + (passes == 1 ? " pass" : " passes") + (last ? " with" : " without") +
           " `m_last` at pass " + std::to_string(pass);
  }
  /// Throws std::invalid_argument if the model lacks a pin.
  ReductionUnitBeats(const std::string& name, const RtlBlock& block, const NicParams& params);

  /// Returns the times beyond the passes that the NIC counts for a chunk.
  AccessTime add(Tick now, std::uint64_t elements, ElementType type, ReduceOp op);
  /// Adds `data` to `sum`, in no time. Throws std::invalid_argument for a type or an operation that the RTL lacks.
  void combine(std::byte* sum, const std::byte* data, std::uint64_t elements, ElementType type, ReduceOp op);
  EarlyTime early() const { return early_; }
  const RtlUnit& unit() const { return times_; }
  /// Throws UnfitBlock for elements that the RTL does not add.
  void check_elements(ElementType type, ReduceOp op) const;
  void stall(const OutputStalls& stalls) {
    times_.stall(stalls);
    data_.stall(stalls);
  }
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix) { times_.describe(directory, prefix); }

 private:
  static void require_last(const RtlUnit& unit, std::uint64_t passes);

  std::uint64_t units_, width_;
  ReductionCore nominal_;
  RtlUnit times_, data_;
  EarlyTime early_;
};

}  // namespace tributary
