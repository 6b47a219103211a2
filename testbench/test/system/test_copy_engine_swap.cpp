// A user's copy engine, bound from outside: half the rate, two concurrent copies.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "testbench/harness/stream_gpu_star.h"
#include "testbench/test/harness/slow_engine.h"

namespace tributary::test_copy_engine_swap {
namespace {

constexpr Tick flit = 640, token = 2 * flit + 20'000, launch = 2'500'000, release = 1'500'000, acquire = 1'000'000;
constexpr std::uint64_t bytes_each = 1 << 20;

}  // namespace

TEST_CASE("copy engine: a user's engine at half the rate with two concurrent copies may be bound from outside", "[block]") {
  StreamGpuParams params;
  params.copy.engines = 1;
  params.kernel.rate = 260_GBps;
  params.nvlink.rate = 25_GBps;
  StreamGpu::Parts outside;
  outside.outside_engines = true;
  StreamGpuStar model("model", 4, params, {}, 2 * bytes_each), own("own", 4, params, outside, 2 * bytes_each);
  SlowEngine engine("engine", launch, flit);
  own.gpu(0).engine_commands[0].bind(engine.commands);
  engine.wire.bind(own.gpu(0).engine_wires[0]);
  engine.memory.bind(own.gpu(0).memory_module().socket);

  const Tick wire = (bytes_each / 16 + bytes_each / 256) * flit;
  const Tick last_burst = (bytes_each / 256 % 15) * 17 * flit;
  const Tick slow = 2 * wire - last_burst;  // after each burst at half the rate there is a gap, except after the last one
  const Tick around = launch + release + token + acquire;
  for (StreamGpuStar* star : {&model, &own}) {
    StreamProgramBuilder programs[4];
    for (unsigned peer = 1; peer <= 3; ++peer) {
      programs[0].copy(peer, peer, 0, 7, bytes_each).record(peer, peer, 0);
      programs[peer].wait(0, 0, 1, 0);
    }
    for (std::uint64_t i = 0; i < bytes_each; ++i) star->gpu(0).memory()[i] = static_cast<std::byte>(i * 13 >> 3);
    const Tick start = sc_core::sc_time_stamp().value() + 5'000'000;
    for (unsigned gpu = 0; gpu < 4; ++gpu) star->gpu(gpu).post(programs[gpu].program(), start);
    sc_core::sc_start();
    std::vector<Tick> took;
    for (unsigned peer = 1; peer <= 3; ++peer) {
      took.push_back(star->finished().when(peer) - start);
      CHECK(std::memcmp(star->gpu(peer).memory() + 7, star->gpu(0).memory(), bytes_each) == 0);
    }
    // the model's engine: one copy after another; the user's: two concurrently and then the third
    const Tick model_copy = launch + wire, own_copy = launch + slow;
    if (star == &model)
      CHECK(took == std::vector<Tick>{around + wire, around + wire + model_copy, around + wire + 2 * model_copy});
    else
      CHECK(took == std::vector<Tick>{around + slow, around + slow, around + slow + own_copy});
    CHECK(star->gpu(0).waiting().empty());
    CHECK(star->packets().live() == 0);
  }
}

TEST_CASE("copy engines: parameters without a value are named", "[block]") {
  StreamGpuParams params;
  params.copy.engines = 1;
  CHECK_THROWS_WITH(StreamGpuStar("kernels", 2, params, {}, 1 << 20),
                    Catch::Contains("blink.kernel.rate (StreamGpuCore::Config::params) is automatic and has no value"));
  params.kernel.rate = 260_GBps;
  CHECK_THROWS_WITH(StreamGpuStar("links", 2, params, {}, 1 << 20), Catch::Contains("the rate of port0 (blink.nvlink.rate"));
}

}  // namespace tributary::test_copy_engine_swap
