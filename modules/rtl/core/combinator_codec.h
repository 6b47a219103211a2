#pragma once
/// CombinatorCodec: a slot of an accelerator as beats of a combinator in RTL, and its beats as a sum.

#include <cstdint>
#include <string>

#include "modules/netreduce/core/combinator.h"
#include "modules/rtl/core/beat_layout.h"
#include "modules/rtl/core/rtl_block.h"

namespace tributary {

/// A beat has 64 B of each operand. Operands that a slot lacks, and bytes beyond its end, hold the identity of the
/// operation (docs/blocks/accelerator.md#pins).
class CombinatorCodec {
 public:
  static constexpr unsigned beat_bytes = 64;
  enum Channel : unsigned { request, answer };

  /// Throws std::invalid_argument if a beat of the accelerator is not 64 B.
  CombinatorCodec(std::string name, const RtlBlock& block, const AcceleratorParams& params);

  /// Throws UnfitBlock for slots that the RTL has no lanes or no operation for.
  void check_elements(ElementType type, ReduceOp op, unsigned operands) const;
  void check(const CombineTransaction& t) const { check_elements(t.type, t.op, t.operands); }
  static unsigned beats(const CombineTransaction& t) { return (t.bytes + beat_bytes - 1) / beat_bytes; }
  /// Returns beat k of the slot.
  RtlBeat beat(const BeatLayout& channel, const CombineTransaction& t, unsigned k, std::uint16_t id) const;
  /// Writes beat k of the sum to `t.sum`, if data are simulated. Throws std::logic_error with the rule `answer` if the beat
  /// belongs to another slot or place.
  void take(const BeatLayout& channel, const RtlBeat& beat, const CombineTransaction& t, unsigned k, std::uint16_t id) const;

  /// Returns beat k of the answer with the sum in `t.sum`; without data its bytes are not expected.
  ExpectedBeat expected(const BeatLayout& channel, const CombineTransaction& t, unsigned k, std::uint16_t id) const;

 private:
  void require(bool holds, const std::string& what) const;

  std::string name_;
  RtlBlock block_;
  unsigned ranks_;
};

}  // namespace tributary
