#include "modules/blockcheck/observed_arbiter.h"

#include <algorithm>
#include <stdexcept>

#include "modules/blockcheck/core/shadow_pins.h"

namespace tributary {

std::size_t ObservedArbiter::choose(unsigned output, const std::vector<Request>& requests, Tick now) {
  if (monitor_) monitor_->ask(output, requests, now);
  const std::size_t index = own_->choose(output, requests, now);
  if (monitor_) monitor_->check(index);
  if (!observed_.observed() || index >= requests.size()) return index;  // the switch refuses the index
  if (shown(output, requests, now)) return index;
  call_ = {ArbiterCall::Kind::choose, output, requests, index};
  show(now);
  return index;
}

/// True if the last call was this one.
bool ObservedArbiter::shown(unsigned output, const std::vector<Request>& requests, Tick now) const {
  const auto equal = [](const Request& a, const Request& b) {
    return a.input == b.input && a.queue == b.queue && a.resource == b.resource;
  };
  return now == asked_ && call_.kind == ArbiterCall::Kind::choose && call_.output == output &&
         std::equal(requests.begin(), requests.end(), call_.requests.begin(), call_.requests.end(), equal);
}

void ObservedArbiter::granted(unsigned output, const Request& request, Tick now) {
  if (monitor_) monitor_->granted(output, request, now);
  own_->granted(output, request, now);
  if (!observed_.observed()) return;
  call_ = {ArbiterCall::Kind::grant, output, {request}, 0};
  show(now);
}

void ObservedArbiter::show(Tick now) {
  asked_ = now;
  FieldReader request(observed_.ask(now));
  fields_.request(request, call_);
  FieldReader answer(observed_.answer());
  ArbiterFields::answer(answer, call_);
  observed_.answered(0, 0);
}

void ObservedArbiter::reset() {
  asked_ = never;
  own_->reset();
  observed_.reset();
  if (monitor_) monitor_->reset();
}

void ObservedArbiter::describe(ProbeDirectory& directory, const std::string& prefix) {
  own_->describe(directory, prefix);
  observed_.describe(directory);
}

void ArbiterDriver::access(const BlockAccess& asked, BlockAccess& got) {
  values_ = asked.request;
  ArbiterCall call;
  FieldSetter request(values_);
  fields_.request(request, call);
  if (call.kind == ArbiterCall::Kind::grant) {
    arbiter_->granted(call.output, call.requests.front(), asked.time);
    return;
  }
  call.chosen = arbiter_->choose(call.output, call.requests, asked.time);
  if (call.chosen >= call.requests.size())
    throw std::logic_error("it chooses request " + std::to_string(call.chosen) + " of " +
                           std::to_string(call.requests.size()) + " for output " + std::to_string(call.output));
  FieldReader answer(got.answer);
  ArbiterFields::answer(answer, call);
}

void ArbiterDriver::describe(ProbeDirectory& directory) {
  ProbeDirectory all;
  arbiter_->describe(all, name_ + ".");
  add_pins(all, name_, directory);
}

}  // namespace tributary
