/// Tests the tasks of a device: counters, compute engine, communication queues.
#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "modules/tasks/compute_queues.h"
#include "modules/tasks/operation_queues.h"
#include "modules/tasks/task_board.h"

namespace tributary::test_task_engines {

using Kind = DeviceTask::Kind;

namespace {

constexpr Tick ms = 1'000'000'000;

DeviceTask task(Kind kind, Tick time, std::uint32_t queue = 0, std::uint32_t operation = 0) {
  DeviceTask t;
  t.kind = kind, t.time = time, t.queue = queue, t.operation = operation;
  return t;
}

/// A device whose operations last `transfer` each, and issue during the first half.
class Device : private ComputeQueues::Listener, private OperationQueues::Listener {
 public:
  explicit Device(TaskProgram made) : program(std::move(made)) {
    for (DeviceTask& t : program.tasks)
      for (const std::uint32_t next : t.next) ++program.tasks[next].waits;
    board.load(program), compute.load(program), operations.load(program);
  }

  TaskProgram program;
  TaskBoard board;
  ComputeQueues compute{static_cast<ComputeQueues::Listener&>(*this)};
  OperationQueues operations{static_cast<OperationQueues::Listener&>(*this)};
  std::map<std::uint32_t, Tick> begun, launched, ended;
  std::multimap<Tick, std::pair<bool, std::uint32_t>> transfers;  // true: the operation ends
  Tick transfer = 4 * ms;

  void run() {
    board.start(0, [&](std::uint32_t t) { ready(t, 0); });
    for (Tick now = 0; now != never;) {
      for (; !transfers.empty() && transfers.begin()->first <= now; transfers.erase(transfers.begin())) {
        const auto [over, operation] = transfers.begin()->second;
        over ? operations.over(operation, now) : operations.issued(operation, now);
      }
      do {
        again_ = false;
        operations.run(now);
        compute.run(now);
      } while (again_);
      const Tick wire = transfers.empty() ? never : transfers.begin()->first;
      now = std::min({compute.next(), operations.next(), wire});
    }
    CHECK(board.over());
    CHECK(board.waiting().empty());
    CHECK(operations.waiting().empty());
    CHECK(compute.waiting().empty());
  }

 private:
  void ready(std::uint32_t t, Tick now) {
    again_ = true;
    program.tasks[t].kind == Kind::compute ? compute.ready(t, now) : operations.ready(t, now);
  }
  void end(std::uint32_t t, Tick now) {
    ended[t] = now;
    board.ended(t, now, [&](std::uint32_t next) { ready(next, now); });
  }
  void compute_begun(std::uint32_t t, Tick now) override { begun[t] = now; }
  void compute_ended(std::uint32_t t, Tick now) override { end(t, now); }
  void operation_begun(std::uint32_t t, Tick now) override {
    begun[t] = now;
    if (program.tasks[t].multiprocessors != 0) compute.set_taken(program.tasks[t].multiprocessors, now);
  }
  void operation_launched(std::uint32_t t, Tick now) override {
    launched[t] = now;
    transfers.emplace(now + transfer / 2, std::pair(false, program.tasks[t].operation));
    transfers.emplace(now + transfer, std::pair(true, program.tasks[t].operation));
  }
  void operation_ended(std::uint32_t t, Tick now) override {
    if (program.tasks[t].multiprocessors != 0) compute.set_taken(0, now);
    end(t, now);
  }

  bool again_ = false;  // a task became ready at this instant
};

}  // namespace

TEST_CASE("compute engine: 10 ms of work, while software uses 16 of 80 SMs for 4 ms, end at 10.8 ms", "[pure]") {
  TaskProgram program;
  program.tasks = {task(Kind::compute, 10 * ms), task(Kind::operation, 0)};
  program.tasks[1].multiprocessors = 16;
  Device device(program);
  device.run();
  CHECK(device.ended[1] == 4 * ms);
  CHECK(device.ended[0] == 108 * ms / 10);
}

TEST_CASE("compute engine: queues keep their order, and the next task is the one that has been ready longest", "[pure]") {
  TaskProgram program;
  // Queue 0: a, then c, which waits for the mark at 5 ms. Queue 1: b and d, ready from the start.
  program.tasks = {task(Kind::compute, 2 * ms, 0), task(Kind::compute, 4 * ms, 1), task(Kind::compute, 1 * ms, 0),
                   task(Kind::compute, 1 * ms, 1), task(Kind::mark, 5 * ms)};
  program.tasks[4].next = {2};
  Device device(program);
  device.run();
  CHECK(device.begun[0] == 0);
  CHECK(device.begun[1] == 2 * ms);
  CHECK(device.begun[3] == 6 * ms);  // ready since 0, before the task that is ready since 5 ms
  CHECK(device.begun[2] == 7 * ms);
}

TEST_CASE("compute engine: tasks of zero duration end when they begin", "[pure]") {
  TaskProgram program;
  program.tasks = {task(Kind::compute, 0), task(Kind::mark, 0), task(Kind::compute, 3)};
  program.tasks[0].next = {1};
  program.tasks[1].next = {2};
  Device device(program);
  device.run();
  CHECK(device.ended[1] == 0);
  CHECK(device.ended[2] == 3);
}

TEST_CASE("communication queues: serial operations begin when their predecessor ends", "[pure]") {
  TaskProgram program;
  program.tasks = {task(Kind::operation, 1 * ms, 0, 0), task(Kind::operation, 0, 0, 1), task(Kind::operation, 0, 7, 2)};
  Device device(program);
  device.run();
  CHECK(device.begun[0] == 0);
  CHECK(device.launched[0] == 1 * ms);
  CHECK(device.begun[1] == 5 * ms);
  CHECK(device.ended[1] == 9 * ms);
  CHECK(device.begun[2] == 0);  // it has its own queue
}

TEST_CASE("communication queues: pipelined operations begin when their predecessor has issued everything", "[pure]") {
  TaskProgram program;
  program.pipelined = true;
  program.tasks = {task(Kind::operation, 0, 0, 0), task(Kind::operation, 0, 0, 1), task(Kind::operation, 0, 0, 2)};
  Device device(program);
  device.run();
  CHECK(device.begun[1] == 2 * ms);
  CHECK(device.begun[2] == 4 * ms);
  CHECK(device.ended[2] == 8 * ms);
}

TEST_CASE("communication queues: a ready operation waits for the one listed before it", "[pure]") {
  TaskProgram program;
  program.tasks = {task(Kind::mark, 10 * ms), task(Kind::operation, 0, 0, 0), task(Kind::operation, 0, 0, 1)};
  program.tasks[0].next = {1};
  Device device(program);
  device.run();
  CHECK(device.begun[1] == 10 * ms);
  CHECK(device.begun[2] == 14 * ms);
}

TEST_CASE("waiting() names pending tasks", "[pure]") {
  TaskProgram program;
  program.tasks = {task(Kind::operation, 0, 0, 0), task(Kind::compute, 5)};
  program.tasks[0].next = {1};
  program.tasks[1].waits = 1;
  TaskBoard board;
  board.load(program);
  CHECK(board.waiting() == std::vector<std::string>{"tasks: 2 of 2 have not ended"});
}

}  // namespace tributary::test_task_engines
