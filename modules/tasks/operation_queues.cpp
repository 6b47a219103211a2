#include "modules/tasks/operation_queues.h"

#include <algorithm>

namespace tributary {

void OperationQueues::load(const TaskProgram& program) {
  reset();
  program_ = &program;
  place_.resize(program.tasks.size());
  ready_.resize(program.tasks.size());
  passed_.resize(program.tasks.size());
  for (std::uint32_t t = 0; t < program.tasks.size(); ++t) {
    const DeviceTask& task = program.tasks[t];
    if (task.kind != DeviceTask::Kind::operation) continue;
    auto queue = std::find_if(queues_.begin(), queues_.end(), [&](const Queue& q) { return q.number == task.queue; });
    if (queue == queues_.end()) queue = queues_.insert(queue, {task.queue, {}, 0, false});
    place_[t] = static_cast<std::uint32_t>(queue - queues_.begin());
    queue->tasks.push_back(t);
    if (task.operation >= task_of_.size()) task_of_.resize(task.operation + 1u);
    task_of_[task.operation] = t;
  }
}

void OperationQueues::ready(std::uint32_t task, Tick now) {
  if (program_->tasks[task].kind == DeviceTask::Kind::mark)
    due_.emplace(now + program_->tasks[task].time, Due{What::end, task});
  else
    ready_[task] = true;
}

void OperationQueues::issued(std::uint32_t operation, Tick) {
  const std::uint32_t task = task_of_.at(operation);
  if (!program_->pipelined || passed_[task]) return;
  passed_[task] = true;
  queue_of(task).busy = false;
}

void OperationQueues::over(std::uint32_t operation, Tick when) {
  due_.emplace(when, Due{What::end, task_of_.at(operation)});
}

void OperationQueues::run(Tick now) {
  do {
    while (!due_.empty() && due_.begin()->first <= now) {
      const Due due = due_.begin()->second;
      due_.erase(due_.begin());
      handle(due, now);
    }
  } while (begin_one(now));
}

void OperationQueues::handle(const Due& due, Tick now) {
  if (due.what == What::launch) return listener_.operation_launched(due.task, now);
  if (program_->tasks[due.task].kind == DeviceTask::Kind::operation) {
    shown_in_flight_(now, --in_flight_);
    if (!passed_[due.task]) queue_of(due.task).busy = false;
    passed_[due.task] = true;
  }
  listener_.operation_ended(due.task, now);
}

bool OperationQueues::begin_one(Tick now) {
  for (Queue& q : queues_) {
    if (q.busy || q.first == q.tasks.size() || !ready_[q.tasks[q.first]]) continue;
    const std::uint32_t task = q.tasks[q.first++];
    q.busy = true;
    shown_in_flight_(now, ++in_flight_);
    listener_.operation_begun(task, now);
    due_.emplace(now + program_->tasks[task].time, Due{What::launch, task});
    return true;
  }
  return false;
}

std::vector<std::string> OperationQueues::waiting() const {
  std::vector<std::string> lines;
  for (const Queue& q : queues_) {
    if (q.busy)
      lines.push_back("queue " + std::to_string(q.number) + ": task " + std::to_string(q.tasks[q.first - 1]) +
                      " is in flight");
    if (q.first < q.tasks.size())
      lines.push_back("queue " + std::to_string(q.number) + ": task " + std::to_string(q.tasks[q.first]) +
                      (ready_[q.tasks[q.first]] ? " waits for its predecessor" : " waits for tasks that it depends on"));
  }
  return lines;
}

void OperationQueues::reset() {
  program_ = nullptr;
  queues_.clear();
  place_.clear();
  task_of_.clear();
  ready_.clear();
  passed_.clear();
  due_.clear();
  in_flight_ = 0;
}

void OperationQueues::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "in_flight", shown_in_flight_, SignalKind::level, counter_bits,
                       "operations begun and not ended");
}

}  // namespace tributary
