#include "modules/rtl/rtl_accelerator_parts.h"

#include "modules/base/sysc/request_interval.h"

namespace tributary {

RtlCombinator::RtlCombinator(const sc_core::sc_module_name& name, const RtlBlock& block, const AcceleratorParams& params)
    : TableModule(name), block_(block), params_(params), busy_(params.combinators.value_or(1)) {
  units_.emplace_back(this->name(), block_, params_);
}

/// The accelerator counts the clock in which operands are read, and calls when the unit is free.
void RtlCombinator::b_transport(CombineTransaction& t, sc_core::sc_time& delay) {
  const unsigned unit = params_.combinators ? t.ring % *params_.combinators : t.ring;
  while (unit >= units_.size()) {
    units_.emplace_back(name(), block_, params_);
    units_.back().stall(stalls_);
  }
  const CombinatorBeats::Answer answer = units_[unit].access(t);
  delay += sc_core::sc_time::from_value(beyond_nominal(answer.done - t.now, params_.clock.value, early_.latency));
  t.timing.interval += answer.interval;
  if (unit < busy_.size())
    busy_[unit](t.now, 1),
        busy_[unit](t.now + Combinator::slot_cycles(params_, t.bytes) * params_.clock.value + answer.interval, 0);
}

void RtlCombinator::stall(const OutputStalls& stalls) {
  stalls_ = stalls;
  for (CombinatorBeats& unit : units_) unit.stall(stalls);
}

void RtlCombinator::reset() {
  for (CombinatorBeats& unit : units_) unit.reset();
}

void RtlCombinator::describe(ProbeDirectory& directory, const std::string& prefix) {
  for (std::size_t unit = 0; unit < busy_.size(); ++unit) {
    const std::string of_unit = busy_.size() == 1 ? "" : "unit" + std::to_string(unit) + ".";
    directory.add_signal(prefix + of_unit + "busy", busy_[unit], SignalKind::level, 1, "beats of a slot enter the adders");
  }
  units_.front().describe(directory, prefix + "rtl.");
}

void RtlPayloadBuffer::b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) {
  access.set_response_status(tlm::TLM_OK_RESPONSE);
  auto* const data = reinterpret_cast<std::byte*>(access.get_data_ptr());
  if (data == nullptr || access.get_command() == tlm::TLM_IGNORE_COMMAND) return;
  const Tick now = (sc_core::sc_time_stamp() + delay).value();
  const AccessTime time = access.is_read() ? core.read(access.get_address(), data, access.get_data_length(), now)
                                           : core.write(access.get_address(), data, access.get_data_length(), now);
  delay += sc_core::sc_time::from_value(time.latency);
  RequestInterval::add(access, time.interval);
}

}  // namespace tributary
