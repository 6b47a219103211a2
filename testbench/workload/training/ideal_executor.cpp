#include "testbench/workload/training/ideal_executor.h"

#include <algorithm>

#include "testbench/workload/input_error.h"

namespace tributary::training {

Executor::Executor(const TaskGraph& graph, const IdealOptions& options, IdealRun& run)
    : graph_(graph),
      options_(options),
      run_(run),
      instances_(run.instances),
      meetings_(instances_.meetings()),
      sharing_(run.one_for_all ? 1 : static_cast<std::size_t>(graph.ranks), options.links),
      ranks_(run.one_for_all ? 1 : static_cast<std::size_t>(graph.ranks)),
      waits_(instances_.size()),
      engine_(ranks_.size()),
      engine_version_(ranks_.size()),
      dirty_(ranks_.size()) {
  for (InstanceId i = 0; i < instances_.size(); ++i) {
    const Task& task = task_of(i);
    waits_[i] = instances_.before(i).size();
    if (on_engine(task.kind))
      rank_of(i).compute.try_emplace(task.queue, TaskQueue(graph.compute_order)).first->second.list(i);
    else if (moves(task.kind) && task.kind != TaskKind::receive)
      rank_of(i).comm[task.queue].listed.list(i);
  }
}

void Executor::run() {
  for (InstanceId i = 0; i < instances_.size(); ++i)
    if (waits_[i] == 0) become_ready(i);
  dispatch();
  while (!events_.empty()) {
    now_ = events_.top().time;
    while (!events_.empty() && events_.top().time == now_) {
      const Event event = events_.top();
      events_.pop();
      handle(event);
    }
    dispatch();
  }
  run_.end = now_;
  for (InstanceId i = 0; i < instances_.size(); ++i)
    if (run_.spans[i].end == never)
      throw InputError("the graph never ends: " + name_of(graph_, instances_.task(i)) + " is never done");
}

void Executor::handle(const Event& event) {
  switch (event.what) {
    case What::instance:
      return finish(event.index);
    case What::engine:
      if (event.version != engine_version_[event.index]) return;
      {
        RankState& rank = ranks_[event.index];
        const InstanceId done = rank.running;
        rank.last = done, rank.running = Instances::none;
        finish(done);
      }
      return;
    case What::issued:
      if (event.version == meetings_[event.index].version) all_issued(event.index);
      return;
    case What::transfer:
      return end_transfer(event.index);
  }
}

void Executor::become_ready(InstanceId i) {
  const Task& task = task_of(i);
  Span& span = run_.spans[i];
  span.ready = now_;
  if (on_engine(task.kind)) {
    rank_of(i).compute.at(task.queue).ready(i, now_, task.priority);
    touch(i);
  } else if (task.kind == TaskKind::mark) {
    span.begin = span.start = now_;
    at(now_ + task.delay, What::instance, i);
  } else if (task.kind == TaskKind::receive) {
    span.begin = span.start = now_;
    if (run_.spans[instances_.partner(i)].end != never) at(now_, What::instance, i);
  } else if (graph_.comm_order == Order::listed) {
    queue_of(i).listed.ready(i, now_, 0);
    touch(i);
  } else {
    const std::uint32_t m = instances_.meeting_of(i);
    if (++meetings_[m].ready < instances_.members(m).size()) return;
    eligible_.emplace(graph_.comm_order == Order::priority ? task.priority : 0, now_, *instances_.members(m).begin());
  }
}

void Executor::finish(InstanceId i) {
  run_.spans[i].end = now_;
  run_.order.push_back(i);
  touch(i);
  for (InstanceId next : instances_.next(i))
    if (--waits_[next] == 0) become_ready(next);
}

void Executor::dispatch() {
  start_eligible();
  for (std::size_t k = 0; k < touched_.size(); ++k) {
    RankState& rank = ranks_[touched_[k]];
    if (graph_.comm_order == Order::listed)
      for (auto& [number, queue] : rank.comm) issue_listed(queue);
    if (rank.running == Instances::none) start_engine(touched_[k], rank);
    dirty_[touched_[k]] = false;
  }
  touched_.clear();
}

void Executor::start_engine(std::size_t where, RankState& rank) {
  TaskQueue* best = nullptr;
  for (auto& [number, queue] : rank.compute) {
    const InstanceId i = queue.next();
    if (i != Instances::none && (best == nullptr || before(queue, *best))) best = &queue;
  }
  if (best == nullptr) return;
  const InstanceId i = best->next();
  best->take(i, task_of(i).priority);
  rank.running = i;
  Span& span = run_.spans[i];
  span.begin = span.start = now_;
  run_.engine_before[i] = rank.last;
  const TaskId task = instances_.task(i);
  const Tick time = options_.compute ? options_.compute(task, instances_.rank(i)) : graph_.tasks[task].work.time;
  if (time > never / whole_compute()) throw InputError(name_of(graph_, task) + ": too long for compute.memory_share");
  engine_[where] = PacedWork(now_, time, whole_compute());
  engine_[where].set_rate(now_, compute_rate(rank));
  at(engine_[where].end(), What::engine, static_cast<std::uint32_t>(where), ++engine_version_[where]);
}

std::uint64_t Executor::compute_rate(const RankState& rank) const {
  const std::uint64_t sms = all_sms - (rank.sms < all_sms ? rank.sms : all_sms - 1);
  if (options_.memory_share == 0) return sms;
  const Task& task = task_of(rank.running);
  const bool slowed = rank.active > 0 && (task.work.memory_bound || task.kind == TaskKind::optimizer);
  return std::min<std::uint64_t>(sms * 100, all_sms * (100 - (slowed ? options_.memory_share : 0)));
}

bool Executor::before(const TaskQueue& a, const TaskQueue& b) const {
  const auto key = [&](const TaskQueue& queue) {
    const InstanceId i = queue.next();
    return std::make_tuple(graph_.compute_order == Order::priority ? task_of(i).priority : 0, queue.since(i), i);
  };
  return key(a) < key(b);
}

}  // namespace tributary::training
