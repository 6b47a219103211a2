#include "modules/nic/core/nic_step.h"

#include <algorithm>
#include <stdexcept>

namespace tributary {

void NicStepEngine::post(NicStep step, Tick t0) {
  if (compute_ == nullptr) throw std::logic_error("a NIC without a compute engine received a step");
  compute_->set_listener(*this);
  step_ = std::move(step);
  board_.load(step_.tasks);
  compute_->load(step_.tasks);
  operations_.load(step_.tasks);
  start_at_ = t0;
  current_ = none;
  active_ = true;
}

std::uint32_t NicStepEngine::operation_of(std::uint64_t address) const {
  const auto beyond = std::upper_bound(step_.places.begin(), step_.places.end(), address,
                                       [](std::uint64_t a, const auto& place) { return a < place.first; });
  return beyond == step_.places.begin() ? none : (beyond - 1)->second;
}

void NicStepEngine::run_until(Tick horizon) {
  for (Tick now = next(); now <= horizon && now != never; now = next()) {
    if (start_at_ <= now) {
      start_at_ = never;
      board_.start(now, [&](std::uint32_t task) { ready(task, now); });
    }
    do {
      again_ = false;
      operations_.run(now);
      compute_->run(now);
    } while (again_);
  }
}

void NicStepEngine::ready(std::uint32_t task, Tick now) {
  again_ = true;
  step_.tasks.tasks[task].kind == DeviceTask::Kind::compute ? compute_->ready(task, now) : operations_.ready(task, now);
}

void NicStepEngine::ended(std::uint32_t task, Tick now) {
  board_.ended(task, now, [&](std::uint32_t next) { ready(next, now); });
  if (!board_.over()) return;
  active_ = false;
  listener_.step_done(now);
}

void NicStepEngine::operation_begun(std::uint32_t task, Tick now) {
  board_.begun(task, now);
  compute_->set_taken(board_.task(task).multiprocessors, now);
}

void NicStepEngine::operation_launched(std::uint32_t task, Tick now) {
  current_ = board_.task(task).operation;
  listener_.begin_operation(current_, std::move(step_.operations[current_]), now);
}

void NicStepEngine::operation_ended(std::uint32_t task, Tick now) {
  if (board_.task(task).kind == DeviceTask::Kind::operation) compute_->set_taken(0, now);
  ended(task, now);
}

std::vector<std::string> NicStepEngine::waiting() const {
  std::vector<std::string> lines = board_.waiting();
  if (compute_ != nullptr)
    for (const std::string& line : compute_->waiting()) lines.push_back("compute: " + line);
  for (const std::string& line : operations_.waiting()) lines.push_back("operations: " + line);
  return lines;
}

void NicStepEngine::reset() {
  board_.clear();
  if (compute_ != nullptr) compute_->reset();
  operations_.reset();
  step_ = {};
  start_at_ = never;
  current_ = none;
  active_ = again_ = false;
}

void NicStepEngine::describe(ProbeDirectory& directory, const std::string& name) {
  board_.describe(directory, name);
  if (compute_ != nullptr) compute_->describe(directory, name + ".compute.");
  operations_.describe(directory, name + ".operations.");
}

}  // namespace tributary
