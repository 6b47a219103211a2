/// Eqs. (1) to (6) of Liu et al., ASPLOS 2023, at the points named in their text and figures.

#include <catch2/catch.hpp>
#include <cmath>

#include "testbench/collective/cost_equations.h"

namespace tributary::test_cost_equations {

using namespace tributary::collective;
using Catch::Matchers::WithinRel;

namespace {

constexpr double MB = 1e6, ms = 1e-3;

struct Point {
  double bytes;
  int gpus;
  double intra_rate, step_time;
  double ring, tencent, parallel;  // milliseconds
};

MachineCost machine(const Point& p) { return {p.gpus, 8, p.intra_rate, 12.5e9, p.step_time}; }

/// Time of the stages rank by rank, as described in the text.
double staged_parallel_netreduce(const MachineCost& m, double bytes) {
  const double n = m.gpus_per_machine, alpha = m.step_time;
  const double half = (n - 1) * (alpha + bytes / n / m.intra_rate);
  return half + (alpha + bytes / m.inter_rate) + half;
}

}  // namespace

TEST_CASE("Cost equations: ring, tencent and parallel NetReduce have the calculated times", "[pure]") {
  const Point points[] = {
      {100 * MB, 32, 150e9, 1e-6, 15.562, 14.3553, 9.1817},       {100 * MB, 32, 15.75e9, 1e-6, 15.562, 34.2442, 19.1261},
      {100 * MB, 32, 50e9, 1e-6, 15.562, 19.022, 11.515},         {100 * MB, 32, 100e9, 1e-6, 15.562, 15.522, 9.765},
      {100 * MB, 128, 150e9, 1e-6, 16.129, 17.3793, 9.1817},      {100 * MB, 1024, 150e9, 1e-6, 18.0304, 18.4783, 9.1817},
      {100 * MB, 1024, 15.75e9, 1e-6, 18.0304, 38.3672, 19.1261}, {100 * MB, 2048, 150e9, 1e-6, 20.0862, 18.7968, 9.1817},
      {1 * MB, 32, 150e9, 1e-6, 0.217, 0.1653, 0.1067},           {10 * MB, 32, 150e9, 1e-6, 1.612, 1.4553, 0.9317},
      {100 * MB, 32, 150e9, 100e-6, 21.7, 16.5333, 10.6667},      {1 * MB, 32, 150e9, 100e-6, 6.355, 2.3433, 1.5917},
      {236 * MB, 32, 150e9, 1e-6, 36.642, 33.8487, 21.6483},      {528 * MB, 32, 150e9, 1e-6, 81.902, 75.702, 48.415},
      {98 * MB, 32, 150e9, 1e-6, 15.252, 14.0687, 8.9983},
  };
  for (const Point& p : points) {
    INFO(p.bytes << " B, " << p.gpus << " GPUs, " << p.intra_rate << " B/s, " << p.step_time << " s");
    const MachineCost m = machine(p);
    const double ring = flat_ring_cost(m).seconds(m, p.bytes), tencent = tencent_cost(m).seconds(m, p.bytes);
    const double parallel = parallel_netreduce_cost(m).seconds(m, p.bytes);
    CHECK_THAT(ring, WithinRel(p.ring * ms, 0.001));
    CHECK_THAT(tencent, WithinRel(p.tencent * ms, 0.001));
    CHECK_THAT(parallel, WithinRel(p.parallel * ms, 0.001));
    CHECK_THAT(parallel, WithinRel(staged_parallel_netreduce(m, p.bytes), 1e-12));
    CHECK_THAT(tencent_loss(m).seconds(m, p.bytes), WithinRel(tencent - parallel, 1e-9));
    CHECK_THAT(flat_ring_loss(m).seconds(m, p.bytes), WithinRel(ring - parallel, 1e-9));
  }
}

TEST_CASE("Cost equations: gains and bandwidth ratios have the calculated values", "[pure]") {
  const MachineCost m;
  const double M = 100 * MB;
  const double ring = flat_ring_cost(m).seconds(m, M), tencent = tencent_cost(m).seconds(m, M);
  const double parallel = parallel_netreduce_cost(m).seconds(m, M);
  CHECK_THAT(ring / parallel, WithinRel(1.695, 0.005));
  CHECK_THAT(tencent / parallel, WithinRel(1.563, 0.005));
  CHECK_THAT(sufficient_rate_ratio(m), WithinRel(64.0 / 30, 1e-12));           // 2.133; the text has 2.3
  CHECK_THAT(exact_rate_ratio(m), WithinRel(2.0 * 7 * 32 / (8 * 30), 1e-12));  // 1.867: 23.3 GB/s
  CHECK(m.intra_rate / m.inter_rate == 12);
  // The bracket of Eq. (2) as printed, 2 (n-1)/n M/(n Bi) for the first stage, would give 13.334 ms.
  const double printed = tencent - 2 * 7.0 / 8 * M / m.intra_rate + 2 * 7.0 / 8 * M / (8 * m.intra_rate);
  CHECK_THAT(printed, WithinRel(13.3345 * ms, 0.001));
}

TEST_CASE("Cost equations: at the exact ratio the bandwidth terms are equal", "[pure]") {
  for (const int n : {2, 4, 8, 16})
    for (const int gpus : {32, 128, 1024}) {
      MachineCost m{gpus, n, 0, 12.5e9, 0};
      m.intra_rate = exact_rate_ratio(m) * m.inter_rate;
      CHECK_THAT(flat_ring_cost(m).seconds_per_byte, WithinRel(parallel_netreduce_cost(m).seconds_per_byte, 1e-12));
      CHECK(exact_rate_ratio(m) < sufficient_rate_ratio(m));
    }
}

TEST_CASE("Cost equations: machines of one GPU have the time of the network alone", "[pure]") {
  const MachineCost m{6, 1, 150e9, 10e9, 1e-6};
  CHECK_THAT(parallel_netreduce_cost(m).seconds(m, 100 * MB), WithinRel(10 * ms + 1e-6, 1e-12));  // alpha + M/Be
  CHECK_THAT(tencent_cost(m).seconds(m, 100 * MB), WithinRel(flat_ring_cost(m).seconds(m, 100 * MB), 1e-12));
}

}  // namespace tributary::test_cost_equations
