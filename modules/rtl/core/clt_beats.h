#pragma once
/// CltBeats: converts the look-ups of an accelerator to beats for a connection lookup table in RTL.

#include <string>

#include "modules/base/early_answers.h"
#include "modules/netreduce/accelerator_params.h"
#include "modules/netreduce/core/accelerator_parts.h"
#include "modules/rtl/core/rtl_unit.h"

namespace tributary {

/// Returns the beat of a request, and that of its answer; the place of a packet is expected if it is found.
RtlBeat lookup_beat(const BeatLayout& request, const ClTransaction& t, std::uint8_t id);
/// Return the fields of an answer.
SlotAddress address_of(const BeatLayout& answer, const RtlBeat& beat);
std::uint64_t lookup_of(const BeatLayout& answer, const RtlBeat& beat);
ExpectedBeat located_beat(const BeatLayout& answer, const SlotAddress& address, std::uint8_t id);

/// The table answers one request after another. The pipeline counts `lookup_cycles` clocks for each.
class CltBeats : public PartPort<ClTransaction> {
 public:
  /// Throws std::invalid_argument if the model lacks a pin.
  CltBeats(const std::string& name, const RtlBlock& block, const AcceleratorParams& params);

  /// Returns the time of the answer beyond `lookup_cycles` clocks. Throws std::logic_error for a wrong answer.
  Tick access(ClTransaction& t) override;
  /// Returns the time beyond a clock until the table accepts the next request.
  Tick interval() const {
    const std::uint64_t nominal = unit_.start() + 1;
    return unit_.free_at() > nominal ? unit_.clock().cycles(unit_.free_at() - nominal) : 0;
  }
  EarlyTime early() const { return early_; }
  const RtlUnit& unit() const { return unit_; }
  void stall(const OutputStalls& stalls) { unit_.stall(stalls); }
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix) { unit_.describe(directory, prefix); }

 private:
  unsigned lookup_cycles_;
  RtlUnit unit_;
  EarlyTime early_;
  std::uint8_t id_ = 0;
};

}  // namespace tributary
