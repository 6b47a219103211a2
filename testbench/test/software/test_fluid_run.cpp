#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "testbench/collective/fluid/fluid_run.h"

namespace tributary::test_fluid_run {

using namespace tributary::collective;

namespace {

constexpr double GBps = 1e9, ns = 1e3;

Activity over(std::uint32_t link, double bytes, double latency = 0) { return {bytes, {{link, 1}}, no_cap, latency}; }

struct Wait {
  ActivityGraph::Id later, earlier;
  Moment moment;
  double delay;
};
struct Scene {
  std::vector<double> rates;
  std::vector<Activity> activities;
  std::vector<Wait> waits;
};

Scene random_scene(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  Scene scene;
  const unsigned links = 2 + below(6), activities = 3 + below(25);
  for (unsigned l = 0; l < links; ++l) scene.rates.push_back((1 + below(20)) * GBps);
  for (unsigned a = 0; a < activities; ++a) {
    Activity activity;
    for (unsigned l = 0; l < links; ++l)
      if (below(3) == 0) activity.uses.push_back({l, 0.25 + below(8) / 4.0});
    if (activity.uses.empty() || below(4) == 0) activity.cap = (1 + below(9)) * GBps;
    activity.bytes = below(5) == 0 ? 0 : 1 + below(100'000);
    activity.latency = below(2000) * ns / 7;
    scene.activities.push_back(activity);
    for (unsigned w = below(4); w > 0 && a > 0; --w)
      scene.waits.push_back({a, static_cast<ActivityGraph::Id>(below(a)), below(2) == 0 ? Moment::sent : Moment::arrived,
                             below(3) * 100 * ns});
  }
  return scene;
}

ActivityGraph graph_of(const Scene& scene) {
  ActivityGraph graph;
  for (const double rate : scene.rates) graph.add_link(rate);
  for (const Activity& a : scene.activities) graph.add(a);
  for (const Wait& w : scene.waits) graph.after(w.later, w.earlier, w.moment, w.delay);
  return graph;
}

/// Steps to the next event of all activities, and recomputes everything at each event: the end of each activity, ps.
std::vector<double> ends_slowly(const Scene& scene) {
  const std::size_t n = scene.activities.size();
  std::vector<double> left, sent(n, -1);
  std::vector<bool> runs(n, false);
  for (const Activity& a : scene.activities) left.push_back(a.bytes);
  for (double now = 0;;) {
    double next = INFINITY;
    for (std::size_t a = 0; a < n; ++a) {
      if (sent[a] >= 0 || runs[a]) continue;
      double ready = 0;
      for (const Wait& w : scene.waits) {
        if (w.later != a) continue;
        const double end = sent[w.earlier] < 0 ? INFINITY : sent[w.earlier];
        ready = std::max(ready, end + w.delay + (w.moment == Moment::arrived ? scene.activities[w.earlier].latency : 0));
      }
      if (ready <= now) {
        if (left[a] == 0)
          sent[a] = now, next = now;
        else
          runs[a] = true;
      } else {
        next = std::min(next, ready);
      }
    }
    if (next == now) continue;  // a point in time: activities that wait for it may begin
    FairShares shares(scene.rates);
    for (std::uint32_t a = 0; a < n; ++a)
      if (runs[a]) shares.add(a, scene.activities[a].uses.data(), scene.activities[a].uses.size(), scene.activities[a].cap);
    shares.settle();
    for (std::uint32_t a = 0; a < n; ++a)
      if (runs[a]) next = std::min(next, now + left[a] / shares.rate(a) * 1e12);
    if (next == INFINITY) return sent;
    for (std::uint32_t a = 0; a < n; ++a) {
      if (!runs[a]) continue;
      const double end = now + left[a] / shares.rate(a) * 1e12;
      left[a] -= shares.rate(a) * (next - now) * 1e-12;
      if (end <= next) sent[a] = next, runs[a] = false;
    }
    now = next;
  }
}

}  // namespace

TEST_CASE("fluid run: two activities share a link until the shorter ends") {
  ActivityGraph graph;
  const auto link = graph.add_link(10 * GBps);
  const auto small = graph.add(over(link, 1000)), large = graph.add(over(link, 3000, 50 * ns));
  FluidRun run(graph);
  run.run();
  CHECK(run.sent(small) == Approx(200 * ns));  // at 5 GB/s
  CHECK(run.sent(large) == Approx(400 * ns));  // 2000 B more at 10 GB/s
  CHECK(run.arrived(large) == Approx(450 * ns));
  CHECK(run.end() == 450'000);
  CHECK(graph.link_bytes()[0] == 4000);
}

TEST_CASE("fluid run: a chain waits for the arrival, the next send of a sender only for its link") {
  ActivityGraph graph;
  const auto first = graph.add_link(1 * GBps), second = graph.add_link(1 * GBps);
  const auto a = graph.add(over(first, 100, 20 * ns)), b = graph.add(over(first, 100, 20 * ns));
  const auto passed_on = graph.add(over(second, 100, 20 * ns));
  graph.after(b, a, Moment::sent);
  graph.after(passed_on, a, Moment::arrived, 5 * ns);
  FluidRun run(graph);
  run.run();
  CHECK(run.started(b) == Approx(100 * ns));
  CHECK(run.started(passed_on) == Approx(125 * ns));
  CHECK(run.end() == 245'000);
}

TEST_CASE("fluid run: a class of equal activities lasts as long as its members") {
  ActivityGraph each, as_class;
  for (int i = 0; i < 8; ++i) each.add_link(4 * GBps);
  for (std::uint32_t i = 0; i < 16; ++i) each.add(over(i % 8, 5000, 10 * ns));
  const auto links = as_class.add_link(4 * GBps, 8);
  Activity all = over(links, 5000, 10 * ns);
  all.multiplicity = 16;
  as_class.add(all);
  FluidRun run(each), short_run(as_class);
  run.run(), short_run.run();
  CHECK(run.end() == 2'510'000);  // two on each link: 10 000 B at 4 GB/s, and 10 ns
  CHECK(short_run.end() == run.end());
  CHECK(as_class.link_bytes()[0] == each.link_bytes()[3]);
}

TEST_CASE("fluid run: activities that wait in a cycle are counted as stuck") {
  ActivityGraph graph;
  const auto link = graph.add_link(GBps);
  const auto a = graph.add(over(link, 1)), b = graph.add(over(link, 1));
  graph.after(a, b, Moment::sent);
  graph.after(b, a, Moment::sent);
  FluidRun run(graph);
  run.run();
  CHECK(run.stuck() == 2);
  CHECK_FALSE(run.ended(a));
}

TEST_CASE("fluid run: invalid activities are rejected") {
  ActivityGraph graph;
  CHECK_THROWS_WITH(graph.add_link(0), "fluid: a link needs a rate and a multiplicity above 0");
  graph.add_link(1);
  CHECK_THROWS_WITH(graph.add(over(1, 5)), "fluid: unknown link 1");
  CHECK_THROWS_WITH(graph.add({5, {}}), "fluid: an activity with bytes needs a link or a cap");
  CHECK_THROWS_WITH(graph.add({5, {{0, 1}, {0, 2}}}), "fluid: link 0 is listed twice");
  CHECK_THROWS_WITH(graph.add({-1, {{0, 1}}}), "fluid: an activity with a negative number");
  CHECK_THROWS_WITH(graph.after(0, 0, Moment::sent), "fluid: unknown activity 0");
}

TEST_CASE("fluid run: 200 random graphs end as when everything is recomputed at each event") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const Scene scene = random_scene(seed);
    const ActivityGraph graph = graph_of(scene);
    FluidRun run(graph);
    run.run();
    REQUIRE(run.stuck() == 0);
    const std::vector<double> expected = ends_slowly(scene);
    for (ActivityGraph::Id a = 0; a < expected.size(); ++a) {
      INFO("seed " << seed << ", activity " << a);
      CHECK(std::abs(run.sent(a) - expected[a]) <= 2 + 1e-9 * expected[a]);  // events within half a picosecond count as one
    }
    FluidRun again(graph);
    again.run();
    CHECK(again.end() == run.end());
  }
}

TEST_CASE("fluid run: activities of a lane run one after another, in the order of readiness, instead of sharing the link") {
  ActivityGraph graph;
  const auto link = graph.add_link(1 * GBps), other = graph.add_link(1 * GBps);
  Activity sends = over(link, 100);
  sends.lane = 0;
  const auto first = graph.add(sends), last = graph.add(sends), second = graph.add(sends);
  graph.not_before(second, 10 * ns);
  graph.not_before(last, 20 * ns);
  const auto beside = graph.add(over(other, 100));
  FluidRun run(graph);
  run.run();
  CHECK(run.sent(first) == Approx(100 * ns));
  CHECK(run.sent(beside) == Approx(100 * ns));
  CHECK(run.started(second) == Approx(100 * ns));
  CHECK(run.sent(second) == Approx(200 * ns));
  CHECK(run.sent(last) == Approx(300 * ns));
}

// Steps of a chunk on each link, one after another: 126 x (1 MiB / 15.06 GB/s + 150 ns). SimGrid 3.32 has 8791.85 us.
TEST_CASE("fluid run: a ring of 64 hosts takes 8791.9 us for 64 MiB at 15.06 GB/s and 150 ns per hop", "[pure][fluid]") {
  constexpr std::uint32_t hosts = 64, steps = 2 * (hosts - 1);
  constexpr double chunk = 1 << 20;
  ActivityGraph graph;
  for (std::uint32_t h = 0; h < hosts; ++h) graph.add_link(15.06 * GBps);
  for (std::uint32_t s = 0; s < steps; ++s)
    for (std::uint32_t h = 0; h < hosts; ++h) {
      const ActivityGraph::Id send = graph.add(over(h, chunk, 150 * ns));
      if (s > 0) graph.after(send, send - hosts - (h == 0 ? 1 - hosts : 1), Moment::arrived);  // previous host
    }
  FluidRun run(graph);
  run.run();
  CHECK(run.stuck() == 0);
  CHECK(run.seconds() == Approx(8791.9e-6).epsilon(1e-5));
  CHECK(run.seconds() == Approx(steps * (chunk / 15.06e9 + 150e-9)).epsilon(1e-9));
}

}  // namespace tributary::test_fluid_run
