// RailTasks without a GPU: WRITEs, waits, rings and schedules of network tasks.
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platforms/cluster/rail_tasks.h"

namespace tributary::test_rail_tasks {
namespace {

using Strings = std::vector<std::string>;
using Ends = std::vector<std::pair<std::uint32_t, Tick>>;

/// Messages of two packets of 1024 B, a window of two messages.
struct Bench : Verbs, RailTasks::Listener {
  struct Post {
    unsigned pair;
    WriteRequest request;
    Tick when;
  };
  Bench() : tasks(config(), *this, *this) {}
  static RailTasks::Config config() {
    RailTasks::Config c;
    c.flow.messages.window = 2, c.flow.messages.message_packets = 2;
    c.mtu = 1024;
    c.commands.rate = 1_GBps;
    return c;
  }
  void post_write(unsigned pair, const WriteRequest& request, Tick when) override { posts.push_back({pair, request, when}); }
  unsigned outstanding(unsigned) const override { return 0; }
  void network_ended(std::uint32_t task, Tick now) override { ended.emplace_back(task, now); }
  void network_failed(Tick now, const std::string& why) override { failure = std::to_string(now) + ": " + why; }

  /// Adds work and returns its number.
  std::uint32_t add(RailWork work) {
    program.network.push_back(std::make_shared<RailWork>(std::move(work)));
    return static_cast<std::uint32_t>(program.network.size() - 1);
  }
  std::uint32_t wait(std::uint32_t pair, std::uint32_t immediate) {
    RailWork w;
    w.kind = RailWork::Kind::wait, w.pair = pair, w.write.immediate = immediate;
    return add(w);
  }
  /// Messages of 2032 B of tensor from `first` on, on ring 3.
  std::uint32_t ring(std::uint32_t first, std::uint64_t bytes, std::uint64_t operand = 0) {
    RailWork w;
    w.kind = RailWork::Kind::ring;
    w.ring.ring = 3, w.ring.send_pair = 5, w.ring.receive_pair = 6;
    w.ring.first_message = first, w.ring.bytes = bytes, w.ring.operand = operand, w.ring.result = operand + 100'000;
    w.ring.receive_buffers = 200'000;
    return add(w);
  }
  /// Receives a chunk, adds it, and sends the sum.
  std::uint32_t schedule(std::uint16_t number) {
    RailWork w;
    w.kind = RailWork::Kind::commands;
    w.commands.number = number;
    w.commands.pairs[4] = 9;
    NicCommand c;
    c.receives = c.reduce = true, c.chunk = 0, c.from = 1000, c.bytes = 1000;
    c.send = NicTarget{4, 2, 5000};
    w.commands.commands.push_back(c);
    return add(w);
  }
  void ready(std::uint32_t task, std::uint32_t work, Tick now) {
    DeviceTask t;
    t.kind = DeviceTask::Kind::network, t.operation = work;
    tasks.ready(task, t, now);
  }
  void result(std::uint32_t message, Tick when) {
    tasks.completed(5, message, when);
    tasks.arrived(6, message, when);
    tasks.run_until(when);
  }

  GpuProgram program;
  std::vector<Post> posts;
  Ends ended;
  std::string failure;
  RailTasks tasks;
};

}  // namespace

TEST_CASE("network tasks: a WRITE ends with its ACK, a wait with its arrival", "[pure][cluster]") {
  Bench b;
  RailWork w;
  w.pair = 2, w.write.local = 64, w.write.bytes = w.write.data_bytes = 128, w.write.signalled = false;
  const std::uint32_t write = b.add(w), wait = b.wait(2, 0x10'0001);
  b.tasks.load(b.program);
  b.ready(8, write, 100);
  b.ready(9, wait, 100);
  REQUIRE(b.posts.size() == 1);
  CHECK((b.posts[0].pair == 2 && b.posts[0].request.local == 64 && b.posts[0].request.signalled && b.posts[0].when == 100));
  CHECK(b.tasks.next() == never);
  CHECK(b.tasks.waiting() == Strings{"1 WRITEs of tasks are not acknowledged", "qp2: waits for immediate 1048577"});
  b.tasks.arrived(2, 0x10'0001, 200);
  CHECK(b.tasks.next() == 200);  // not within the report, as the next tasks may begin then
  CHECK(b.ended.empty());
  b.tasks.run_until(200);
  b.tasks.completed(2, b.posts[0].request.id, 300);
  b.tasks.run_until(300);
  CHECK(b.ended == Ends{{9, 200}, {8, 300}});
  CHECK(b.tasks.waiting().empty());
}

TEST_CASE("network tasks: an arrival before its task is noted, and each ends one task", "[pure][cluster]") {
  Bench b;
  const std::uint32_t first = b.wait(2, 7), second = b.wait(2, 7);
  b.tasks.load(b.program);
  b.tasks.arrived(2, 7, 50);
  b.ready(1, first, 100);
  b.ready(2, second, 110);
  b.tasks.run_until(120);
  CHECK(b.ended == Ends{{1, 100}});
  b.tasks.arrived(2, 7, 130);
  b.tasks.run_until(130);
  CHECK(b.ended == Ends{{1, 100}, {2, 130}});
}

TEST_CASE("network tasks: plans of a ring follow one another in one window", "[pure][cluster]") {
  Bench b;
  const std::uint32_t one = b.ring(10, 3 * 2032), two = b.ring(13, 2 * 2032, 50'000), three = b.ring(15, 2032, 70'000);
  b.tasks.load(b.program);
  std::vector<std::byte> memory(300'000);
  b.tasks.set_memory(memory.data());
  b.ready(1, one, 100);
  b.tasks.run_until(100);
  b.ready(3, three, 150);  // before its predecessor: it has to wait
  b.tasks.run_until(150);
  CHECK(b.posts.size() == 2);
  b.ready(2, two, 200);
  b.tasks.run_until(200);
  CHECK(b.posts.size() == 2);  // the window is closed
  std::memset(&memory[200'000 + 10 % 4 * 2048 + 16], 1, 2032);
  b.result(10, 300);
  CHECK(memory[100'000] == std::byte{1});
  std::memset(&memory[200'000 + 11 % 4 * 2048 + 16], 2, 2032);
  b.result(11, 400);
  REQUIRE(b.posts.size() == 4);
  // Message 13 is the first one of the second plan: it is posted before the first one ends.
  CHECK((b.posts[3].request.id == 13 && b.posts[3].request.local == 50'000 && b.posts[3].when == 400));
  CHECK(b.ended.empty());
  b.result(12, 500);
  CHECK(b.ended == Ends{{1, 500}});
  std::memset(&memory[200'000 + 13 % 4 * 2048 + 16], 3, 2032);
  b.result(13, 600);
  CHECK(
      (memory[150'000] == std::byte{3} && memory[150'000 + 2031] == std::byte{3} && memory[150'000 + 2032] == std::byte{0}));
  b.result(14, 700);
  b.result(15, 800);
  CHECK(b.ended == Ends{{1, 500}, {2, 700}, {3, 800}});
  CHECK(b.posts.size() == 6);
  CHECK(b.posts[5].request.local == 70'000);
  CHECK(b.tasks.waiting().empty());
}

TEST_CASE("network tasks: schedules run at once, and chunks find theirs by number", "[pure][cluster]") {
  Bench b;
  const std::uint32_t one = b.schedule(1), two = b.schedule(2);
  b.tasks.load(b.program);
  b.tasks.arrived(9, 2 << 16, 50);  // early
  b.ready(11, one, 1'000'000);
  b.ready(12, two, 1'000'000);
  b.tasks.run_until(3'000'000);
  // 1000 B at 1 GB/s take 1 us.
  REQUIRE(b.posts.size() == 1);
  CHECK((b.posts[0].request.immediate == (2u << 16 | 2) && b.posts[0].when == 2'000'000 && b.posts[0].pair == 9));
  CHECK(b.ended == Ends{{12, 2'000'000}});
  CHECK((b.tasks.additions().elements == 250 && b.tasks.additions().bytes == 1000));
  b.tasks.completed(9, b.posts[0].request.id, 3'500'000);
  b.tasks.arrived(9, 1 << 16, 4'000'000);
  b.tasks.run_until(6'000'000);
  CHECK(b.ended == Ends{{12, 2'000'000}, {11, 5'000'000}});
  CHECK(b.tasks.additions().elements == 500);
}

TEST_CASE("network tasks: work that cannot be carried out is refused", "[pure][cluster]") {
  Bench b;
  b.schedule(5);
  b.schedule(5);
  CHECK_THROWS_WITH(b.tasks.load(b.program), "two schedules of a GPU have the number 5");
  struct Other : NetworkWork {};
  GpuProgram other;
  other.network.push_back(std::make_shared<Other>());
  CHECK_THROWS_WITH(b.tasks.load(other), "the work of a network task is not RailWork");
  b.tasks.load({});
  CHECK_THROWS_WITH(b.ready(4, 1, 0), "network task 4 has no work 1");
  b.tasks.failed(3, 77, "given up");
  CHECK(b.failure == "77: given up");
}

}  // namespace tributary::test_rail_tasks
