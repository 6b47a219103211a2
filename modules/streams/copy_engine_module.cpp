#include "modules/streams/copy_engine_module.h"

#include <algorithm>
#include <stdexcept>

#include "modules/link/link_protocol.h"

namespace tributary {

CopyEngineModule::CopyEngineModule(const sc_core::sc_module_name& name) : sc_module(name) {
  commands.bind(static_cast<CopyForward&>(*this));
  memory.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  wire.bind(static_cast<BurstBackward&>(*this));
}

Tick CopyEngineModule::request(const CopyCommand& command, Tick now) {
  const Tick begin = std::max(now, memory_free_at_);
  const AccessTime time =
      access_.transport(memory, tlm::TLM_READ_COMMAND, command.source, nullptr, command.bytes, begin - kernel_now());
  memory_free_at_ = begin + time.interval;
  if (time.pending()) {
    late_->defer(*access_.part(), begin, *this);
    requests_.push_back({late_->ticket(), &command, now});
    return never;
  }
  access_.check(memory, "the request of a copy");
  first_data_ = std::max(first_data_, begin + time.latency);
  return first_data_ - now;
}

void CopyEngineModule::answered(Ticket ticket, Tick when) {
  const auto at = std::find_if(requests_.begin(), requests_.end(), [&](const Request& r) { return r.ticket == ticket; });
  const Request request = *at;
  requests_.erase(at);
  first_data_ = std::max(first_data_, when);
  late_data(*request.command, first_data_ - request.now);
}

void CopyEngineModule::restart() {
  requests_.clear();
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
