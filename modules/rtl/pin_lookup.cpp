#include "modules/rtl/pin_lookup.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "modules/netreduce/core/clt_pins.h"
#include "modules/rtl/core/clt_beats.h"

namespace tributary {
namespace {

enum Channel : unsigned { requests, answers };

}  // namespace

PinLookup::PinLookup(const sc_core::sc_module_name& name, const PinBlock& block, const AcceleratorParams& params)
    : TableModule(name),
      nominal_(params.lookup_cycles * params.clock.value),
      latency_(block.latency),
      port_("unit", clt_pins(), block.rtl.parameters, params.clock.value, block.make) {}

/// A request is offered in each clock, at the earliest.
void PinLookup::b_transport(ClTransaction& t, sc_core::sc_time&) {
  if (!t.defer(*this))
    throw std::invalid_argument(std::string(name()) + " answers in kernel time, and its address is needed at once");
  PinUnit& pins = port_.unit();
  const std::uint8_t id = ++id_;
  RtlBeat beat = lookup_beat(pins.channel(requests), t, id);
  const std::uint64_t edge = beat.edge = std::max(pins.next_edge_of(t.now), free_at_);
  free_at_ = edge + 1;
  pins.offer(requests, std::move(beat));
  const auto begins = [this, &pins, late = t.late, id, now = t.now](Tick when, std::uint64_t first) {
    answer(pins.runner().beat(answers, first), *late, id);
    late->listener->answered(late->ticket, std::max(now + nominal_, when) - nominal_);
  };
  pins.expect(
      answers, 1, edge, latency_, "request " + std::to_string(id), [](std::uint64_t) {}, begins);
  port_.schedule();
}

void PinLookup::answer(const RtlBeat& beat, LateAddress& late, std::uint8_t id) const {
  const BeatLayout& layout = port_.unit().channel(answers);
  if (const std::uint64_t from = lookup_of(layout, beat); from != id)
    port_.unit().runner().fail("answer", "answers request " + std::to_string(from) + " in place of " + std::to_string(id));
  late.address = address_of(layout, beat);
}

void PinLookup::reset() {
  port_.restart();
  free_at_ = id_ = 0;
}

}  // namespace tributary
