#include "modules/streams/copy_engine_module.h"

#include <algorithm>
#include <stdexcept>

#include "modules/base/sysc/wait_error.h"
#include "modules/link/link_protocol.h"

namespace tributary {

CopyEngineModule::CopyEngineModule(const sc_core::sc_module_name& name) : sc_module(name) {
  commands.bind(static_cast<CopyForward&>(*this));
  memory.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  wire.bind(static_cast<BurstBackward&>(*this));
}

Tick CopyEngineModule::request(const CopyCommand& command, Tick now) {
  access_.set_command(tlm::TLM_READ_COMMAND);
  access_.set_address(command.source);
  access_.set_data_ptr(nullptr);
  access_.set_data_length(static_cast<unsigned>(std::min<std::uint64_t>(command.bytes, ~0u)));
  access_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  interval_.interval = 0;
  const Tick begin = std::max(now, memory_free_at_);
  const sc_core::sc_time before = to_sc_time(begin - kernel_now());
  sc_core::sc_time delay = before;
  try {
    memory->b_transport(access_, delay);
  } catch (const sc_core::sc_report& report) {
    report_wait(report, "memory", memory.name());
  }
  memory_free_at_ = begin + interval_.interval;
  first_data_ = std::max<Tick>(first_data_, begin + (delay - before).value());
  return first_data_ - now;
}

void CopyEngineModule::restart() {
  memory_free_at_ = first_data_ = 0;
  reset();
}

void CopyEngineModule::send(const Burst& burst, Tick ready) {
  Burst passed = burst;
  BurstPhase phase = BurstPhase::packets;
  sc_core::sc_time delay = to_sc_time(ready - kernel_now());
  wire->nb_transport_fw(passed, phase, delay);
}

void CopyEngineModule::done(const CopyCommand& command, Tick when) {
  CopyPhase phase = CopyPhase::done;
  sc_core::sc_time delay = to_sc_time(when - kernel_now());
  commands->nb_transport_bw(const_cast<CopyCommand&>(command), phase, delay);
}

tlm::tlm_sync_enum CopyEngineModule::nb_transport_fw(CopyCommand& command, CopyPhase&, sc_core::sc_time& delay) {
  return submit(command, kernel_now() + delay.value()) ? tlm::TLM_UPDATED : tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum CopyEngineModule::nb_transport_bw(Burst& burst, BurstPhase& phase, sc_core::sc_time& delay) {
  const Tick now = kernel_now() + delay.value();
  if (phase == BurstPhase::left)
    left(burst, now);
  else
    room(burst, now);
  return tlm::TLM_ACCEPTED;
}

void CopyEngineModule::b_transport(CopyCommand&, sc_core::sc_time&) {
  throw std::logic_error("a copy engine does not support b_transport (legal: nb_transport_fw)");
}

}  // namespace tributary
