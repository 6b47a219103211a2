#pragma once
/// CombinatorBeats: converts the slots of an accelerator to beats for a combinator in RTL, and its beats to sums.

#include <string>

#include "modules/rtl/core/combinator_codec.h"
#include "modules/rtl/core/rtl_unit.h"

namespace tributary {

/// One unit of adders. A slot takes a clock to open and one for each 64 B, as in the model
/// (docs/blocks/accelerator.md#pins).
class CombinatorBeats {
 public:
  /// Throws std::invalid_argument if the model lacks a pin, or if a beat of the accelerator is not 64 B.
  CombinatorBeats(const std::string& name, const RtlBlock& block, const AcceleratorParams& params);

  struct Answer {
    Tick start;     ///< the slot is opened
    Tick done;      ///< first beat of the sum leaves; the others follow in successive clocks
    Tick interval;  ///< time beyond 1 + beats clocks until the unit accepts the next slot
  };
  /// Writes the sum. Throws UnfitBlock as check_elements() does, and
  /// std::logic_error for a wrong answer.
  Answer access(const CombineTransaction& t);
  const RtlUnit& unit() const { return unit_; }
  /// Throws UnfitBlock for slots that the RTL has no lanes or no operation for.
  void check_elements(ElementType type, ReduceOp op, unsigned operands) const { codec_.check_elements(type, op, operands); }
  void stall(const OutputStalls& stalls) { unit_.stall(stalls); }
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix) { unit_.describe(directory, prefix); }

 private:
  CombinatorCodec codec_;
  RtlUnit unit_;
  std::uint16_t id_ = 0;
};

}  // namespace tributary
