#include "modules/tasks/step_engine.h"

#include <stdexcept>
#include <utility>

namespace tributary {

void StepEngine::post(TaskProgram tasks, Tick t0) {
  if (compute_ == nullptr) throw std::logic_error("a device without a compute engine received a step");
  compute_->set_listener(*this);
  tasks_ = std::move(tasks);
  board_.load(tasks_);
  compute_->load(tasks_);
  operations_.load(tasks_);
  start_at_ = t0;
  current_ = none;
  active_ = true;
}

Tick StepEngine::next() const {
  if (!active_) return never;
  return std::min({start_at_, compute_->next(), operations_.next()});
}

void StepEngine::run_until(Tick horizon) {
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

void StepEngine::ready(std::uint32_t task, Tick now) {
  again_ = true;
  tasks_.tasks[task].kind == DeviceTask::Kind::compute ? compute_->ready(task, now) : operations_.ready(task, now);
}

void StepEngine::ended(std::uint32_t task, Tick now) {
  board_.ended(task, now, [&](std::uint32_t next) { ready(next, now); });
  if (!board_.over()) return;
  active_ = false;
  listener_.step_done(now);
}

void StepEngine::operation_begun(std::uint32_t task, Tick now) {
  board_.begun(task, now);
  compute_->set_taken(board_.task(task).multiprocessors, now);
}

void StepEngine::operation_launched(std::uint32_t task, Tick now) {
  current_ = board_.task(task).operation;
  listener_.begin_operation(current_, now);
}

void StepEngine::operation_ended(std::uint32_t task, Tick now) {
  if (board_.task(task).kind == DeviceTask::Kind::operation) compute_->set_taken(0, now);
  ended(task, now);
}

std::vector<std::string> StepEngine::waiting() const {
  std::vector<std::string> lines = board_.waiting();
  if (compute_ != nullptr)
    for (const std::string& line : compute_->waiting()) lines.push_back("compute: " + line);
  for (const std::string& line : operations_.waiting()) lines.push_back("operations: " + line);
  return lines;
}

void StepEngine::reset() {
  board_.clear();
  if (compute_ != nullptr) compute_->reset();
  operations_.reset();
  tasks_ = {};
  start_at_ = never;
  current_ = none;
  active_ = again_ = false;
}

void StepEngine::describe(ProbeDirectory& directory, const std::string& name) {
  board_.describe(directory, name);
  if (compute_ != nullptr) compute_->describe(directory, name + ".compute.");
  operations_.describe(directory, name + ".operations.");
}

}  // namespace tributary
