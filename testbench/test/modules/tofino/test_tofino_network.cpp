// Workers of SwitchML, SwitchML-RDMA and ATP at a programmable switch: rates by arithmetic, sums, loss.
#include <catch2/catch.hpp>
#include <cmath>

#include "testbench/test/harness/tofino_bench.h"

namespace tributary::test_tofino_network {
namespace {

constexpr Tick us = TofinoBench::us;
constexpr AggregationScheme schemes[] = {AggregationScheme::switchml, AggregationScheme::switchml_rdma,
                                         AggregationScheme::atp};

TofinoBench::Config config(AggregationScheme scheme, std::uint64_t bytes) {
  TofinoBench::Config c;
  c.scheme = scheme;
  c.bytes = bytes;
  c.worker.timeout = 100 * us;
  c.worker.queue = 1;
  c.worker.slots = 16;
  c.worker.payload = 128;
  c.worker.scale = 1024;
  c.worker.shared_exponent = scheme != AggregationScheme::atp;
  if (scheme == AggregationScheme::atp) c.worker.payload = 256;
  if (scheme == AggregationScheme::switchml_rdma) c.worker.payload = 1024;
  return c;
}

/// Returns the rate of values in Gb/s in the middle of a run, from the additional time of a run of twice the size.
double rate(TofinoBench::Config c) {
  c.with_data = false;
  c.worker.shared_exponent = false;
  c.aggregators = 20000;
  c.worker.timeout = never;
  Tick times[2];
  for (const unsigned half : {0u, 1u}) {
    TofinoBench::Config size = c;
    size.bytes = c.bytes * (half + 1);
    TofinoBench bench(size);
    CHECK(bench.run(100'000 * us));
    times[half] = bench.finished;
  }
  return static_cast<double>(c.bytes) * 8 / static_cast<double>(times[1] - times[0]) * 1000;
}

}  // namespace

TEST_CASE("Tofino: SwitchML is bound by the wire or by the software", "[pure]") {
  TofinoBench::Config c = config(AggregationScheme::switchml, 512 << 10);
  c.workers = 6;
  c.worker.slots = 1024;
  CHECK(rate(c) == Approx(100 * 128.0 / 203).epsilon(0.002));  // 63.1 %
  c.worker.packet_time = 31'300;
  CHECK(rate(c) == Approx(32.7).epsilon(0.005));
}

TEST_CASE("Tofino: SwitchML over RDMA is bound by the wire or by its window", "[pure]") {
  TofinoBench::Config c = config(AggregationScheme::switchml_rdma, 2 << 20);
  c.workers = 6;
  c.worker.slots = 1024;
  CHECK(rate(c) == Approx(100 * 1024.0 / 1126).epsilon(0.002));  // 90.9
  c.worker.slots = 82;
  c.worker.receive_latency = 3'800'000;
  CHECK(rate(c) == Approx(82 * 1024 * 8 / 8100.0).epsilon(0.005));  // 82.9: 8.1 us round trip
}

TEST_CASE("Tofino: ATP needs two passages, so it runs at half the line rate", "[pure]") {
  TofinoBench::Config c = config(AggregationScheme::atp, 1 << 20);
  c.workers = 6;
  c.worker.slots = 256;
  CHECK(rate(c) == Approx(50 * 256.0 / 324).epsilon(0.005));  // 39.5
}

TEST_CASE("Tofino: round trips of a worker with a long queue", "[pure]") {
  TofinoBench::Config c = config(AggregationScheme::switchml, 16384 * 128);
  c.workers = 2;
  c.with_data = c.worker.shared_exponent = false;
  c.worker.slots = 1024;
  c.worker.queue = 2000;
  c.worker.packet_time = 31'300;
  TofinoBench bench(c);
  REQUIRE(bench.run(2000 * us));
  // 2000 x 31.3 ns, except for the first 2000, which wait for half of that on average.
  const double full = 2000 * 31'300.0, mean = full * (16384 - 1000) / 16384;
  CHECK(bench.hosts[0]->worker->window().mean_round_trip() == Approx(mean).epsilon(0.06));
}

TEST_CASE("Tofino: sums are exact, whatever the size", "[pure]") {
  for (const AggregationScheme scheme : schemes)
    for (const std::uint64_t bytes : {4u, 128u, 2048u, 20000u})
      for (const unsigned workers : {1u, 2u, 5u}) {
        TofinoBench::Config c = config(scheme, bytes);
        c.workers = workers;
        TofinoBench bench(c);
        CHECK(bench.run(1000 * us));
        CHECK(bench.failure.empty());
        CHECK(bench.wrong() == 0);
        const std::uint64_t chunks = (bytes + c.worker.payload - 1) / c.worker.payload;
        const std::uint64_t lead = c.worker.shared_exponent ? std::min<std::uint64_t>(16, chunks) : 0;
        CHECK(bench.switching->counters().updates == workers * (chunks + lead));
        CHECK(bench.switching->waiting().empty());
        CHECK(bench.slots.core->waiting().empty());
        CHECK(bench.aggregators.core->taken() == 0);
      }
}

TEST_CASE("Tofino: a lost update and a lost result of SwitchML", "[pure]") {
  for (const unsigned link : {2u, 3u}) {  // the links of worker 1: up, down
    TofinoBench bench(config(AggregationScheme::switchml, 4096));
    bench.faults[link]->drop(20);
    CHECK(bench.run(1000 * us));
    CHECK(bench.wrong() == 0);
    const auto count = [&](PoolTransaction::Answer a) { return bench.slots.answers[static_cast<unsigned>(a)]; };
    CHECK(count(PoolTransaction::Answer::completed) == 32 + 16);
    CHECK(count(PoolTransaction::Answer::stored) == 3 * (32 + 16));  // each is added once
    CHECK(count(PoolTransaction::Answer::answered) >= (link == 3 ? 1 : 0));
    CHECK(bench.hosts[1]->worker->window().resendings() == 1);
    CHECK(bench.finished > 100 * us);
  }
}

TEST_CASE("Tofino: chunks of ATP whose aggregator is occupied go to the server", "[pure]") {
  TofinoBench::Config c = config(AggregationScheme::atp, 64 << 10);
  c.index = AggregatorIndex::chunk;
  c.aggregators = 16;
  c.worker.slots = 32;
  TofinoBench bench(c);
  REQUIRE(bench.run(20'000 * us));
  CHECK(bench.wrong() == 0);
  const std::uint64_t collided = bench.aggregators.answers[static_cast<unsigned>(AggregatorTransaction::Answer::collided)];
  CHECK(collided > 100);
  CHECK(bench.switching->counters().to_server > 256 + collided / 2);
}

TEST_CASE("Tofino: ATP requests float32 if int32 is too small", "[pure]") {
  TofinoBench::Config c = config(AggregationScheme::atp, 2560);
  TofinoBench bench(c);
  for (unsigned w = 0; w < c.workers; ++w) bench.set_operand(w, 70, 1e9f);  // exceed 32 bits when multiplied by 1024
  bench.set_operand(2, 200, 1e9f);                                          // exceeds them for one worker
  REQUIRE(bench.run(5000 * us));
  CHECK(bench.failure.empty());
  for (unsigned w = 0; w < c.workers; ++w) {
    CHECK(bench.result(w, 70) == 4e9f);
    CHECK(bench.result(w, 200) == 1e9f + bench.operand(0, 200) + bench.operand(1, 200) + bench.operand(3, 200));
    CHECK(bench.result(w, 71) == bench.operand(0, 71) + bench.operand(1, 71) + bench.operand(2, 71) + bench.operand(3, 71));
  }
}

TEST_CASE("Tofino: SwitchML refuses values that exceed its scale", "[pure]") {
  TofinoBench::Config c = config(AggregationScheme::switchml, 1024);
  c.worker.shared_exponent = false;
  TofinoBench bench(c);
  bench.set_operand(3, 100, 1e9f);
  bench.run(50 * us);
  CHECK_THAT(bench.failure, Catch::Contains("chunk 3") && Catch::Contains("4 workers"));
}

TEST_CASE("Tofino: with shared exponents the error is half a unit for each worker", "[pure]") {
  TofinoBench::Config c = config(AggregationScheme::switchml, 16 << 10);
  TofinoBench bench(c);
  const auto value = [](unsigned w, std::uint64_t i) {
    const auto unit = static_cast<double>(random_at(7, w, i) >> 11) * 0x1p-53 - 0.5;
    return static_cast<float>(
        std::ldexp(unit, static_cast<int>(i / 32 % 60) - 30));  // values of a chunk have similar magnitudes
  };
  for (unsigned w = 0; w < c.workers; ++w)
    for (std::uint64_t i = 0; i < c.bytes / 4; ++i) bench.set_operand(w, i, value(w, i));
  REQUIRE(bench.run(1000 * us));
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < c.bytes / 4; ++i) {
    double sum = 0;
    for (unsigned w = 0; w < c.workers; ++w) sum += value(w, i);
    const double unit = std::ldexp(1.0, static_cast<int>(i / 32 % 60) - 31 + 2 - 30);  // 2 bits for four workers
    wrong += std::abs(bench.result(0, i) - sum) > c.workers * unit / 2 + std::abs(sum) * 0x1p-24;
    wrong += bench.result(3, i) != bench.result(0, i);
  }
  CHECK(wrong == 0);
}

TEST_CASE("Tofino: random loss, damage and duplicates, 200 seeds", "[pure]") {
  for (const AggregationScheme scheme : schemes) {
    std::uint64_t resent = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      TofinoBench::Config c = config(scheme, 0);
      c.bytes = 40 * c.worker.payload + 4;
      c.workers = 2 + seed % 4;
      c.worker.slots = 1 + static_cast<std::uint32_t>(seed % 7);
      c.worker.timeout = 15 * us;
      c.aggregators = 1 + static_cast<std::uint32_t>(seed % 9);
      c.index = seed % 2 != 0 ? AggregatorIndex::job : AggregatorIndex::chunk;
      c.seed = seed;
      c.faults_per_mille = 10 + static_cast<unsigned>(seed % 5) * 30;
      TofinoBench bench(c);
      INFO("scheme " << static_cast<int>(scheme) << ", seed " << seed);
      REQUIRE(bench.run(20'000 * us));
      REQUIRE(bench.failure.empty());
      REQUIRE(bench.wrong() == 0);
      for (unsigned w = 0; w < c.workers; ++w) resent += bench.hosts[w]->worker->window().resendings();
    }
    CHECK(resent > 1000);
  }
}

}  // namespace tributary::test_tofino_network
