/// StepAgentCore: tasks and operations of a host's training step.
#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

#include "platforms/netreduce/step_agent_core.h"

namespace tributary::test_step_agent {
namespace {

using Kind = DeviceTask::Kind;

struct Nic : Verbs {
  struct Post {
    unsigned pair;
    std::uint64_t id;
    Tick when;
    bool operator==(const Post& o) const { return pair == o.pair && id == o.id && when == o.when; }
  };
  std::vector<Post> posted;
  void post_write(unsigned pair, const WriteRequest& request, Tick when) override {
    posted.push_back({pair, request.id, when});
  }
  unsigned outstanding(unsigned) const override { return 0; }
};

/// An operation that sends one chunk to host 1 over queue pair 0, and waits for one.
HostStep::Operation exchange(std::uint16_t number) {
  HostCommands program;
  NicCommand send, receive;
  send.bytes = receive.bytes = 128;
  send.send = NicTarget{1, 1, 0};
  receive.receives = true;
  program.commands = {send, receive};
  program.pairs[1] = 0;
  program.number = number;
  return {program};
}

/// A message of NetReduce over queue pairs 2 and 3.
HostStep::Operation message(std::uint32_t first) {
  RingPlan p;
  p.ring = 1;
  p.send_pair = 2, p.receive_pair = 3;
  p.first_message = first;
  p.bytes = 1000;
  return {{}, p};
}

/// A pass of 1 us, then all operations, each after the one before it, then a pass of 2 us.
HostStep step_of(std::vector<HostStep::Operation> operations) {
  HostStep step;
  step.operations = std::move(operations);
  const auto add = [&](Kind kind, Tick time, std::uint32_t operation) {
    DeviceTask t;
    t.kind = kind, t.time = time, t.operation = operation;
    t.waits = step.tasks.tasks.empty() ? 0 : 1;
    if (t.waits != 0) step.tasks.tasks.back().next = {static_cast<std::uint32_t>(step.tasks.tasks.size())};
    step.tasks.tasks.push_back(t);
  };
  add(Kind::compute, 1'000'000, 0);
  for (std::uint32_t o = 0; o < step.operations.size(); ++o) add(Kind::operation, 10'000, o);
  add(Kind::compute, 2'000'000, 0);
  return step;
}

struct Bench {
  Bench() : agent(config(), nic) {
    agent.on_end([this](Tick when) { done = when; }, [this](Tick, const std::string& why) { failure = why; });
  }
  static StepAgentCore::Config config() {
    StepAgentCore::Config c;
    c.flow.messages.message_packets = 2;
    return c;
  }
  Nic nic;
  StepAgentCore agent;
  Tick done = never;
  std::string failure;
};

}  // namespace

TEST_CASE("step agent: an operation begins after its tasks and its launch, and a chunk may be early", "[pure][netreduce]") {
  Bench b;
  b.agent.post(step_of({exchange(4), exchange(9)}), 500);
  b.agent.arrived(0, 9 << 16 | 1, 600);  // the peer is an operation ahead
  b.agent.arrived(0, 4 << 16 | 1, 700);
  b.agent.run_until(5'000'000);
  CHECK(b.nic.posted == std::vector<Nic::Post>{{0, 4 << 16, 1'010'500}, {0, 9 << 16, 1'020'500}});
  CHECK(b.done == 3'020'500);
  b.agent.completed(0, 4 << 16, 6'000'000);
  b.agent.completed(0, 9 << 16, 6'000'000);
  CHECK((b.agent.next() == never && b.agent.waiting().empty()));
}

TEST_CASE("step agent: messages of a ring continue from operation to operation, with commands between",
          "[pure][netreduce]") {
  Bench b;
  b.agent.post(step_of({message(0), exchange(1), message(1)}), 0);
  b.agent.run_until(1'100'000);
  CHECK(b.nic.posted == std::vector<Nic::Post>{{2, 0, 1'010'000}});
  CHECK(b.agent.waiting() == std::vector<std::string>{"tasks: 4 of 5 have not ended",
                                                      "compute: queue 0: task 4 waits for other tasks",
                                                      "operations: queue 0: task 1 is in flight",
                                                      "operations: queue 0: task 2 waits for tasks that it depends on",
                                                      "ring1.window: waits for result 0"});
  b.agent.arrived(3, 0, 1'200'000);
  b.agent.run_until(1'250'000);
  CHECK(b.nic.posted.back() == Nic::Post{0, 1 << 16, 1'210'000});
  b.agent.arrived(0, 1 << 16 | 1, 1'300'000);
  b.agent.run_until(1'350'000);
  CHECK(b.nic.posted.back() == Nic::Post{2, 1, 1'310'000});
  b.agent.arrived(3, 1, 1'400'000);
  b.agent.run_until(5'000'000);
  CHECK(b.done == 3'400'000);
}

TEST_CASE("step agent: a queue pair that gives up fails the step", "[pure][netreduce]") {
  Bench b;
  b.agent.post(step_of({exchange(0)}), 0);
  b.agent.failed(0, 5, "given up");
  CHECK(b.failure == "given up");
  b.agent.reset();
  CHECK((b.agent.next() == never && b.agent.waiting().empty()));
}

}  // namespace tributary::test_step_agent
