// A host's flow control without a kernel: messages, window, buffers (Liu et al., 3.1 and 3.2).
#include <catch2/catch.hpp>
#include <cstring>
#include <utility>
#include <vector>

#include "modules/netreduce/core/flow_control_core.h"

namespace tributary::test_flow_control_core {
namespace {

/// A NIC that records its requests, and a listener.
struct Bench : Verbs, FlowControlListener {
  struct Post {
    WriteRequest request;
    Tick when;
  };

  explicit Bench(const HostFlowParams& params = small()) : core(params, 1024, *this, *this) {}
  static HostFlowParams small() {
    HostFlowParams p;
    p.messages.message_packets = 2;  // 2048 B, 2032 B of them tensor
    return p;
  }
  /// Operand at 0, result at 16 KiB, receive buffers at 32 KiB, staging at 48 KiB.
  static RingPlan ring_plan(std::uint64_t bytes, std::uint64_t result = 16'384) {
    RingPlan p;
    p.ring = 3, p.rank = 1;
    p.send_pair = 5, p.receive_pair = 6;
    p.first_message = 10;
    p.bytes = bytes;
    p.result = result;
    p.receive_buffers = 32'768, p.remote_buffers = 1'000'000, p.staging = 49'152;
    return p;
  }
  void post_write(unsigned pair, const WriteRequest& r, Tick when) override {
    CHECK(pair == 5);
    posts.push_back({r, when});
  }
  unsigned outstanding(unsigned) const override { return 0; }
  void flow_done(Tick when) override { done = when; }
  void job_done(std::uint16_t, std::uint32_t first, Tick when) override { jobs.emplace_back(first, when); }
  void flow_failed(Tick, const std::string& text) override { why = text; }

  FlowControlCore core;
  std::vector<Post> posts;
  Tick done = never;
  std::string why;
  std::vector<std::pair<std::uint32_t, Tick>> jobs;  // first message, end
};

}  // namespace

TEST_CASE("messages of 170 packets carry 174 064 B, the last one is padded", "[pure][netreduce]") {
  const Chunker c(64 << 20, 170, 1024);
  CHECK(c.message_bytes() == 174'080);
  CHECK(c.slice_bytes() == 174'064);
  CHECK(c.messages() == 386);
  CHECK((c.slice(1).offset == 174'064 && c.slice(1).bytes == 174'064));
  CHECK(c.slice(385).offset + c.slice(385).bytes == 64u << 20);
  CHECK(Chunker(1, 170, 1024).slice(0).bytes == 1);
  CHECK(Chunker(0, 170, 1024).messages() == 0);
  CHECK(Chunker(174'064, 170, 1024).messages() == 1);
  CHECK(Chunker(174'065, 170, 1024).messages() == 2);
}

TEST_CASE("message i is posted when the result of message i - N has arrived", "[pure][netreduce]") {
  Bench b;
  b.core.post({Bench::ring_plan(5 * 2032 - 100)}, 1000);
  b.core.run_until(1000);
  REQUIRE(b.posts.size() == 2);
  const WriteRequest& first = b.posts[0].request;
  CHECK((first.id == 10 && first.local == 0 && first.remote == 1'000'000 + 2 * 2048 && first.bytes == 2048));
  CHECK((first.data_bytes == 2032 && first.immediate_valid && first.immediate == 10 && first.tagged));
  CHECK(
      (first.header.ring == 3 && first.header.rank == 1 && first.header.message == 10 && first.header.message_packets == 2));
  CHECK(b.posts[1].request.remote == 1'000'000 + 3 * 2048);
  for (unsigned m = 0; m < 5; ++m) {
    b.core.completed(5, 10 + m, 2000 * (m + 1) - 1);
    b.core.arrived(6, 10 + m, 2000 * (m + 1));
    b.core.run_until(2000 * (m + 1));
    CHECK(b.posts.size() == std::min(5u, 3 + m));
  }
  CHECK(b.posts[2].when == 2000);
  CHECK(b.posts[4].request.data_bytes == 2032 - 100);
  CHECK(b.done == 10'000);
  CHECK((b.core.idle() && b.core.waiting().empty()));
}

TEST_CASE("at most 2N messages are unacknowledged", "[pure][netreduce]") {
  Bench b;
  b.core.post({Bench::ring_plan(8 * 2032)}, 0);
  b.core.run_until(0);
  for (unsigned m = 0; m < 4; ++m) b.core.arrived(6, 10 + m, 1000 * (m + 1)), b.core.run_until(1000 * (m + 1));
  CHECK(b.posts.size() == 4);
  CHECK(b.core.waiting() == std::vector<std::string>{"ring3.window: message 14 waits for room in the send queue"});
  b.core.completed(5, 10, 9000);
  b.core.run_until(9000);
  REQUIRE(b.posts.size() == 5);
  CHECK(b.posts[4].when == 9000);
}

TEST_CASE("results are stored without headers, and the host's turnaround delays only the next message",
          "[pure][netreduce]") {
  HostFlowParams params = Bench::small();
  params.turnaround = 13_us;
  Bench b(params);
  std::vector<std::byte> memory(65'536);
  b.core.set_memory(memory.data());
  b.core.post({Bench::ring_plan(3 * 2032)}, 0);
  b.core.run_until(0);
  for (unsigned m = 0; m < 2; ++m) {
    std::memset(&memory[32'768 + (10 + m) % 4 * 2048], static_cast<int>(1 + m), 2048);
    b.core.arrived(6, 10 + m, 1'000'000 * (m + 1));
  }
  b.core.run_until(10'000'000);
  CHECK((memory[16'384] == std::byte{1} && memory[16'384 + 2031] == std::byte{1} && memory[16'384 + 2032] == std::byte{2} &&
         memory[16'384 + 4063] == std::byte{2} && memory[16'384 + 4064] == std::byte{0}));
  CHECK(b.posts.size() == 2);
  b.core.run_until(20'000'000);
  REQUIRE(b.posts.size() == 3);
  CHECK(b.posts[2].when == 14'000'000);
  b.core.arrived(6, 12, 30'000'000);
  b.core.run_until(30'000'000);
  CHECK(b.done == 30'000'000);
}

TEST_CASE("staged messages are sent from copies, which results do not overwrite", "[pure][netreduce]") {
  HostFlowParams params = Bench::small();
  params.buffers = HostBuffers::staged;
  Bench b(params);
  std::vector<std::byte> memory(65'536, std::byte{7});
  b.core.set_memory(memory.data());
  b.core.post({Bench::ring_plan(3 * 2032, 0)}, 0);
  b.core.run_until(0);
  CHECK(b.posts[0].request.local == 49'152 + 2 * 2048);
  std::memset(&memory[32'768], 9, 4 * 2048);
  b.core.arrived(6, 10, 1000);
  b.core.run_until(1000);
  CHECK((memory[0] == std::byte{9} && memory[49'152 + 2 * 2048] == std::byte{7}));
}

TEST_CASE("a job on several rings ends with the last of them, and an empty job ends immediately", "[pure][netreduce]") {
  Bench b;
  RingPlan second = Bench::ring_plan(2032);
  second.ring = 4, second.receive_pair = 8;
  b.core.post({Bench::ring_plan(2032), second}, 0);
  b.core.run_until(0);
  CHECK_THROWS(b.core.post({}, 0));
  b.core.arrived(8, 10, 1000), b.core.run_until(1000);
  CHECK(b.done == never);
  CHECK(b.core.waiting() == std::vector<std::string>{"ring3.window: waits for result 10"});
  b.core.arrived(6, 10, 2000), b.core.run_until(2000);
  CHECK(b.done == 2000);
  Bench empty;
  empty.core.post({Bench::ring_plan(0)}, 500);
  empty.core.run_until(500);
  CHECK(empty.done == 500);
  empty.core.failed(5, 600, "queue pair 5 to host1: given up");
  CHECK(empty.why == "queue pair 5 to host1: given up");
}

TEST_CASE("a later job continues its ring: numbers, window, turnaround and unacknowledged messages", "[pure][netreduce]") {
  HostFlowParams params = Bench::small();
  params.turnaround = 500_ns;
  Bench b(params);
  b.core.post({Bench::ring_plan(3 * 2032)}, 0);
  for (unsigned m = 0; m < 3; ++m) b.core.run_until(1'000'000 * m), b.core.arrived(6, 10 + m, 1'000'000 * (m + 1));
  b.core.run_until(3'000'000);
  CHECK(b.done == 3'000'000);
  RingPlan next = Bench::ring_plan(4 * 2032);
  CHECK_THROWS(b.core.post({next}, 3'000'000));  // it begins with message 10 again
  next.first_message = 13, next.operand = 4096;
  b.core.post({next}, 3'000'000);
  // Message 13 waits for result 11, which has come, and message 14 for the turnaround after result 12; none of the earlier
  // messages is acknowledged, so that only one more has room.
  b.core.run_until(3'000'000);
  REQUIRE(b.posts.size() == 4);
  CHECK((b.posts[3].request.id == 13 && b.posts[3].request.local == 4096));
  CHECK(b.posts[3].request.remote == 1'000'000 + 13 % 4 * 2048);
  b.core.run_until(4'000'000);
  CHECK(b.posts.size() == 4);
  b.core.completed(5, 10, 5'000'000);
  b.core.run_until(5'000'000);
  REQUIRE(b.posts.size() == 5);
  CHECK(b.posts[4].when == 5'000'000);
  CHECK(b.done == 3'000'000);
}

TEST_CASE("a job that is appended shares the window with the job before it", "[pure][netreduce]") {
  Bench b;
  RingPlan first = Bench::ring_plan(3 * 2032), second = Bench::ring_plan(2 * 2032, 24'576);
  second.operand = 8192;
  CHECK(b.core.append(first, 1000) == 13);
  second.first_message = 12;
  CHECK_THROWS_WITH(b.core.append(second, 1000), "a job does not continue its ring");
  second.first_message = 13;
  CHECK(b.core.append(second, 1500) == 15);
  CHECK_THROWS(b.core.post({second}, 2000));
  b.core.run_until(2000);
  CHECK(b.posts.size() == 2);
  for (unsigned m = 0; m < 5; ++m) {
    b.core.completed(5, 10 + m, 3000 + 100 * m);
    b.core.arrived(6, 10 + m, 3000 + 100 * m);
    b.core.run_until(3000 + 100 * m);
    CHECK(b.posts.size() == std::min(5u, 3 + m));
    CHECK(b.done == (m < 4 ? never : 3400));
  }
  // Message 13 follows the result of message 11, two results before the first job ends.
  CHECK((b.posts[3].request.id == 13 && b.posts[3].when == 3100 && b.posts[3].request.local == 8192));
  CHECK(b.jobs == std::vector<std::pair<std::uint32_t, Tick>>{{10, 3200}, {13, 3400}});
  CHECK(b.core.idle());
}

}  // namespace tributary::test_flow_control_core
