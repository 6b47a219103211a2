#include "modules/streams/core/copy_monitor.h"

#include <utility>

namespace tributary {

CopyMonitor::CopyMonitor(Setup setup)
    : BlockMonitor(std::move(setup)), rules_([this](const char* rule, const std::string& what) { fail(rule, what); }) {}

std::string CopyMonitor::request() const {
  if (inputs_.empty()) return "none";
  const Input& input = inputs_.back();
  return std::string(input.kind) + ", copy " + std::to_string(input.copy) + ", lane " + std::to_string(input.lane);
}

void CopyMonitor::enter(const Input& input) {
  begin(input.now);
  inputs_.push_back(input);
}

void CopyMonitor::submit(const CopyCommand& command, Tick now) {
  enter({"submit", command.copy, 0, now});
  rules_.submit(command);
}

void CopyMonitor::room(const Burst& burst, Tick now) {
  enter({"room", burst.copy, burst.lane, now});
  rules_.room(burst.copy, burst.lane);
}

void CopyMonitor::left(const Burst& burst, Tick now) {
  enter({"left", burst.copy, burst.lane, now});
  rules_.left(burst.copy, burst.lane);
}

void CopyMonitor::burst(const Burst& burst, Tick ready) {
  check_call("a burst", ready);
  rules_.burst(burst);
}

void CopyMonitor::done(const CopyCommand& command, Tick when) {
  check_call("the end of a copy", when);
  rules_.done(command);
}

void CopyMonitor::check_call(const char* what, Tick time) const {
  if (inputs_.empty()) return;
  const Tick from = inputs_.back().now;
  if (time < from)
    fail("time", std::string(what) + " at " + std::to_string(time) + " ps lies before its request");
  else
    check_times(0, time - from);
}

void CopyMonitor::reset() {
  rules_.reset();
  inputs_.clear();
}

void CopyMonitor::end(Tick now, bool complete) {
  if (!complete) return;  // it may wait for room
  std::string copies;
  for (const CopyCommand* const command : rules_.open())
    copies += (copies.empty() ? "copy " : ", copy ") + std::to_string(command->copy);
  if (!copies.empty()) fail_at("end", now, "holds " + copies);
}

}  // namespace tributary
