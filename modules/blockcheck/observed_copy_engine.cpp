#include "modules/blockcheck/observed_copy_engine.h"

#include <utility>

#include "modules/link/link_protocol.h"

namespace tributary {
namespace {

Tick time_of(const sc_core::sc_time& delay) { return kernel_now() + delay.value(); }
sc_core::sc_time delay_of(Tick when) { return to_sc_time(when > kernel_now() ? when - kernel_now() : 0); }

CopyCall burst_call(const Burst& burst, Tick ready) {
  CopyCall call;
  call.kind = CopyCall::Kind::burst;
  call.time = ready;
  call.burst = burst;
  return call;
}

CopyCall done_call(const CopyCommand& command, Tick when) {
  CopyCall call;
  call.kind = CopyCall::Kind::done;
  call.time = when;
  call.copy = command.copy;
  return call;
}

CopyInput burst_input(CopyInput::Kind kind, const Burst& burst, Tick now) {
  CopyInput input;
  input.kind = kind;
  input.now = now;
  input.burst = burst;
  return input;
}

}  // namespace

// ---- sockets

CopyEngineSide::CopyEngineSide(const sc_core::sc_module_name& name, CopyEngineModule& engine) : sc_module(name) {
  commands.bind(static_cast<CopyBackward&>(*this));
  wire.bind(static_cast<BurstForward&>(*this));
  memory.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
  commands.bind(engine.commands);
  engine.wire.bind(wire);
  engine.memory.bind(memory);
}

bool CopyEngineSide::submit(CopyCommand& command, Tick now) {
  CopyPhase phase = CopyPhase::submit;
  sc_core::sc_time delay = delay_of(now);
  return commands->nb_transport_fw(command, phase, delay) == tlm::TLM_UPDATED;
}

void CopyEngineSide::burst(const Burst& burst, BurstPhase phase, Tick now) {
  Burst passed = burst;
  sc_core::sc_time delay = delay_of(now);
  wire->nb_transport_bw(passed, phase, delay);
}

tlm::tlm_sync_enum CopyEngineSide::nb_transport_bw(CopyCommand& command, CopyPhase&, sc_core::sc_time& delay) {
  on_done(command, time_of(delay));
  return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum CopyEngineSide::nb_transport_fw(Burst& burst, BurstPhase&, sc_core::sc_time& delay) {
  on_burst(burst, time_of(delay));
  return tlm::TLM_ACCEPTED;
}

void CopyEngineSide::b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) { on_memory(access, delay); }

// ---- observed

ObservedCopyEngine::ObservedCopyEngine(const sc_core::sc_module_name& name, std::unique_ptr<CopyEngineModule> engine,
                                       BlockObservers observers, std::shared_ptr<Monitor> monitor)
    : CopyEngineModule(name),
      engine_(std::move(engine)),
      side_("side", *engine_),
      observed_(std::move(observers)),
      monitor_(std::move(monitor)) {
  side_.on_memory = [this](tlm::tlm_generic_payload& access, sc_core::sc_time& delay) {
    const sc_core::sc_time before = delay;
    if (monitor_) monitor_->memory(time_of(before));
    memory->b_transport(access, delay);
    CopyCall call;
    call.time = time_of(before);
    call.latency = (delay - before).value();
    note(call);
    return call.latency;
  };
  side_.on_burst = [this](const Burst& burst, Tick ready) {
    if (monitor_) monitor_->burst(burst, ready);
    note(burst_call(burst, ready));
    CopyEngineModule::send(burst, ready);
  };
  side_.on_done = [this](CopyCommand& command, Tick when) {
    if (monitor_) monitor_->done(command, when);
    note(done_call(command, when));
    CopyEngineModule::done(command, when);
  };
}

std::size_t ObservedCopyEngine::begin(CopyInput input) {
  if (!observed_.observed()) return 0;
  inputs_.push_back(std::move(input));
  open_.push_back(inputs_.size() - 1);
  return inputs_.size() - 1;
}

void ObservedCopyEngine::end() {
  if (monitor_) monitor_->leave();
  if (!observed_.observed()) return;
  open_.pop_back();
  if (!open_.empty()) return;
  for (CopyInput& input : inputs_) {
    FieldReader request(observed_.ask(input.now));
    fields_.request(request, input);
    FieldReader answer(observed_.answer());
    fields_.answer(answer, input);
    observed_.answered(0, 0);
  }
  inputs_.clear();
}

bool ObservedCopyEngine::submit(CopyCommand& command, Tick now) {
  CopyInput input;
  input.now = now;
  input.command = command;
  const std::size_t number = begin(std::move(input));
  if (monitor_) monitor_->submit(command, now);
  const bool accepts = side_.submit(command, now);
  if (observed_.observed()) inputs_[number].accepts = accepts;
  end();
  return accepts;
}

void ObservedCopyEngine::room(const Burst& burst, Tick now) {
  begin(burst_input(CopyInput::Kind::room, burst, now));
  if (monitor_) monitor_->room(burst, now);
  side_.burst(burst, BurstPhase::room, now);
  end();
}

void ObservedCopyEngine::left(const Burst& burst, Tick now) {
  begin(burst_input(CopyInput::Kind::left, burst, now));
  if (monitor_) monitor_->left(burst, now);
  side_.burst(burst, BurstPhase::left, now);
  end();
}

void ObservedCopyEngine::reset() {
  engine_->restart();
  inputs_.clear();
  open_.clear();
  observed_.reset();
  if (monitor_) monitor_->reset();
}

// ---- driver

CopyEngineDriver::CopyEngineDriver(const sc_core::sc_module_name& name, const Make& make)
    : sc_module(name), engine_(make("block")), side_("side", *engine_) {
  side_.on_memory = [this](tlm::tlm_generic_payload& access, sc_core::sc_time& delay) {
    CopyCall call;
    call.time = time_of(delay);
    if (!latencies_.empty()) call.latency = latencies_[std::min(next_latency_++, latencies_.size() - 1)];
    delay += to_sc_time(call.latency);
    access.set_response_status(tlm::TLM_OK_RESPONSE);
    input_.calls.push_back(call);
    return call.latency;
  };
  side_.on_burst = [this](const Burst& burst, Tick ready) { input_.calls.push_back(burst_call(burst, ready)); };
  side_.on_done = [this](const CopyCommand& command, Tick when) {
    input_.calls.push_back(done_call(command, when));
    done_.push_back(command.copy);
  };
}

void CopyEngineDriver::access(const BlockAccess& asked, BlockAccess& got) {
  values_ = asked.request;
  input_ = {};
  FieldSetter request(values_);
  fields_.request(request, input_);
  input_.now = asked.time;
  if (std::vector<Tick> given = CopyFields::latencies(asked.answer); !given.empty()) latencies_ = std::move(given);
  next_latency_ = 0;
  pass(input_);
  for (const std::uint32_t copy : done_) copies_.erase(copy);
  if (!done_.empty()) accepts_ = true;
  done_.clear();
  got.interval = got.latency = 0;
  FieldReader answer(got.answer);
  fields_.answer(answer, input_);
}

void CopyEngineDriver::pass(CopyInput& input) {
  if (input.kind == CopyInput::Kind::submit) {
    if (!accepts_) throw FieldError("a copy is submitted while the engine accepts none");
    Copy copy{input.command, std::vector<bool>(input.command.lanes)};
    const auto [place, added] = copies_.emplace(input.command.copy, std::move(copy));
    if (!added) throw FieldError("copy " + std::to_string(input.command.copy) + " is submitted twice");
    accepts_ = false;
    input.accepts = side_.submit(place->second.command, input.now);
    accepts_ = accepts_ || input.accepts;
    return;
  }
  Copy& copy = open_copy(input);
  const bool left = input.kind == CopyInput::Kind::left;
  if (copy.left[input.burst.lane]) throw FieldError("a burst follows the last one of its lane");
  copy.left[input.burst.lane] = left;
  side_.burst(input.burst, left ? BurstPhase::left : BurstPhase::room, input.now);
}

CopyEngineDriver::Copy& CopyEngineDriver::open_copy(const CopyInput& input) {
  const auto found = copies_.find(input.burst.copy);
  if (found == copies_.end()) throw FieldError("copy " + std::to_string(input.burst.copy) + " is not in the engine");
  if (input.burst.lane >= found->second.left.size())
    throw FieldError("field `lane` is " + std::to_string(input.burst.lane) + " (legal: below " +
                     std::to_string(found->second.left.size()) + ")");
  return found->second;
}

void CopyEngineDriver::describe(ProbeDirectory& directory) {
  ProbeDirectory all;
  engine_->describe(all);
  add_pins(all, name(), directory);
}

void CopyEngineDriver::reset() {
  engine_->restart();
  copies_.clear();
  done_.clear();
  latencies_.clear();
  accepts_ = true;
}

}  // namespace tributary
