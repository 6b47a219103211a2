#include "testbench/codegen/stream_order.h"

#include <algorithm>

#include "modules/base/index.h"
#include "testbench/collective/schedule/schedule.h"

namespace tributary {
namespace {

using Kind = StreamCommand::Kind;

void learn(StreamClock& clock, const StreamClock& more) {
  for (std::size_t c = 0; c < more.size(); ++c) clock[c] = std::max(clock[c], more[c]);
}

const char* name(CopyPath path) {
  return path == CopyPath::nvlink ? "NVLink" : path == CopyPath::pcie ? "PCIe" : "the network";
}

}  // namespace

StreamOrder::StreamOrder(const std::vector<StreamProgram>& programs, const std::vector<int>& endpoints, unsigned queues)
    : programs_(programs), endpoints_(endpoints), queues_(queues) {
  if (programs.size() != endpoints.size())
    throw collective::ScheduleError("streams: " + std::to_string(programs.size()) + " programs for " +
                                    std::to_string(endpoints.size()) + " ranks");
  for (std::size_t r = 0; r < endpoints.size(); ++r) rank_[endpoints[r]] = static_cast<int>(r);
  for (const StreamProgram& program : programs) {
    recordings_.emplace_back(program.semaphores);
    if (!program.steps.empty()) throw collective::ScheduleError("streams: a program also has channels");
  }
  queue_chain_.assign(programs.size() * queues, ~0U);
  for (int r = 0; at(r) < programs.size(); ++r) {
    first_.push_back(nodes_.size());
    for (std::size_t i = 0; i < programs[at(r)].commands.size(); ++i) {
      check(r, i);
      index(r, i);
    }
  }
  find_successors();
  for (StreamClock& clock : clocks_) clock.assign(clocks_.size(), 0);
}

int StreamOrder::rank_of(std::uint16_t endpoint) const { return rank_.at(endpoint); }

std::string StreamOrder::text(int rank, std::size_t index) const {
  const StreamCommand& c = programs_[at(rank)].commands[index];
  std::string what;
  switch (c.kind) {
    case Kind::copy:
      what = "copy of " + std::to_string(c.bytes) + " B at " + std::to_string(c.source) + " to " +
             std::to_string(c.destination) + " of GPU " + std::to_string(c.peer) + " by " + name(c.path);
      break;
    case Kind::record:
      what = "record of semaphore " + std::to_string(c.semaphore) + " of GPU " + std::to_string(c.peer);
      break;
    case Kind::wait:
      what = "wait until semaphore " + std::to_string(c.semaphore) + " is " + std::to_string(c.value);
      break;
    case Kind::kernel:
      what = "kernel that adds " + std::to_string(c.input_count) + " inputs to " + std::to_string(c.bytes) + " B at " +
             std::to_string(c.destination);
      break;
    case Kind::peer_switch:
      what = "switch of peer access";
      break;
  }
  return "GPU " + std::to_string(endpoints_[at(rank)]) + " #" + std::to_string(index) + " (stream " +
         std::to_string(c.stream) + "): " + what;
}

void StreamOrder::refuse(int rank, std::size_t index, const std::string& why) const {
  throw collective::ScheduleError(text(rank, index) + ": " + why);
}

void StreamOrder::check(int rank, std::size_t index) const {
  const StreamCommand& c = programs_[at(rank)].commands[index];
  if (c.stream >= programs_[at(rank)].streams) refuse(rank, index, "there is no such stream");
  const bool there = c.kind == Kind::copy || c.kind == Kind::record;
  if (there && rank_.count(c.peer) == 0) refuse(rank, index, "the peer is not in this job");
  if (c.kind == Kind::copy && rank_.at(c.peer) == rank) refuse(rank, index, "a copy engine copies only to peers");
  if (c.kind == Kind::record || c.kind == Kind::wait)
    if (c.semaphore >= programs_[at(c.kind == Kind::record ? rank_.at(c.peer) : rank)].semaphores)
      refuse(rank, index, "there is no such semaphore");
  if (c.kind == Kind::kernel && (c.input_count < 1 || c.input_count > StreamCommand::max_inputs))
    refuse(rank, index, "a kernel has 1 to " + std::to_string(StreamCommand::max_inputs) + " inputs");
  if ((c.kind == Kind::copy || c.kind == Kind::kernel) && c.bytes == 0) refuse(rank, index, "it has no bytes");
}

/// Adds a command to its chains and to the records of its semaphore, in the order of issue.
void StreamOrder::index(int rank, std::size_t i) {
  const auto number = static_cast<std::uint32_t>(i);
  const Node n{rank, number};
  nodes_.push_back(n);
  const auto add_chain = [&](int receiver) {
    receiver_.push_back(receiver);
    last_command_.push_back(number);
    clocks_.emplace_back();
    return static_cast<std::uint32_t>(clocks_.size() - 1);
  };
  const StreamCommand& c = command(n);
  std::uint32_t& queue = queue_chain_[at(rank) * queues_ + c.stream % queues_];
  if (queue == ~0U) queue = add_chain(-1);
  if (c.kind != Kind::copy && c.kind != Kind::record) return;
  const int peer = rank_.at(c.peer);
  if (peer != rank) {
    const std::tuple<int, int, int, int> route{rank, c.stream, peer, static_cast<int>(c.path)};
    if (sent_chain_.count(route) == 0) sent_chain_[route] = add_chain(peer);
    last_command_[sent_chain_[route]] = number;
  }
  if (c.kind == Kind::copy) return;
  Recording& all = recording(peer, c.semaphore);
  if (all.rank == -1) all.rank = rank, all.stream = c.stream;
  if (all.rank != rank || all.stream != c.stream)
    refuse(rank, i,
           "GPU " + std::to_string(endpoints_[at(all.rank)]) + " records it in stream " + std::to_string(all.stream) +
               " also; its value would not identify an event");
  all.commands.push_back(number);
}

void StreamOrder::find_successors() {
  before_.resize(nodes_.size());
  after_.resize(nodes_.size());
  recorded_by_.resize(nodes_.size());
  std::vector<std::size_t> last(clocks_.size(), nodes_.size());  // last node of each queue
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    before_[i] = after_[i] = recorded_by_[i] = i;
    const StreamCommand& c = command(nodes_[i]);
    std::size_t& tail = last[queue_chain_[at(nodes_[i].rank) * queues_ + c.stream % queues_]];
    if (tail != nodes_.size()) before_[i] = tail, after_[tail] = i;
    tail = i;
    if (c.kind != Kind::wait || c.value == 0) continue;
    Recording& all = recording(nodes_[i].rank, c.semaphore);
    if (c.value > all.commands.size())
      refuse(nodes_[i].rank, nodes_[i].command,
             "it never ends, as there are only " + std::to_string(all.commands.size()) + " records");
    recorded_by_[i] = node(all.rank, all.commands[c.value - 1]);
    all.waits.resize(all.commands.size(), 0);
    all.clocks.resize(all.commands.size());
    ++all.waits[c.value - 1];
  }
}

void StreamOrder::walk(StreamAccesses& accesses) {
  std::vector<std::vector<std::size_t>> waiting(nodes_.size());  // waits for each record
  std::vector<std::uint8_t> pending(nodes_.size(), 0);
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    pending[i] = static_cast<std::uint8_t>((before_[i] != i) + (recorded_by_[i] != i));
    if (recorded_by_[i] != i) waiting[recorded_by_[i]].push_back(i);
    if (pending[i] == 0) ready.push_back(i);
  }
  for (std::size_t done = 0; done < ready.size(); ++done) {
    const std::size_t i = ready[done];
    run(nodes_[i], accesses);
    const auto release = [&](std::size_t next) {
      if (--pending[next] == 0) ready.push_back(next);
    };
    if (after_[i] != i) release(after_[i]);
    for (const std::size_t next : waiting[i]) release(next);
  }
  if (ready.size() < nodes_.size()) report_cycle(pending);
  check_arrivals();
}

void StreamOrder::run(const Node& n, StreamAccesses& accesses) {
  const StreamCommand& c = command(n);
  const std::uint32_t queue = queue_chain_[at(n.rank) * queues_ + c.stream % queues_];
  StreamClock& clock = clocks_[queue];
  if (c.kind == Kind::wait) run_wait(n, clock);
  const StreamEvent here{queue, ++clock[queue], n.rank, n.command};
  if (c.kind == Kind::kernel) accesses.add(c, here, clock);
  if (c.kind == Kind::copy) {
    accesses.read(c, here, clock);
    const std::uint32_t sent = chain_to(n);
    learn(clocks_[sent], clock);
    const StreamEvent there{sent, ++clocks_[sent][sent], n.rank, n.command};
    accesses.arrive(c, rank_.at(c.peer), there, clocks_[sent]);
  }
  if (c.kind == Kind::record) run_record(n, clock);
}

std::uint32_t StreamOrder::chain_to(const Node& n) {
  const StreamCommand& c = command(n);
  return sent_chain_.at({n.rank, c.stream, rank_.at(c.peer), static_cast<int>(c.path)});
}

void StreamOrder::run_wait(const Node& n, StreamClock& clock) {
  const StreamCommand& c = command(n);
  if (c.value == 0) return;
  Recording& all = recording(n.rank, c.semaphore);
  learn(clock, all.clocks[c.value - 1]);
  if (--all.waits[c.value - 1] == 0) StreamClock().swap(all.clocks[c.value - 1]);
}

/// Records of a semaphore run in order, since they are in one stream.
void StreamOrder::run_record(const Node& n, const StreamClock& clock) {
  const StreamCommand& c = command(n);
  const int peer = rank_.at(c.peer);
  const StreamClock* seen = &clock;
  if (peer != n.rank) {
    const std::uint32_t sent = chain_to(n);
    learn(clocks_[sent], clock);
    ++clocks_[sent][sent];
    seen = &clocks_[sent];
  }
  Recording& all = recording(peer, c.semaphore);
  const auto record =
      static_cast<std::size_t>(std::lower_bound(all.commands.begin(), all.commands.end(), n.command) - all.commands.begin());
  if (!all.waits.empty() && all.waits[record] > 0) all.clocks[record] = *seen;
}

void StreamOrder::check_arrivals() const {
  std::vector<StreamClock> end(programs_.size(), StreamClock(clocks_.size(), 0));
  for (std::size_t q = 0; q < queue_chain_.size(); ++q)
    if (queue_chain_[q] != ~0U) learn(end[q / queues_], clocks_[queue_chain_[q]]);
  for (const auto& [route, chain] : sent_chain_)
    if (end[at(receiver_[chain])][chain] < clocks_[chain][chain])
      refuse(std::get<0>(route), last_command_[chain], "it may arrive after all commands of its GPU have ended");
}

void StreamOrder::report_cycle(const std::vector<std::uint8_t>& pending) const {
  const auto cause = [&](std::size_t i) {
    return recorded_by_[i] != i && pending[recorded_by_[i]] != 0 ? recorded_by_[i] : before_[i];
  };
  std::size_t here = 0;
  while (pending[here] == 0) ++here;
  std::vector<std::size_t> path;  // each node waits for the next, until a node repeats
  for (; std::find(path.begin(), path.end(), here) == path.end(); here = cause(here)) path.push_back(here);
  std::string line = "deadlock: ";
  for (auto i = std::find(path.begin(), path.end(), here); i != path.end(); ++i)
    line += text(nodes_[*i].rank, nodes_[*i].command) + (cause(*i) == before_[*i] ? ", queued after " : ", waits for ");
  throw collective::ScheduleError(line + text(nodes_[here].rank, nodes_[here].command));
}

}  // namespace tributary
