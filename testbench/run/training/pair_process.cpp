#include "testbench/run/training/pair_process.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "testbench/run/training/step_run.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

using training::TaskGraph;
using training::TaskId;

using Request = std::array<std::uint64_t, 3>;  ///< the tasks of a TaskPair, and its delay
using Answer = std::array<Tick, 2>;            ///< zeros: not measured

constexpr Request stop{~std::uint64_t{0}, 0, 0};

Request request_of(const TaskPair& pair) { return {pair.first, pair.second, pair.delay}; }
TaskPair pair_of(const Request& request) {
  return {static_cast<TaskId>(request[0]), static_cast<TaskId>(request[1]), request[2]};
}

template <class Message>
bool take(int from, Message& message) {
  auto* const bytes = reinterpret_cast<char*>(message.data());
  for (std::size_t got = 0; got < sizeof message;) {
    const ssize_t n = ::read(from, bytes + got, sizeof message - got);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    got += static_cast<std::size_t>(n);
  }
  return true;
}

template <class Message>
bool give(int to, const Message& message) {
  const auto* const bytes = reinterpret_cast<const char*>(message.data());
  for (std::size_t sent = 0; sent < sizeof message;) {
    const ssize_t n = ::send(to, bytes + sent, sizeof message - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

/// Returns the end of a task's collective on the rank that ends last.
Tick end_of(const training::IdealRun& run, TaskId task) {
  Tick end = 0;
  for (training::InstanceId i = 0; i < run.instances.size(); ++i)
    if (run.instances.task(i) == task) end = std::max(end, run.spans[i].end);
  return end;
}

/// Returns the run of a pair: observers and late ranks belong to the step, not to its pairs.
RunSpec without_observers(RunSpec spec) {
  spec.trace = {}, spec.capture = {}, spec.record = {};
  spec.data = DataMode::none;
  spec.jobs.front().skew = {};
  return spec;
}

Answer measured(const RunSpec& base, const TaskGraph& graph, const training::SoftwareCollectiveParams& ring,
                const TaskPair& pair) {
  try {
    const TaskGraph both = graph_of_pair(graph, pair);
    StepRun step(without_observers(base), both, {}, ring);
    if (step.run().status != Status::done) return {};
    const training::IdealRun run = step.measured();
    return {end_of(run, 0), end_of(run, 1)};
  } catch (const std::exception&) {
    return {};
  }
}

/// Answers requests until the other process ends or stops. Each pair has a process, without destructors of the simulation
/// kernel.
[[noreturn]] void serve(const RunSpec& base, const TaskGraph& graph, const training::SoftwareCollectiveParams& ring,
                        int other) {
  for (Request request{}; take(other, request) && request != stop;) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) ::_exit(1);
    const pid_t child = ::fork();
    if (child == 0) {
      give(ends[1], measured(base, graph, ring, pair_of(request)));
      ::_exit(0);
    }
    ::close(ends[1]);
    Answer answer{};
    if (child < 0 || !take(ends[0], answer)) answer = {};
    ::close(ends[0]);
    int status = 0;
    while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (!give(other, answer)) break;
  }
  ::_exit(0);
}

/// Appends the collectives of a task and of the groups that are concurrent with its own; its own is the first.
void add_set(const TaskGraph& graph, const IsolatedGroups& groups, TaskId own, std::uint32_t queue,
             std::vector<training::Task>& tasks, std::vector<training::Task>& others) {
  const auto copy = [&](const training::Task& from) {
    training::Task task = from;
    task.after.clear();
    task.rank = -1, task.queue = queue, task.iteration = 0, task.micro_batch = 0, task.layer = -1;
    task.transfer.buffer.reset();
    return task;
  };
  const std::string key = IsolatedGroups::key_of(graph.tasks[own]);
  const std::size_t set = groups.place(key).set;
  tasks.push_back(copy(graph.tasks[own]));
  std::vector<std::string> known{key};
  for (const training::Task& task : graph.tasks) {
    if (!IsolatedGroups::moves(graph, task)) continue;
    const std::string other = IsolatedGroups::key_of(task);
    if (groups.place(other).set != set || std::find(known.begin(), known.end(), other) != known.end()) continue;
    if (task.transfer.bytes != graph.tasks[own].transfer.bytes) continue;
    known.push_back(other);
    others.push_back(copy(task));
  }
}

/// Makes the operations of a queue wait for a mark, which ends at this time.
void delay_queue(std::uint32_t queue, Tick delay, TaskGraph& graph) {
  const auto mark = static_cast<TaskId>(graph.tasks.size());
  for (training::Task& task : graph.tasks)
    if (task.queue == queue) task.after.push_back(mark);
  training::Task wait;
  wait.name = "delay", wait.kind = training::TaskKind::mark, wait.delay = delay;
  graph.tasks.push_back(wait);
}

}  // namespace

TaskGraph graph_of_pair(const TaskGraph& graph, const TaskPair& pair) {
  for (const TaskId task : {pair.first, pair.second})
    if (graph.tasks.at(task).kind != training::TaskKind::collective)
      throw InputError("a send is not measured with another transfer (legal: collectives)");
  const IsolatedGroups groups(graph);
  TaskGraph both(graph.ranks);
  both.groups = graph.groups;
  std::vector<training::Task> others;
  add_set(graph, groups, pair.first, 0, both.tasks, others);
  add_set(graph, groups, pair.second, 1, both.tasks, others);
  both.tasks.insert(both.tasks.end(), others.begin(), others.end());
  if (pair.delay > 0) delay_queue(1, pair.delay, both);
  return both;
}

PairProcess::PairProcess(const RunSpec& base, const TaskGraph& graph, const training::SoftwareCollectiveParams& ring) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return;
  child_ = ::fork();
  if (child_ == 0) {
    ::close(ends[0]);
    serve(base, graph, ring, ends[1]);
  }
  ::close(ends[1]);
  socket_ = ends[0];
}

PairProcess::~PairProcess() {
  if (socket_ < 0) return;
  give(socket_, stop);  // another process of this kind may have a copy of the socket
  ::close(socket_);
  int status = 0;
  while (child_ > 0 && ::waitpid(child_, &status, 0) < 0 && errno == EINTR) continue;
}

std::optional<std::pair<Tick, Tick>> PairProcess::ends(const TaskPair& pair) {
  Answer answer{};
  if (child_ <= 0 || !give(socket_, request_of(pair)) || !take(socket_, answer)) return std::nullopt;
  if (answer[0] == 0 || answer[1] == 0) return std::nullopt;
  return std::pair(answer[0], answer[1]);
}

}  // namespace tributary
