/// HostGpu: commands, then rings, then commands again; times and addresses computed by hand
/// (docs/systems/netreduce.md#machines-of-gpus).
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "platforms/netreduce/host_gpu.h"
#include "testbench/test/harness/waiting_lines.h"

namespace tributary::test_host_gpu {
namespace {

using Stage = HostGpu::Stage;

/// Messages of two packets.
HostFlowParams short_messages() {
  HostFlowParams flow;
  flow.messages.message_packets = 2;
  return flow;
}

/// Records what a GPU sends and how it ends.
struct Bench : HostGpu::Transport {
  struct Sent {
    unsigned gpu, pair;
    Stage stage;
    WriteRequest request;
    Tick when;
  };
  explicit Bench(const HostParams& host = {})
      : gpu(host, short_messages(), 1024, 3, static_cast<HostGpu::Transport&>(*this)) {
    gpu.on_end([this](Tick when) { done = when; },
               [this](Tick when, const std::string& text) { failed_at = when, why = text; });
  }
  void send(unsigned number, unsigned connection, Stage stage, const WriteRequest& request, Tick when) override {
    sent.push_back({number, gpu.program().connections.at(connection).pair, stage, request, when});
  }
  unsigned outstanding(unsigned) const override { return 0; }

  std::vector<Sent> sent;
  Tick done = never, failed_at = never;
  std::string why;
  HostGpu gpu;
};

NicCommand sends(std::uint64_t from, std::uint32_t bytes, NicTarget to) {
  NicCommand c;
  c.chunk = c.from = from;
  c.bytes = bytes;
  c.send = to;
  return c;
}

NicCommand receives(std::uint64_t to, std::uint32_t bytes) {
  NicCommand c;
  c.receives = true;
  c.chunk = c.from = to;
  c.bytes = bytes;
  return c;
}

/// Connection 0 leads to endpoint 7 and carries commands. Connection 1 carries ring 5 in both directions: one message of
/// 2000 B.
HostGpuProgram three_stages() {
  HostGpuProgram program;
  program.connections = {{GpuConnection::by_nic, 40, 0, false}, {GpuConnection::by_nic, 41, 0, true}};
  program.before.commands = {sends(256, 1000, {7, 9, 512})};
  program.before.pairs = {{7, 0}};
  RingPlan ring;
  ring.ring = 5, ring.rank = 2;
  ring.send_pair = ring.receive_pair = 1;
  ring.first_message = 30;
  ring.operand = 4096, ring.bytes = 2000, ring.result = 8192, ring.receive_buffers = 16384;
  program.rings = {ring};
  program.after.commands = {receives(0, 1000)};
  return program;
}

}  // namespace

TEST_CASE("host gpu: rings begin when the first commands have ended, the last commands when all results have arrived",
          "[pure][machines]") {
  Bench b;
  b.gpu.post(three_stages(), 100);
  b.gpu.run_until(100);
  REQUIRE(b.sent.size() == 2);  // a send ends when it is posted, so the ring's message follows immediately
  CHECK((b.sent[0].gpu == 3 && b.sent[0].pair == 40 && b.sent[0].stage == Stage::before && b.sent[0].when == 100));
  CHECK((b.sent[0].request.local == 256 && b.sent[0].request.remote == 512 && b.sent[0].request.bytes == 1000));
  CHECK((b.sent[0].request.immediate_valid && b.sent[0].request.immediate == 9 && !b.sent[0].request.tagged));
  CHECK((b.sent[1].pair == 41 && b.sent[1].stage == Stage::rings && b.sent[1].when == 100));
  CHECK((b.sent[1].request.local == 4096 && b.sent[1].request.data_bytes == 2000 && b.sent[1].request.tagged));
  CHECK(
      (b.sent[1].request.header.ring == 5 && b.sent[1].request.header.rank == 2 && b.sent[1].request.header.message == 30));
  CHECK(b.gpu.waiting() == std::vector<std::string>{"ring5.window: waits for result 30"});
  b.gpu.arrived(1, Stage::before, 30, 5000);  // a ring's connection carries only its messages, whatever the stage
  b.gpu.run_until(5000);
  CHECK(b.done == never);
  CHECK(without_times(b.gpu.waiting()) == std::vector<std::string>{"last rank: command 0 of 1 waits for its chunk"});
  b.gpu.arrived(0, Stage::after, 0, 7000);
  b.gpu.run_until(7000);
  CHECK(b.done == 7000);
  CHECK((b.sent.size() == 2 && b.gpu.waiting().empty()));
}

TEST_CASE("host gpu: a stage whose send ends with its ACK waits for it", "[pure][machines]") {
  Bench b;
  HostGpuProgram program = three_stages();
  program.before.acknowledged = {true};
  b.gpu.post(std::move(program), 100);
  b.gpu.run_until(4000);
  CHECK(b.sent.size() == 1);
  b.gpu.completed(0, Stage::before, 0, 6000);
  b.gpu.run_until(6000);
  REQUIRE(b.sent.size() == 2);
  CHECK((b.sent[1].stage == Stage::rings && b.sent[1].when == 6000));
}

TEST_CASE("host gpu: the ring's result is in memory when the last commands begin", "[pure][machines]") {
  Bench b;
  std::vector<std::byte> memory(32768);
  b.gpu.set_memory(memory.data());
  b.gpu.post(three_stages(), 0);
  b.gpu.run_until(0);
  // Message 30 arrives in buffer 30 mod 4, which holds 2 packets, after its header.
  std::memset(&memory[16384 + 30 % 4 * 2048 + AggregationHeader::bytes], 6, 2000);
  b.gpu.arrived(1, Stage::rings, 30, 1000);
  b.gpu.run_until(1000);
  CHECK((memory[8192] == std::byte{6} && memory[8192 + 1999] == std::byte{6} && memory[8192 + 2000] == std::byte{0}));
}

TEST_CASE("host gpu: a chunk that arrives before its stage is stored until then", "[pure][machines]") {
  Bench b;
  b.gpu.post(three_stages(), 100);
  b.gpu.run_until(100);
  b.gpu.arrived(0, Stage::after, 0, 300);  // another GPU of the host has already completed its ring
  b.gpu.run_until(400);
  CHECK(b.gpu.waiting() ==
        std::vector<std::string>{"ring5.window: waits for result 30", "1 chunks of the last stage are early"});
  b.gpu.arrived(1, Stage::rings, 30, 5000);
  b.gpu.run_until(5000);
  CHECK(b.done == 5000);
  CHECK(b.gpu.waiting().empty());
}

TEST_CASE("host gpu: an addition of the last stage takes the time to read the chunk", "[pure][machines]") {
  HostParams host;
  host.reduction_rate = 10_GBps;
  Bench b(host);
  HostGpuProgram program;
  program.connections = {{GpuConnection::by_nic, 40, 0, false}};
  NicCommand add = receives(4096, 1000);
  add.chunk = 0, add.reduce = true;
  program.after.commands = {add};
  b.gpu.post(std::move(program), 50);
  b.gpu.run_until(50);
  b.gpu.arrived(0, Stage::after, 0, 1000);
  b.gpu.run_until(1'000'000);
  CHECK(b.done == 1000 + 100'000);  // 1000 B at 10 GB/s
}

TEST_CASE("host gpu: an empty program ends when it begins", "[pure][machines]") {
  Bench b;
  b.gpu.post({}, 70);
  b.gpu.run_until(70);
  CHECK(b.done == 70);
  CHECK((b.gpu.waiting().empty() && b.gpu.next() == never && b.sent.empty()));
}

TEST_CASE("host gpu: a failure is reported in the words of the NIC, and a reset forgets the program", "[pure][machines]") {
  Bench b;
  b.gpu.post(three_stages(), 100);
  b.gpu.run_until(100);
  b.gpu.arrived(0, Stage::after, 0, 300);
  b.gpu.failed(900, "queue pair 41 to host2: given up");
  CHECK((b.failed_at == 900 && b.why == "queue pair 41 to host2: given up"));
  b.gpu.reset();
  CHECK((b.gpu.waiting().empty() && b.gpu.next() == never && b.gpu.program().connections.empty()));
  b.gpu.post(three_stages(), 2000);
  b.gpu.run_until(2000);
  CHECK(b.gpu.waiting() == std::vector<std::string>{"ring5.window: waits for result 30"});  // no early chunk is left
}

}  // namespace tributary::test_host_gpu
