#include "testbench/workload/training/ideal_executor.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "testbench/workload/input_error.h"

namespace tributary::training {
namespace {

/// Work per picosecond. Divisible by 1 to 8, so that up to eight operations in flight share a rate exactly, and as fine as
/// the total work can be counted.
std::uint64_t whole_rate(Tick time) {
  constexpr std::uint64_t least = 840, finest = 1'000'000;
  const std::uint64_t most = never / (least * std::max<Tick>(1, time));
  return least * std::clamp<std::uint64_t>(most, 1, finest);
}

}  // namespace

Executor::Executor(const TaskGraph& graph, const IdealOptions& options, IdealRun& run)
    : graph_(graph),
      options_(options),
      run_(run),
      instances_(run.instances),
      meetings_(instances_.meetings()),
      sharing_(run.one_for_all ? 1 : static_cast<std::size_t>(graph.ranks), options.links, options.sharing, options.pairs),
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
  for (InstanceId i = 0; i < instances_.size(); ++i) {
    if (run_.spans[i].end == never)
      throw InputError("the graph never ends: " + name_of(graph_, instances_.task(i)) + " is never done");
    run_.end = std::max(run_.end, run_.spans[i].end);  // events of earlier speeds may follow the last end
  }
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

// ---- transfers

bool Executor::has_room(const CommQueue& queue, std::uint64_t bytes) const {
  if (graph_.credit == 0) return queue.issued.empty();
  return queue.outstanding == 0 || queue.outstanding + bytes <= graph_.credit;
}

void Executor::issue(InstanceId i, CommQueue& queue) {
  queue.issued.push_back(i);
  queue.outstanding += task_of(i).transfer.bytes;
  begin_front(queue);
}

void Executor::issue_listed(CommQueue& queue) {
  for (InstanceId i; (i = queue.listed.next()) != Instances::none && has_room(queue, task_of(i).transfer.bytes);) {
    queue.listed.take(i, 0);
    issue(i, queue);
  }
}

/// Starts eligible collectives on all members simultaneously.
void Executor::start_eligible() {
  for (auto next = eligible_.begin(); next != eligible_.end();) {
    const auto members = instances_.members(instances_.meeting_of(std::get<2>(*next)));
    const bool room = std::all_of(members.begin(), members.end(),
                                  [&](InstanceId i) { return has_room(queue_of(i), task_of(i).transfer.bytes); });
    if (!room) {
      ++next;
      continue;
    }
    next = eligible_.erase(next);
    for (InstanceId i : members) issue(i, queue_of(i));
  }
}

void Executor::begin_front(CommQueue& queue) {
  if (queue.front_begun || queue.issued.empty()) return;
  queue.front_begun = true;
  const InstanceId i = queue.issued.front();
  run_.spans[i].begin = now_;
  run_.engine_before[i] = queue.last;
  queue.last = i;
  const std::uint32_t m = instances_.meeting_of(i);
  Meeting& meeting = meetings_[m];
  if (!meeting.known) {
    if (!options_.transfer) throw std::logic_error("a transfer without a time");
    meeting.time = options_.transfer(task_of(i));
    if (meeting.time.issued == 0 || meeting.time.issued > meeting.time.total) meeting.time.issued = meeting.time.total;
    meeting.known = true;
  }
  interfere(i, meeting.time.sms, true);
  if (++meeting.begun == instances_.members(m).size()) start_transfer(m);
}

void Executor::start_transfer(std::uint32_t m) {
  Meeting& meeting = meetings_[m];
  meeting.sends = true;
  meeting.whole = whole_rate(meeting.time.issued);
  meeting.issuing = PacedWork(now_, meeting.time.issued, meeting.whole);
  meeting.issuing.set_rate(now_, 0);
  std::vector<std::size_t> ranks;
  for (InstanceId i : instances_.members(m)) {
    run_.spans[i].start = now_;
    ranks.push_back(place(i));
  }
  const Task& task = task_of(*instances_.members(m).begin());
  sharing_.begin(m, ranks, meeting.time, task, now_);
  share_again();
}

/// Updates the rates of all transfers that share a rank or a link with one that began or ended.
void Executor::share_again() {
  for (const std::uint32_t m : sharing_.settle()) {
    Meeting& meeting = meetings_[m];
    if (!meeting.sends) continue;
    const double speed = sharing_.speed(m);
    const auto exact = static_cast<std::uint64_t>(std::llround(speed * static_cast<double>(meeting.whole)));
    const std::uint64_t pace = speed > 0 ? std::max<std::uint64_t>(1, exact) : 0;  // 0: waits for its turn
    run_.slowed = run_.slowed || pace < meeting.whole;
    if (pace == meeting.pace) continue;
    meeting.pace = pace;
    meeting.issuing.set_rate(now_, meeting.pace);
    at(meeting.issuing.end(), What::issued, m, ++meeting.version);
  }
}

void Executor::all_issued(std::uint32_t m) {
  Meeting& meeting = meetings_[m];
  meeting.sends = false;
  ++meeting.version;
  sharing_.end(m);
  share_again();
  if (graph_.issue == Issue::pipelined) leave_front(m);
  const Tick tail = meeting.time.total - meeting.time.issued;
  if (tail == 0) return end_transfer(m);
  at(now_ + tail, What::transfer, m);
}

void Executor::leave_front(std::uint32_t m) {
  for (InstanceId i : instances_.members(m)) {
    CommQueue& queue = queue_of(i);
    queue.issued.pop_front();
    queue.front_begun = false;
    touch(i);
  }
  for (InstanceId i : instances_.members(m)) begin_front(queue_of(i));
}

void Executor::end_transfer(std::uint32_t m) {
  for (InstanceId i : instances_.members(m)) {
    queue_of(i).outstanding -= task_of(i).transfer.bytes;
    interfere(i, meetings_[m].time.sms, false);
    finish(i);
    if (task_of(i).kind != TaskKind::send) continue;
    const InstanceId receive = instances_.partner(i);
    if (run_.spans[receive].ready != never) at(now_, What::instance, receive);
  }
  if (graph_.issue == Issue::serial) leave_front(m);
}

void Executor::interfere(InstanceId i, unsigned sms, bool active) {
  const std::size_t where = place(i);
  RankState& rank = ranks_[where];
  rank.sms = active ? rank.sms + sms : rank.sms - sms;
  rank.active = active ? rank.active + 1 : rank.active - 1;
  if (rank.running == Instances::none || (sms == 0 && options_.memory_share == 0)) return;
  engine_[where].set_rate(now_, compute_rate(rank));
  at(engine_[where].end(), What::engine, static_cast<std::uint32_t>(where), ++engine_version_[where]);
}

}  // namespace tributary::training
