/// MachineHostCore: GPUs of a host that share its NIC; times and addresses by hand
/// (docs/systems/netreduce.md#machines-of-gpus).
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "platforms/netreduce/machine_host.h"

using namespace tributary;

namespace {

constexpr std::uint64_t stride = 1 << 20;
constexpr std::uint32_t chunk_bytes = 100'000;  // 1 us at 100 GB/s

MachineHostCore::Config config_of(unsigned gpus) {
  MachineHostCore::Config c;
  c.host.intra_rate = 100_GBps;
  c.host.hop = 1_us;
  c.host.reduction_rate = 200_GBps;
  c.gpus = gpus;
  return c;
}

/// A host, its NIC, and how its GPUs end.
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
  void with_data() { core.set_memory(reinterpret_cast<std::byte*>(memory.data())); }
  float& value(unsigned gpu, std::uint64_t address) { return memory[(gpu * stride + address) / 4]; }

  MachineHostCore core;
  std::vector<Write> writes;
  std::vector<Tick> done;
  std::vector<std::string> why;
  std::vector<float> memory;
};

/// Of endpoint `to` on the connection with the same number; its command 0 waits for it.
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

/// Adds `chunks` chunks to its own, one after another.
HostGpuProgram receiver(std::size_t chunks, std::vector<GpuConnection> connections, std::set<std::uint16_t> beside) {
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
  program.before.beside = std::move(beside);
  program.connections = std::move(connections);
  return program;
}

}  // namespace

TEST_CASE("machine host: a transfer between its GPUs takes bytes over rate, and a hop", "[pure][machines]") {
  Bench b(2);
  b.with_data();
  b.value(0, 4096) = 3, b.value(0, 4096 + chunk_bytes - 4) = 5, b.value(1, 0) = 4;
  b.core.post(0, sender(1, {{}, {1, 0, stride}}), 1000);
  b.core.post(1, receiver(1, {{0, 1, 0}}, {0}), 1000);
  CHECK(b.core.next() == 1000);
  b.core.run_until(never - 1);
  CHECK(b.done[0] == 1000 + 1'000'000);  // read
  CHECK(b.done[1] == 1000 + 2'000'000);  // there, and added as it comes
  CHECK((b.value(1, 8192) == 3 && b.value(1, 8192 + chunk_bytes - 4) == 5 && b.value(1, 0) == 7));
  CHECK((b.writes.empty() && b.core.waiting().empty() && b.core.next() == never));
}

TEST_CASE("machine host: a chunk of another host is added in the time to read it", "[pure][machines]") {
  Bench b(2);
  b.core.post(0, receiver(1, {{GpuConnection::by_nic, 6, 0}}, {}), 1000);
  b.core.run_until(1000);
  b.core.arrived(6, 0, 50'000);
  b.core.run_until(never - 1);
  CHECK(b.done[0] == 50'000 + 500'000);  // 100 kB at 200 GB/s
}

TEST_CASE("machine host: two GPUs that send to a third share its way in", "[pure][machines]") {
  Bench b(3);
  HostGpuProgram first = sender(2, {{}, {}, {2, 0, 2 * stride}}), second = sender(2, {{}, {}, {2, 1, 2 * stride}});
  second.before.commands[0].send->command = 1;
  b.core.post(0, std::move(first), 0);
  b.core.post(1, std::move(second), 0);
  b.core.post(2, receiver(2, {{0, 2, 0}, {1, 2, stride}}, {0, 1}), 0);
  b.core.run_until(1'500'000);
  CHECK((b.done[0] == 1'000'000 && b.done[1] == never));
  CHECK(b.core.waiting().size() == 2);  // both commands of GPU 2
  b.core.run_until(never - 1);
  CHECK((b.done[1] == 2'000'000 && b.done[2] == 3'000'000));
}

TEST_CASE("machine host: what goes over the NIC has addresses of the hosts' memories", "[pure][machines]") {
  Bench b(3);
  b.core.post(1, sender(0, {{GpuConnection::by_nic, 9, 5 * stride}}), 700);
  b.core.run_until(700);
  REQUIRE(b.writes.size() == 1);
  CHECK((b.writes[0].pair == 9 && b.writes[0].when == 700));
  CHECK(b.writes[0].request.local == stride + 4096);       // of GPU 1
  CHECK(b.writes[0].request.remote == 5 * stride + 8192);  // of GPU 5 there
  CHECK((b.writes[0].request.bytes == chunk_bytes && b.writes[0].request.immediate == 0));
  CHECK(b.done[1] == never);
  b.core.completed(9, 0, 30'000);
  b.core.run_until(30'000);
  CHECK(b.done[1] == 30'000);
}

TEST_CASE("machine host: the NIC's news go to the GPU whose queue pair it is", "[pure][machines]") {
  Bench b(2);
  b.core.post(0, receiver(1, {{GpuConnection::by_nic, 3, 0}}, {}), 0);
  b.core.post(1, receiver(1, {{GpuConnection::by_nic, 5, 0}}, {}), 0);
  b.core.run_until(0);
  CHECK(b.core.waiting() ==
        std::vector<std::string>{"gpu0.rank: command 0 of 1 waits for its chunk from endpoint 0",
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
