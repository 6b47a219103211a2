#include "modules/rtl/delta_pins.h"

#include <stdexcept>
#include <string>

namespace tributary {

DeltaPins::DeltaPins(const sc_core::sc_module_name& name, const PinTable& table, const PinParameters& parameters,
                     const MakePinned& make)
    : sc_module(name), signals_(this->name(), table, parameters), block_(make(signals_)) {}

std::unique_ptr<RtlModel> DeltaPins::model() {
  auto model = std::make_unique<Model>(*this);
  model->pins = signals_.pins();
  return model;
}

bool DeltaPins::connect() {
  if (connected_) return false;
  if (sc_core::sc_get_current_process_handle().proc_kind() != sc_core::SC_THREAD_PROC_)
    throw std::logic_error(std::string(name()) + " waits in calls, and its device does not run in a thread");
  return connected_ = true;
}

/// The activity of other devices at this time looks like that of the block.
void DeltaPins::settle() {
  if (!connected_) return signals_.clear();
  if (signals_.write()) {
    unsigned deltas = 0;
    do sc_core::wait(sc_core::SC_ZERO_TIME);
    while (++deltas < most_deltas && sc_core::sc_pending_activity_at_current_time());
  }
  signals_.read();
}

}  // namespace tributary
