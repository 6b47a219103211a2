#include "modules/rtl/rtl_nic_parts.h"

#include "modules/base/sysc/request_interval.h"

namespace tributary {

void RtlScheduleTable::b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) {
  if (access.get_byte_enable_ptr() != nullptr) return access.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  const Tick now = (sc_core::sc_time_stamp() + delay).value();
  auto* const data = reinterpret_cast<std::byte*>(access.get_data_ptr());
  const ScheduleTableBeats::Answer answer = access.is_write()
                                                ? core.write(access.get_address(), data, access.get_data_length(), now)
                                                : core.read(access.get_address(), data, access.get_data_length(), now);
  access.set_response_status(answer.done ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  delay += sc_core::sc_time::from_value(answer.time.latency);
  RequestInterval::add(access, answer.time.interval);
}

void RtlReductionUnit::b_transport(ReductionOperand& o, sc_core::sc_time& delay) {
  if (o.data != nullptr) return core.combine(o.sum, o.data, o.elements, o.type, o.op);
  const Tick now = (sc_core::sc_time_stamp() + delay).value();
  const AccessTime time = core.add(now, o.elements, o.type, o.op);
  delay += sc_core::sc_time::from_value(time.latency);
  o.timing.interval += time.interval;
}

}  // namespace tributary
