#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "testbench/collective/fluid/fair_shares.h"

namespace tributary::test_fair_shares {

using namespace tributary::collective;

namespace {

struct Case {
  std::vector<double> capacities;
  std::vector<std::vector<FluidUse>> uses;
  std::vector<double> caps;
};

/// Rates by definition: repeatedly finds the lowest level at which a link is full or a cap is reached, with all sums
/// recomputed.
std::vector<double> filled_slowly(const Case& c) {
  std::vector<long double> rates(c.uses.size(), -1);
  const auto used_by = [&](std::size_t a, std::size_t link) -> long double {
    for (const FluidUse& use : c.uses[a])
      if (use.link == link) return use.weight;
    return 0;
  };
  while (std::count(rates.begin(), rates.end(), -1.0L) > 0) {
    long double lowest = INFINITY;
    for (std::size_t l = 0; l < c.capacities.size(); ++l) {
      long double left = c.capacities[l], weight = 0;
      for (std::size_t a = 0; a < rates.size(); ++a)
        rates[a] >= 0 ? left -= rates[a] * used_by(a, l) : weight += used_by(a, l);
      if (weight > 0) lowest = std::min(lowest, left / weight);
    }
    for (std::size_t a = 0; a < rates.size(); ++a)
      if (rates[a] < 0) lowest = std::min<long double>(lowest, c.caps[a]);
    std::vector<std::size_t> full;
    for (std::size_t a = 0; a < rates.size(); ++a) {
      bool ends = rates[a] < 0 && c.caps[a] <= lowest * (1 + 1e-15L);
      for (std::size_t l = 0; l < c.capacities.size() && rates[a] < 0 && !ends; ++l) {
        if (used_by(a, l) == 0) continue;
        long double left = c.capacities[l], weight = 0;
        for (std::size_t b = 0; b < rates.size(); ++b)
          rates[b] >= 0 ? left -= rates[b] * used_by(b, l) : weight += used_by(b, l);
        ends = left / weight <= lowest * (1 + 1e-15L);
      }
      if (ends) full.push_back(a);
    }
    for (const std::size_t a : full) rates[a] = lowest;
  }
  return {rates.begin(), rates.end()};
}

Case random_case(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  Case c;
  const unsigned links = 1 + below(12), activities = 1 + below(30);
  for (unsigned l = 0; l < links; ++l) c.capacities.push_back(1 + below(1000) / 7.0);
  for (unsigned a = 0; a < activities; ++a) {
    std::vector<FluidUse> uses;
    for (unsigned l = 0; l < links; ++l)
      if (below(4) == 0) uses.push_back({l, 0.1 + below(100) / 33.0});
    c.caps.push_back(uses.empty() || below(5) == 0 ? 0.5 + below(90) : no_cap);
    c.uses.push_back(uses);
  }
  return c;
}

double used(const Case& c, const FairShares& shares, std::uint32_t link) {
  double sum = 0;
  for (std::uint32_t a = 0; a < c.uses.size(); ++a)
    for (const FluidUse& use : c.uses[a])
      if (use.link == link) sum += use.weight * shares.rate(a);
  return sum;
}

void add(FairShares& shares, const Case& c, std::uint32_t a) {
  shares.add(a, c.uses[a].data(), c.uses[a].size(), c.caps[a]);
}

}  // namespace

TEST_CASE("fair shares: one link is shared evenly, and a cap leaves the rest to the others") {
  const Case c{{12}, {{{0, 1}}, {{0, 1}}, {{0, 1}}}, {no_cap, 2, no_cap}};
  FairShares shares(c.capacities);
  for (std::uint32_t a = 0; a < 3; ++a) add(shares, c, a);
  shares.settle();
  CHECK(shares.rate(0) == Approx(5));
  CHECK(shares.rate(1) == Approx(2));
  CHECK(shares.rate(2) == Approx(5));
  shares.remove(1);
  CHECK(shares.settle() == std::vector<std::uint32_t>{0, 2});
  CHECK(shares.rate(0) == Approx(6));
}

// The classic line: one long path over both links, one short path over each; the first link has the smaller capacity.
TEST_CASE("fair shares: a long path is bound by its narrow link, and the others use the remaining rate") {
  const Case c{{10, 30}, {{{0, 1}, {1, 1}}, {{0, 1}}, {{1, 1}}}, {no_cap, no_cap, no_cap}};
  FairShares shares(c.capacities);
  for (std::uint32_t a = 0; a < 3; ++a) add(shares, c, a);
  shares.settle();
  CHECK(shares.rate(0) == Approx(5));
  CHECK(shares.rate(1) == Approx(5));
  CHECK(shares.rate(2) == Approx(25));
}

// Equal payload rates: a packet of 144 B in one direction and an ack of 16 B in the other, for 128 B of payload, in both
// directions.
TEST_CASE("fair shares: weights count bytes on the wire") {
  const Case c{{25, 25}, {{{0, 1.125}, {1, 0.125}}, {{1, 1.125}, {0, 0.125}}}, {no_cap, no_cap}};
  FairShares shares(c.capacities);
  add(shares, c, 0), add(shares, c, 1);
  shares.settle();
  CHECK(shares.rate(0) == Approx(20));
  CHECK(shares.rate(1) == Approx(20));
}

TEST_CASE("fair shares: an activity that shares no link with a change keeps its rate") {
  const Case c{{1, 1}, {{{0, 1}}, {{1, 1}}, {{1, 1}}}, {no_cap, no_cap, no_cap}};
  FairShares shares(c.capacities);
  add(shares, c, 0), add(shares, c, 1);
  shares.settle();
  add(shares, c, 2);
  CHECK(shares.settle() == std::vector<std::uint32_t>{1, 2});
  CHECK(shares.rate(0) == 1);
  CHECK(shares.rate(2) == Approx(0.5));
}

TEST_CASE("fair shares: 200 random graphs have the rates of slow progressive filling, and no link exceeds its capacity") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const Case c = random_case(seed);
    FairShares shares(c.capacities);
    for (std::uint32_t a = 0; a < c.uses.size(); ++a) {
      add(shares, c, a);
      if (a % 3 == 0) shares.settle();  // settles some additions one by one, others together
    }
    shares.settle();
    const std::vector<double> expected = filled_slowly(c);
    for (std::uint32_t a = 0; a < c.uses.size(); ++a) {
      INFO("seed " << seed << ", activity " << a);
      CHECK(shares.rate(a) == Approx(expected[a]).epsilon(1e-9));
    }
    for (std::uint32_t l = 0; l < c.capacities.size(); ++l) CHECK(used(c, shares, l) <= c.capacities[l] * (1 + 1e-12));
  }
}

}  // namespace tributary::test_fair_shares
