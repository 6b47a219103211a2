#include "modules/rtl/pin_port.h"

#include <stdexcept>

#include "modules/link/link_protocol.h"

namespace tributary {

PinPort::PinPort(const sc_core::sc_module_name& name, const PinTable& table, const PinParameters& parameters, Tick period,
                 const MakePinned& make)
    : sc_module(name),
      signals_(this->name(), table, parameters),
      block_(make(signals_)),
      model_(model_of(signals_)),
      unit_(this->name(), table, parameters, *model_, period),
      clk_(model_->pins.find("clk")),
      period_(period) {
  SC_HAS_PROCESS(PinPort);
  SC_METHOD(step);
  sensitive << event_;
  dont_initialize();
  restart();
}

std::unique_ptr<PinPort::Model> PinPort::model_of(const SignalPins& pins) {
  auto model = std::make_unique<Model>();
  model->pins = pins.pins();
  return model;
}

void PinPort::schedule() {
  if (phase_ != Phase::waits) return;  // the end of this edge plans the next one
  const Tick next = unit_.next_rise();
  if (next >= planned_) return;
  planned_ = next;
  event_.notify(to_sc_time(next - kernel_now()));
}

void PinPort::restart() {
  event_.cancel();
  planned_ = never;
  phase_ = Phase::waits;
  clk_.data[0] = 0;
  unit_.restart(kernel_now());
  schedule();
}

void PinPort::step() {
  try {
    advance();
  } catch (const std::logic_error& error) {
    if (!on_error || !on_error(error.what())) throw;
    phase_ = Phase::stopped;
    event_.cancel();
  }
}

void PinPort::advance() {
  switch (phase_) {
    case Phase::waits:
      planned_ = never;
      deltas_ = quiet_ = 0;
      phase_ = Phase::settles;
      return event_.notify(sc_core::SC_ZERO_TIME);
    case Phase::settles:
      return settle();
    case Phase::high:
      return lower();
    case Phase::stopped:
      return;
  }
}

/// Requests of this instant have arrived. Those that a beat of this edge causes may still enter at it.
void PinPort::settle() {
  if (before_edge) before_edge();
  unit_.drive();
  const bool changed = signals_.write();
  const bool settled = deltas_ == 0 ? !changed : !changed && !sc_core::sc_pending_activity_at_current_time();
  if (settled || ++deltas_ > most_deltas) {
    if (!unit_.watches()) return raise();
    signals_.read();
    const bool shown = unit_.look();
    quiet_ = shown || changed ? 0 : quiet_ + 1;
    if (quiet_ == quiet_deltas) return raise();
    if (shown) deltas_ = 1;
  }
  event_.notify(sc_core::SC_ZERO_TIME);
}

void PinPort::raise() {
  signals_.read();
  unit_.rise();
  clk_.data[0] = 1;
  signals_.write();
  phase_ = Phase::high;
  event_.notify(to_sc_time(period_ / 2));
}

void PinPort::lower() {
  signals_.read();
  unit_.fall();
  if (on_fall) on_fall();
  unit_.drive();
  clk_.data[0] = 0;
  signals_.write();
  phase_ = Phase::waits;
  schedule();
}

}  // namespace tributary
