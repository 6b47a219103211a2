#include "modules/rtl/pin_translation.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "modules/link/link_protocol.h"
#include "modules/netreduce/core/ctt_pins.h"
#include "modules/rtl/core/ctt_beats.h"

namespace tributary {
namespace {

enum Channel : unsigned { requests, answers };

}  // namespace

PinTranslation::PinTranslation(const sc_core::sc_module_name& name, const PinBlock& block, const AcceleratorParams& params)
    : TableModule(name),
      nominal_(params.lookup_cycles * params.clock.value),
      port_("unit", ctt_pins(), block.rtl.parameters, params.clock.value, block.make) {
  require_affine(this->name(), params);
  if (block.latency != 0)
    throw std::invalid_argument(
        std::string(this->name()) +
        ": the latency of a connection translation table depends on its targets (legal: no LATENCY)");
}

/// A command of job initialisation may arrive during the reset.
void PinTranslation::b_transport(CtTransaction& t, sc_core::sc_time&) {
  const bool translates = t.command == CtTransaction::Command::translate;
  if (translates && !t.defer(*this))
    throw std::invalid_argument(std::string(name()) + " answers in kernel time, and its translation is needed at once");
  PinUnit& pins = port_.unit();
  const std::uint8_t id = ++id_;
  const Tick ahead = t.now - std::min(t.now, nominal_);
  const Tick asked = std::max({ahead, kernel_now(), pins.reset_ends()});
  RtlBeat beat = command_beat(pins.channel(requests), t, id);
  const std::uint64_t at = pins.edge_of(asked), edge = beat.edge = std::max(pins.next_edge_of(asked), free_at_);
  free_at_ = edge + 1;
  pins.offer(requests, std::move(beat));
  const auto answered = [this, late = translates ? t.late : nullptr, id, at, now = t.now](std::uint64_t first) {
    answer(late, first, id, port_.unit().clock().time_of(at), now);
  };
  pins.expect_to_last(answers, edge, "request " + std::to_string(id), answered);
  port_.schedule();
}

/// The last beat counts.
void PinTranslation::answer(LateTranslation* late, std::uint64_t first, std::uint8_t id, Tick asked, Tick now) const {
  const EdgeRunner& runner = port_.unit().runner();
  const BeatLayout& layout = port_.unit().channel(answers);
  if (late != nullptr) late->known = is_known(layout, runner.beat(answers, first));
  std::uint64_t k = first;
  for (;; ++k) {
    const RtlBeat& beat = runner.beat(answers, k);
    if (const std::uint64_t from = command_of(layout, beat); from != id)
      runner.fail("answer", "answers request " + std::to_string(from) + " in place of " + std::to_string(id));
    if (late != nullptr && late->known) add_target(layout, beat, late->entry);
    if (beat.last) break;
  }
  if (late == nullptr) return;
  const Tick took = port_.unit().clock().time_of(runner.beat(answers, k).edge) - asked;
  late->listener->answered(late->ticket, now + std::max(took, nominal_) - nominal_);
}

void PinTranslation::reset() {
  port_.restart();
  free_at_ = id_ = 0;
}

}  // namespace tributary
