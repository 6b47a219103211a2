// Tests random traffic on a link with errors: invariants, and the rate of errors.
#include <catch2/catch.hpp>
#include <cmath>

#include "modules/base/random.h"
#include "testbench/test/harness/faulty_link_bench.h"

namespace tributary::test_link_retransmission_random {
namespace {

using Bench = FaultyLinkBench;

}  // namespace

TEST_CASE("with random bit errors each packet is delivered once and in order, for steps of any size", "[pure][link][llr]") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    LinkRetransmission::Config c = link_faults({seed % 5, 20}, {seed % 7, 21}, seed % 3 == 0 ? 9 : seed % 3 == 1 ? 40 : 82);
    c.bit_error_rate = seed % 4 == 0 ? 1e-3 : 1e-4;
    c.seed = seed;
    const auto deliveries = [&](Tick step) {
      Bench b(c, 60);
      b.give_back = true;
      for (std::uint64_t i = 0; i < 200; ++i)
        b.push(random_at(seed, 1, i) % 2, i * 3000, static_cast<unsigned>(below(random_at(seed, 3, i), 129)));
      for (Tick t = 0; t < 100'000'000 && !(t > 2'000'000 && b.tx.quiescent()); t += step) b.run(t + step - 1);
      REQUIRE(b.tx.quiescent());
      REQUIRE(b.once_and_in_order());
      REQUIRE(b.pool.live() == 0);
      REQUIRE(b.count("crc_errors") >= 1);
      return b.delivered;
    };
    REQUIRE(deliveries(100'000'000) == deliveries(7'777));
  }
}

TEST_CASE("the error rate of packets follows from their bits", "[pure][link][llr]") {
  // Expects 1 - (1 - ber)^bits with 128 bits per flit, within four standard deviations.
  for (const auto& [ber, payload] :
       std::vector<std::pair<double, unsigned>>{{1e-4, 128}, {1e-4, 0}, {1e-3, 128}, {1e-5, 64}}) {
    LinkRetransmission::Config c = link_faults({});
    c.bit_error_rate = ber;
    c.seed = 7;
    Bench b(c, 1'000'000);
    for (unsigned i = 0; i < 20'000; ++i) b.push(0, i * Tick{10'000'000}, payload);  // too far apart to interact
    b.run(never - 1);
    const double bits = 128.0 * NvLink::flits_for(payload), p = 1 - std::pow(1 - ber, bits);
    const auto sent = static_cast<double>(b.tx.traffic().bytes / (NvLink::flits_for(payload) * NvLink::flit_bytes));
    const auto wrong = static_cast<double>(b.count("crc_errors"));
    CHECK(std::abs(wrong - p * sent) < 4 * std::sqrt(sent * p * (1 - p)));
    CHECK(b.count("retransmissions") == b.count("crc_errors"));
  }
}

TEST_CASE("without errors the protocol changes nothing", "[pure][link][llr]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto deliveries = [&](const LinkRetransmission::Config* protection) {
      Bench b(protection, 30);
      b.give_back = true;
      for (std::uint64_t i = 0; i < 200; ++i)
        b.push(random_at(seed, 1, i) % 2, i * 2000, static_cast<unsigned>(below(random_at(seed, 3, i), 129)));
      b.run(1'000'000'000);
      REQUIRE(b.once_and_in_order());
      return b.delivered;
    };
    const LinkRetransmission::Config c =
        link_faults({}, {}, replay_flits(LinkParams{}, {NvLink::flit_bytes, NvLink::max_packet_flits}));
    REQUIRE(deliveries(&c) == deliveries(nullptr));
  }
}

}  // namespace tributary::test_link_retransmission_random
