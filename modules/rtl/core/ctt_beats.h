#pragma once
/// CttBeats: converts the commands of an accelerator in a tree to beats for a connection translation table in RTL.

#include <map>
#include <string>
#include <vector>

#include "modules/base/early_answers.h"
#include "modules/netreduce/accelerator_params.h"
#include "modules/netreduce/core/ct_table.h"
#include "modules/rtl/core/rtl_unit.h"

namespace tributary {

/// Returns the beat of a command, and those of its answer. A translation has an entry in `t.entry`, learn its answer in
/// `t.added`; the answer of a preset is not checked.
RtlBeat command_beat(const BeatLayout& request, const CtTransaction& t, std::uint8_t id);
std::vector<ExpectedBeat> target_beats(const BeatLayout& answer, const CtTransaction& t, std::uint8_t id);

/// Throws std::invalid_argument unless a connection has one first packet.
void require_affine(const std::string& name, const AcceleratorParams& params);
/// Return the request that a beat answers, and whether its connection or target was known.
std::uint64_t command_of(const BeatLayout& answer, const RtlBeat& beat);
bool is_known(const BeatLayout& answer, const RtlBeat& beat);
/// Adds the target of a beat to an entry; that of the first beat begins the entry.
void add_target(const BeatLayout& answer, const RtlBeat& beat, CtEntry& entry);

/// Answers have a beat for each target, with one first packet of it: `netreduce.accelerator.ctt.learn=affine`. The pipeline
/// counts `lookup_cycles` clocks for a translation. Preset and learn are posted: their answers delay nothing.
class CttBeats : public PartPort<CtTransaction> {
 public:
  /// Throws std::invalid_argument if the model lacks a pin, or for another kind of learning.
  CttBeats(const std::string& name, const RtlBlock& block, const AcceleratorParams& params);

  /// Returns the time of a translation's last beat beyond `lookup_cycles` clocks. The entry is valid until the connection is
  /// translated again. Throws std::logic_error for a wrong answer.
  Tick access(CtTransaction& t) override;
  /// Returns the time beyond a clock until the table accepts the next request.
  Tick interval() const {
    const std::uint64_t nominal = unit_.start() + 1;
    return unit_.free_at() > nominal ? unit_.clock().cycles(unit_.free_at() - nominal) : 0;
  }
  /// Preset and learn have no times.
  EarlyTime early() const { return early_; }
  const RtlUnit& unit() const { return unit_; }
  void stall(const OutputStalls& stalls) { unit_.stall(stalls); }
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix) { unit_.describe(directory, prefix); }

 private:
  const CtEntry* entry_of(const ConnectionKey& from, unsigned beats);

  unsigned lookup_cycles_;
  RtlUnit unit_;
  EarlyTime early_;
  std::map<std::uint64_t, CtEntry> entries_;  // answers, by connection
  std::uint8_t id_ = 0;
};

}  // namespace tributary
