#include "modules/tasks/compute_queues.h"

#include <algorithm>
#include <utility>

namespace tributary {

void ComputeQueues::load(const TaskProgram& program) {
  reset();
  program_ = &program;
  since_.assign(program.tasks.size(), never);
  for (std::uint32_t t = 0; t < program.tasks.size(); ++t) {
    if (program.tasks[t].kind != DeviceTask::Kind::compute) continue;
    const std::uint32_t number = program.tasks[t].queue;
    auto queue = std::find_if(queues_.begin(), queues_.end(), [&](const Queue& q) { return q.number == number; });
    if (queue == queues_.end()) queue = queues_.insert(queue, {number, {}, 0});
    queue->tasks.push_back(t);
  }
}

void ComputeQueues::set_taken(unsigned multiprocessors, Tick now) {
  rate_ = std::max(1u, all_multiprocessors - std::min(multiprocessors, all_multiprocessors));
  shown_rate_(now, rate_);
  if (running_) work_.set_rate(now, rate_);
}

void ComputeQueues::run(Tick now) {
  while (running_ && work_.end() <= now) {
    const std::uint32_t task = *std::exchange(running_, std::nullopt);
    listener_->compute_ended(task, now);
    begin_next(now);
  }
  if (!running_) begin_next(now);
  if (running_) return;
  task_(now, 0);
  busy_(now, 0);
}

void ComputeQueues::begin_next(Tick now) {
  Queue* best = nullptr;
  for (Queue& q : queues_) {
    if (q.empty() || since_[q.front()] == never) continue;
    if (best == nullptr || std::pair(since_[q.front()], q.front()) < std::pair(since_[best->front()], best->front()))
      best = &q;
  }
  if (best == nullptr) return;
  running_ = best->tasks[best->first++];
  work_ = PacedWork(now, program_->tasks[*running_].time, all_multiprocessors);
  work_.set_rate(now, rate_);
  task_(now, *running_ + 1);
  busy_(now, 1);
  listener_->compute_begun(*running_, now);
}

std::vector<std::string> ComputeQueues::waiting() const {
  std::vector<std::string> lines;
  if (running_) lines.push_back("task " + std::to_string(*running_) + " runs");
  for (const Queue& q : queues_)
    if (!q.empty())
      lines.push_back("queue " + std::to_string(q.number) + ": task " + std::to_string(q.front()) +
                      (since_[q.front()] == never ? " waits for other tasks" : " waits for the compute engine"));
  return lines;
}

void ComputeQueues::reset() {
  program_ = nullptr;
  queues_.clear();
  since_.clear();
  running_.reset();
  rate_ = all_multiprocessors;
}

void ComputeQueues::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "task", task_, SignalKind::level, 32, "running task, from 1; 0: none");
  directory.add_signal(prefix + "busy", busy_, SignalKind::level, 1, "a task runs");
  directory.add_signal(prefix + "rate", shown_rate_, SignalKind::level, 8, "SMs left to compute tasks, of 80");
}

}  // namespace tributary
