/// Communication queues of the executor.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "testbench/workload/training/ideal_executor.h"

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
  std::vector<std::size_t> ranks;
  for (InstanceId i : instances_.members(m)) {
    run_.spans[i].start = now_;
    ranks.push_back(place(i));
  }
  sharing_.begin(m, ranks, meeting.time.loads);
  share_again();
}

/// Updates the rates of all transfers that share a rank or a link with one that began or ended.
void Executor::share_again() {
  for (const std::uint32_t m : sharing_.settle()) {
    Meeting& meeting = meetings_[m];
    if (!meeting.sends) continue;
    const auto pace = static_cast<std::uint64_t>(std::llround(sharing_.speed(m) * static_cast<double>(meeting.whole)));
    if (std::max<std::uint64_t>(1, pace) == meeting.pace) continue;
    meeting.pace = std::max<std::uint64_t>(1, pace);
    run_.slowed = run_.slowed || meeting.pace < meeting.whole;
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
