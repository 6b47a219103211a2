#include "modules/rtl/pin_combinator.h"

#include <stdexcept>

#include "modules/netreduce/core/combinator_pins.h"

namespace tributary {

PinCombinator::PinCombinator(const sc_core::sc_module_name& name, const PinBlock& block, const AcceleratorParams& params)
    : TableModule(name),
      codec_(this->name(), block.rtl, params),
      params_(params),
      latency_(block.latency),
      driver_(dynamic_cast<BlockDriver*>(get_parent_object())) {
  for (unsigned unit = 0; unit < params.combinators.value_or(1); ++unit)
    units_.emplace_back().port = std::make_unique<PinPort>(("unit" + std::to_string(unit)).c_str(), combinator_pins(),
                                                           block.rtl.parameters, params.clock.value, block.make);
  if (driver_ == nullptr) return;
  for (Unit& unit : units_) unit.port->on_error = [this](const std::string& why) { return driver_->part_failed(why); };
}

void PinCombinator::before_end_of_elaboration() {
  if (driver_ == nullptr) require_unobserved(*this);
}

/// The accelerator calls when the unit is free.
void PinCombinator::b_transport(CombineTransaction& t, sc_core::sc_time&) {
  const unsigned unit = Combinator::unit_of(params_, t.ring);
  require_unit(t, unit);
  codec_.check(t);
  const Tick clock = params_.clock.value;
  units_[unit].busy(t.now, 1), units_[unit].busy(t.now + Combinator::slot_cycles(params_, t.bytes) * clock, 0);
  if (!t.late.defer(*this, t.operand != nullptr))
    throw std::invalid_argument(std::string(name()) + " answers in kernel time, and its sum is needed at once");
  request(units_[unit], t);
}

void PinCombinator::require_unit(const CombineTransaction& t, unsigned unit) const {
  if (unit >= units_.size())
    throw std::invalid_argument(std::string(name()) + ": ring " + std::to_string(t.ring) +
                                " has no unit with pins (legal: " + std::to_string(units_.size()) +
                                " rings, or netreduce.accelerator.combinators)");
}

void PinCombinator::request(Unit& unit, const CombineTransaction& t) {
  PinUnit& pins = unit.port->unit();
  const Tick shift = shadow_shift();
  const std::uint64_t edge = pins.edge_of(t.now + shift);
  const std::uint16_t id = ++unit.id;
  const unsigned beats = CombinatorCodec::beats(t);
  for (unsigned k = 0; k < beats; ++k) {
    RtlBeat beat = codec_.beat(pins.channel(CombinatorCodec::request), t, k, id);
    beat.edge = edge + k;
    pins.offer(CombinatorCodec::request, std::move(beat));
  }
  const auto answered = [this, &pins, t, id, beats](std::uint64_t first) {
    for (unsigned k = 0; k < beats; ++k)
      codec_.take(pins.channel(CombinatorCodec::answer), pins.runner().beat(CombinatorCodec::answer, first + k), t, k, id);
    if (t.operand != nullptr) t.late.listener->completed(t.late.ticket);
  };
  const auto begins = [late = t.late, shift](Tick when, std::uint64_t) {
    late.listener->answered(late.ticket, when - shift);
  };
  pins.expect(CombinatorCodec::answer, beats, edge, latency_,
              "slot " + std::to_string(id) + " of ring " + std::to_string(t.ring), answered, begins);
  unit.port->schedule();
}

void PinCombinator::reset() {
  for (Unit& unit : units_) {
    unit.port->restart();
    unit.id = 0;
  }
}

void PinCombinator::describe(ProbeDirectory& directory, const std::string& prefix) {
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    const std::string of_unit = units_.size() == 1 ? "" : "unit" + std::to_string(unit) + ".";
    directory.add_signal(prefix + of_unit + "busy", units_[unit].busy, SignalKind::level, 1,
                         "beats of a slot enter the adders");
  }
  units_.front().port->unit().describe(directory, prefix + "rtl.");
}

}  // namespace tributary
