#include "modules/rtl/pin_reduction_unit.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "modules/nic/core/reduction_unit_pins.h"
#include "modules/rtl/core/reduction_unit_beats.h"

namespace tributary {
namespace {

enum Channel : unsigned { requests, answers };

}  // namespace

PinReductionUnit::PinReductionUnit(const sc_core::sc_module_name& name, const PinBlock& block, const NicParams& params)
    : TargetModule(name),
      rtl_(block.rtl),
      nominal_(params.reduction, params.clock),
      units_(parameter(reduction_unit_pins(), block.rtl, "UNITS")),
      width_(parameter(reduction_unit_pins(), block.rtl, "WIDTH")),
      port_("unit", reduction_unit_pins(), block.rtl.parameters, params.clock.value, block.make) {
  if (block.latency != 0)
    throw std::invalid_argument(std::string(this->name()) +
                                ": a pass of a reduction unit may wait for other passes (legal: no LATENCY)");
  port_.unit().await_ready(requests);
  port_.on_fall = [this] { fall(); };
}

void PinReductionUnit::check_elements(ElementType type, ReduceOp op, unsigned) const {
  ReductionUnitBeats::require_elements(name(), rtl_, type, op);
}

void PinReductionUnit::b_transport(ReductionOperand& o, sc_core::sc_time& delay) {
  check_elements(o.type, o.op, 2);
  if (o.data != nullptr) return packets_[o.chunk].add(o.sum, o.data, o.elements);
  begin(o, (sc_core::sc_time_stamp() + delay).value());
}

/// A chunk enters: all of its packets have arrived.
void PinReductionUnit::begin(ReductionOperand& o, Tick now) {
  ReductionPasses chunk{{}, o.elements, units_ * width_, ReductionUnitBeats::passes_of(o.elements, units_, width_)};
  if (chunk.passes == 0) return;
  if (!o.late.defer(*this))
    throw std::invalid_argument(std::string(name()) + " answers in kernel time, and its sums are needed at once");
  o.late.interval_follows = true;
  if (const auto data = packets_.find(o.chunk); data != packets_.end()) {
    chunk.operands = std::move(data->second);
    packets_.erase(data);
    if (chunk.operands.elements() != o.elements)
      throw std::logic_error(std::string(name()) + ": a chunk of " + std::to_string(o.elements) + " elements has data of " +
                             std::to_string(chunk.operands.elements()));
  }
  PinUnit& pins = port_.unit();
  const std::uint64_t edge = pins.next_edge_of(now);
  const unsigned passes = chunk.passes;
  const Tick nominal = nominal_.time(o.elements);
  const auto foreseen = [this, late = o.late, passes, now, nominal, pass = 0u](Tick when, const RtlBeat& beat) mutable {
    store(beat, pass, passes);
    if (++pass == passes) late.listener->answered(late.ticket, std::max(now + nominal, when) - nominal);
  };
  pins.foresee(answers, passes, edge, "a chunk of " + std::to_string(o.elements) + " elements", foreseen,
               [](std::uint64_t) {});
  chunks_.push_back({o.late, o.type, o.op, std::move(chunk), edge});
  offer_next();
  port_.schedule();
}

/// The clock falls before the next edge: sums of this edge are in memory.
void PinReductionUnit::fall() {
  accept();
  offer_next();
}

/// Chunks whose passes have entered: the unit is idle when it is ready for another pass.
void PinReductionUnit::accept() {
  const PinUnit& pins = port_.unit();
  if (!pins.channel(requests).ready()) return;
  while (!accepting_.empty() && pins.runner().passed(requests) >= accepting_.front().beats) {
    const Accepting first = accepting_.front();
    accepting_.pop_front();
    first.listener->accepted(first.ticket, pins.clock().time_of(pins.runner().edge()));
  }
}

/// Offers the next pass if the one before has entered.
void PinReductionUnit::offer_next() {
  PinUnit& pins = port_.unit();
  if (chunks_.empty() || pins.runner().passed(requests) < offered_) return;
  Chunk& chunk = chunks_.front();
  const std::uint64_t elements = chunk.passes.elements_of_next();
  ReductionOperands operands = chunk.passes.operands.take(elements);
  const auto hazard = [&](const ReductionOperands& earlier) { return earlier.overlaps(operands); };
  if (std::any_of(in_flight_.begin(), in_flight_.end(), hazard)) return chunk.passes.operands.put_back(std::move(operands));
  std::vector<std::byte> sums(operands.elements() * 4), data(operands.elements() * 4);
  operands.copy_sums(sums.data());
  operands.copy_data(data.data());
  const bool last = ++chunk.passes.next == chunk.passes.passes;
  RtlBeat beat = pass_beat(pins.channel(requests),
                           {elements, chunk.type, chunk.op, sums.data(), operands.empty() ? nullptr : data.data(), last});
  beat.edge = std::max(chunk.edge, pins.runner().edge());
  pins.offer(requests, std::move(beat));
  ++offered_;
  in_flight_.push_back(std::move(operands));
  if (!last) return;
  accepting_.push_back({chunk.late.ticket, chunk.late.listener, offered_});
  chunks_.pop_front();
}

/// The sums of a pass leave.
void PinReductionUnit::store(const RtlBeat& beat, unsigned pass, unsigned passes) {
  if (beat.last != (pass + 1 == passes))
    port_.unit().runner().fail("answer", ReductionUnitBeats::wrong_last(pass, passes, beat.last));
  if (in_flight_.empty()) port_.unit().runner().fail("order", "sums leave before their pass has entered");
  const BeatLayout& layout = port_.unit().channel(answers);
  in_flight_.front().store(reinterpret_cast<const std::byte*>(layout.bytes(beat, 0)));
  in_flight_.pop_front();
}

void PinReductionUnit::reset() {
  port_.restart();
  packets_.clear();
  chunks_.clear();
  in_flight_.clear();
  accepting_.clear();
  offered_ = 0;
}

}  // namespace tributary
