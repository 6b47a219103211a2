/// MachineAgentCore: GPUs of a host that share its NIC; times and addresses computed by hand
/// (docs/systems/netreduce.md#machines-of-gpus).
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "platforms/netreduce/machine_agent_core.h"

namespace tributary::test_machine_agent {
namespace {

constexpr std::uint64_t stride = 1 << 20;
constexpr std::uint32_t chunk_bytes = 100'000;  // 1 us at 100 GB/s

MachineAgentCore::Config config_of(unsigned gpus) {
  MachineAgentCore::Config c;
  c.host.intra_rate = 100_GBps;
  c.host.hop = 1_us;
  c.host.reduction_rate = 200_GBps;
  c.gpus = gpus;
  return c;
}

/// The GPUs of a host; records what they send over the NIC and how they end.
struct Bench : Verbs {
  struct Write {
    unsigned pair;
    WriteRequest request;
    Tick when;
  };
  explicit Bench(unsigned gpus)
      : core(config_of(gpus), static_cast<Verbs&>(*this)), done(gpus, never), why(gpus), memory(gpus * stride / 4) {
    core.set_stride(stride);
    for (unsigned g = 0; g < gpus; ++g)
      core.gpu(g).on_end([this, g](Tick when) { done[g] = when; },
                         [this, g](Tick, const std::string& text) { why[g] = text; });
  }
  void post_write(unsigned pair, const WriteRequest& request, Tick when) override {
    writes.push_back({pair, request, when});
  }
  unsigned outstanding(unsigned) const override { return 0; }
  void post(unsigned gpu, HostGpuProgram program, Tick t0) {
    for (const GpuConnection& c : program.connections) core.add_connection(gpu, c);
    core.post(gpu, {program.before, program.rings, program.after}, t0);
  }
  void with_data() { core.set_memory(reinterpret_cast<std::byte*>(memory.data())); }
  float& value(unsigned gpu, std::uint64_t address) { return memory[(gpu * stride + address) / 4]; }

  MachineAgentCore core;
  std::vector<Write> writes;
  std::vector<Tick> done;
  std::vector<std::string> why;
  std::vector<float> memory;
};

/// Sends one chunk to endpoint `to` over the connection of the same number; command 0 of `to` waits for it.
HostGpuProgram sender(std::uint16_t to, std::vector<GpuConnection> connections) {
  HostGpuProgram program;
  NicCommand c;
  c.chunk = c.from = 4096;
  c.bytes = chunk_bytes;
  c.send = NicTarget{to, 0, 8192};
  program.before.commands = {c};
  program.before.acknowledged = {true};
  program.before.pairs = {{to, to}};
  program.connections = std::move(connections);
  return program;
}

/// Adds `chunks` chunks that arrive to its own chunk, one after another.
HostGpuProgram receiver(std::size_t chunks, std::vector<GpuConnection> connections, std::set<std::uint16_t> local_peers) {
  HostGpuProgram program;
  for (std::uint32_t i = 0; i < chunks; ++i) {
    NicCommand c;
    c.receives = c.reduce = true;
    c.chunk = 0;
    c.from = 8192;
    c.bytes = chunk_bytes;
    c.peer = static_cast<std::uint16_t>(i);
    program.before.commands.push_back(c);
  }
  program.before.local_peers = std::move(local_peers);
  program.connections = std::move(connections);
  return program;
}

}  // namespace

TEST_CASE("machine agent: a transfer between its GPUs takes bytes over rate, and a hop", "[pure][machines]") {
  Bench b(2);
  b.with_data();
  b.value(0, 4096) = 3, b.value(0, 4096 + chunk_bytes - 4) = 5, b.value(1, 0) = 4;
  b.post(0, sender(1, {{}, {1, 0, stride}}), 1000);
  b.post(1, receiver(1, {{0, 1, 0}}, {0}), 1000);
  CHECK(b.core.next() == 1000);
  b.core.run_until(never - 1);
  CHECK(b.done[0] == 1000 + 1'000'000);  // read
  CHECK(b.done[1] == 1000 + 2'000'000);  // arrived, and added on arrival
  CHECK((b.value(1, 8192) == 3 && b.value(1, 8192 + chunk_bytes - 4) == 5 && b.value(1, 0) == 7));
  CHECK((b.writes.empty() && b.core.waiting().empty() && b.core.next() == never));
}

TEST_CASE("machine agent: a chunk of another host is added in the time to read it", "[pure][machines]") {
  Bench b(2);
  b.post(0, receiver(1, {{GpuConnection::by_nic, 6, 0}}, {}), 1000);
  b.core.run_until(1000);
  b.core.arrived(6, 0, 50'000);
  b.core.run_until(never - 1);
  CHECK(b.done[0] == 50'000 + 500'000);  // 100 kB at 200 GB/s
}

TEST_CASE("machine agent: two GPUs that send to a third share its input", "[pure][machines]") {
  Bench b(3);
  HostGpuProgram first = sender(2, {{}, {}, {2, 0, 2 * stride}}), second = sender(2, {{}, {}, {2, 1, 2 * stride}});
  second.before.commands[0].send->command = 1;
  b.post(0, std::move(first), 0);
  b.post(1, std::move(second), 0);
  b.post(2, receiver(2, {{0, 2, 0}, {1, 2, stride}}, {0, 1}), 0);
  b.core.run_until(1'500'000);
  CHECK((b.done[0] == 1'000'000 && b.done[1] == never));
  CHECK(b.core.waiting().size() == 2);  // both commands of GPU 2
  b.core.run_until(never - 1);
  CHECK((b.done[1] == 2'000'000 && b.done[2] == 3'000'000));
}

TEST_CASE("machine agent: requests to the NIC have addresses in the memories of the hosts", "[pure][machines]") {
  Bench b(3);
  b.post(1, sender(0, {{GpuConnection::by_nic, 9, 5 * stride}}), 700);
  b.core.run_until(700);
  REQUIRE(b.writes.size() == 1);
  CHECK((b.writes[0].pair == 9 && b.writes[0].when == 700));
  CHECK(b.writes[0].request.local == stride + 4096);       // in the memory of GPU 1
  CHECK(b.writes[0].request.remote == 5 * stride + 8192);  // in the memory of GPU 5 of the other host
  CHECK((b.writes[0].request.bytes == chunk_bytes && b.writes[0].request.immediate == 0));
  CHECK(b.done[1] == never);
  b.core.completed(9, 0, 30'000);
  b.core.run_until(30'000);
  CHECK(b.done[1] == 30'000);
}

TEST_CASE("machine agent: reports of the NIC go to the GPU that owns the queue pair", "[pure][machines]") {
  Bench b(2);
  b.post(0, receiver(1, {{GpuConnection::by_nic, 3, 0}}, {}), 0);
  b.post(1, receiver(1, {{GpuConnection::by_nic, 5, 0}}, {}), 0);
  b.core.run_until(0);
  CHECK(b.core.waiting() == std::vector<std::string>{"gpu0.rank: command 0 of 1 waits for its chunk from endpoint 0",
                                                     "gpu1.rank: command 0 of 1 waits for its chunk from endpoint 0"});
  b.core.arrived(5, 0, 1000);
  b.core.run_until(never - 1);
  CHECK((b.done[0] == never && b.done[1] == 501'000));
  b.core.failed(3, 900'000, "queue pair 3 to host7: given up");
  CHECK((b.why[0] == "queue pair 3 to host7: given up" && b.why[1].empty()));
  CHECK_THROWS_WITH(b.core.arrived(4, 0, 0), "queue pair 4 belongs to no GPU");
  CHECK_THROWS_AS(b.core.failed(60, 0, ""), std::logic_error);
  b.core.reset();
  CHECK((b.core.waiting().empty() && b.core.next() == never));
  CHECK_THROWS_AS(b.core.completed(3, 0, 0), std::logic_error);
}

TEST_CASE("machine agent: connections are numbered by GPU, and a reset forgets them", "[pure][machines]") {
  Bench b(3);
  CHECK(b.core.add_connection(1, {GpuConnection::by_nic, 7, 0}) == 0);
  CHECK(b.core.connect_gpus(0, 1) == std::pair{0u, 1u});
  CHECK(b.core.connect_gpus(1, 2) == std::pair{2u, 0u});
  b.core.post(1, {}, 0);
  const std::vector<GpuConnection>& c = b.core.gpu(1).program().connections;
  REQUIRE(c.size() == 3);
  CHECK((c[0].gpu == GpuConnection::by_nic && c[0].pair == 7));
  CHECK((c[1].gpu == 0 && c[1].pair == 0 && c[1].base == 0));
  CHECK((c[2].gpu == 2 && c[2].pair == 0 && c[2].base == 2 * stride));
  b.core.reset();
  CHECK(b.core.connect_gpus(1, 0) == std::pair{0u, 0u});
  CHECK_THROWS_AS(b.core.add_connection(3, {}), std::out_of_range);
}

}  // namespace tributary::test_machine_agent
