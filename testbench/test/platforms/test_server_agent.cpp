/// ServerAgentCore, and GpuLinks: the links among the GPUs of a host.
#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "platforms/netreduce/gpu_links.h"
#include "platforms/netreduce/server_agent_core.h"

namespace tributary::test_server_agent {
namespace {

struct Writes : Verbs {
  void post_write(unsigned queue_pair, const WriteRequest& request, Tick when) override {
    all.push_back({queue_pair, request, when});
  }
  unsigned outstanding(unsigned) const override { return 0; }
  struct Write {
    unsigned pair;
    WriteRequest request;
    Tick when;
  };
  std::vector<Write> all;
};

ServerPlan plan_of(std::size_t workers, std::uint32_t bytes) {
  ServerPlan plan;
  for (std::size_t w = 0; w < workers; ++w) plan.workers.push_back({static_cast<unsigned>(w), 1000 * w});
  plan.slices = {{0, bytes, 1}, {bytes, bytes, 3}};
  plan.buffer_bytes = bytes;
  return plan;
}

HostParams adding_at(Bandwidth rate) {
  HostParams params;
  params.reduction_rate = rate;
  return params;
}

}  // namespace

TEST_CASE("gpu links: a transfer takes bytes over rate, and a hop", "[machines]") {
  HostParams params;
  params.intra_rate = 100_GBps;
  params.hop = 1_us;
  GpuLinks links(params, 3);
  const GpuLinks::Transfer first = links.send(0, 1, 100000, 5);
  CHECK(first.read == 1'000'005);
  CHECK(first.arrived == 2'000'005);
  CHECK(links.send(0, 2, 100000, 5).read == 2'000'005);  // one after another out of GPU 0
  CHECK(links.send(1, 0, 100000, 5).read == 1'000'005);  // the other direction is free
  CHECK(links.send(1, 2, 100000, 5).read == 3'000'005);  // into GPU 2, after the transfer of GPU 0
  links.reset();
  CHECK(links.send(1, 2, 100000, 0).read == 1'000'000);
}

TEST_CASE("server agent: the sum is sent to all workers when the last operand has been added", "[machines]") {
  Writes nic;
  ServerAgentCore server(adding_at(100_GBps), nic);
  const ServerPlan plan = plan_of(3, 1000);
  std::vector<float> memory(plan.memory_bytes() / sizeof(float));
  server.set_memory(reinterpret_cast<std::byte*>(memory.data()));
  server.post(plan);
  for (const std::size_t worker : {2u, 0u, 1u}) {  // in order of arrival
    const float value = static_cast<float>(worker + 1);
    for (std::size_t i = 0; i < 250; ++i) memory[plan.buffer(worker, 1) / 4 + i] = value;
    CHECK(nic.all.empty());
    server.arrived(static_cast<unsigned>(worker), 1, 1000);
  }
  CHECK(server.next() == 1000 + 2 * 10'000);  // two additions of 10 ns each
  server.run_until(100'000);
  REQUIRE(nic.all.size() == 3);
  for (std::size_t w = 0; w < 3; ++w) {
    CHECK(nic.all[w].pair == w);
    CHECK(nic.all[w].when == 21'000);
    CHECK(nic.all[w].request.remote == 1000 * w + 1000);
    CHECK(nic.all[w].request.immediate == 3);
    CHECK(nic.all[w].request.bytes == 1000);
    for (std::size_t i = 0; i < 250; ++i) CHECK(memory[nic.all[w].request.local / 4 + i] == 6);
  }
}

TEST_CASE("server agent: reports whose operands and acknowledgements are missing", "[machines]") {
  Writes nic;
  ServerAgentCore server(adding_at(100_GBps), nic);
  server.post(plan_of(3, 1000));
  CHECK(server.waiting().empty());
  server.arrived(1, 0, 10);
  CHECK(server.waiting() == std::vector<std::string>{"server: slice 0: 1 of 3 operands, missing ranks 0 2"});
  CHECK_THROWS_AS(server.arrived(1, 0, 20), std::logic_error);
  server.arrived(0, 0, 30);
  server.arrived(2, 0, 40);
  server.run_until(never - 1);
  server.completed(0, 0, 100'000);
  CHECK(server.waiting() == std::vector<std::string>{"server: slice 0: its sum is acknowledged by 1 of 3 ranks"});
  server.completed(1, 0, 100'000);
  server.completed(2, 0, 100'000);
  CHECK(server.waiting().empty());
}

}  // namespace tributary::test_server_agent
