/// The fluid engine compared with SimGrid (Debian's libsimgrid-dev): 200 random graphs of links with flows that begin
/// at random times. SimGrid solves max-min fairness independently (model CM02 without latencies, cross traffic and
/// factors of TCP). Prints the maximum difference of the flows' ends; exit code 1 if it exceeds 1e-6.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "testbench/collective/fluid/fluid_run.h"

namespace sg4 = simgrid::s4u;
using namespace tributary::collective;

namespace {

struct Flow {
  std::vector<std::uint32_t> links;
  double bytes = 0, start = 0;  // seconds
};
struct Scene {
  std::vector<double> rates;
  std::vector<Flow> flows;
};

/// 200 disjoint graphs in one platform, because SimGrid has one platform per process.
Scene random_scene() {
  std::mt19937 random(1);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  Scene scene;
  for (int graph = 0; graph < 200; ++graph) {
    const auto first = static_cast<std::uint32_t>(scene.rates.size());
    const unsigned links = 2 + below(8), flows = 2 + below(30);
    for (unsigned l = 0; l < links; ++l) scene.rates.push_back((1 + below(100)) * 1e8);
    for (unsigned f = 0; f < flows; ++f) {
      Flow flow;
      for (unsigned l = 0; l < links; ++l)
        if (below(3) == 0) flow.links.push_back(first + l);
      if (flow.links.empty()) flow.links.push_back(first + below(links));
      flow.bytes = 1e6 * (1 + below(1000));
      flow.start = 1e-3 * below(500);
      scene.flows.push_back(flow);
    }
  }
  return scene;
}

std::vector<double> ends_of_simgrid(const Scene& scene, int* argc, char** argv) {
  sg4::Engine engine(argc, argv);
  for (const char* setting :
       {"network/model:CM02", "network/crosstraffic:0", "network/latency-factor:1", "network/TCP-gamma:0",
        "network/bandwidth-factor:1", "network/weight-S:0", "maxmin/precision:1e-12", "surf/precision:1e-12",
        "network/optim:Full", "network/maxmin-selective-update:no"})
    sg4::Engine::set_config(setting);
  sg4::NetZone* zone = sg4::create_full_zone("zone");
  std::vector<sg4::Link*> links;
  for (std::size_t l = 0; l < scene.rates.size(); ++l)
    links.push_back(zone->create_link("link" + std::to_string(l), scene.rates[l])->set_latency(0)->seal());
  std::vector<double> ends(scene.flows.size(), -1);
  for (std::size_t f = 0; f < scene.flows.size(); ++f) {
    const Flow& flow = scene.flows[f];
    sg4::Host* from = zone->create_host("from" + std::to_string(f), 1e9)->seal();
    sg4::Host* to = zone->create_host("to" + std::to_string(f), 1e9)->seal();
    std::vector<sg4::LinkInRoute> route;
    for (const std::uint32_t l : flow.links) route.emplace_back(links[l]);
    zone->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, route, false);
    sg4::Actor::create("flow" + std::to_string(f), from, [&ends, &flow, f, from, to] {
      sg4::this_actor::sleep_for(flow.start);
      sg4::Comm::sendto(from, to, static_cast<std::uint64_t>(flow.bytes));
      ends[f] = sg4::Engine::get_clock();
    });
  }
  zone->seal();
  engine.run();
  return ends;
}

}  // namespace

int main(int argc, char** argv) {
  const Scene scene = random_scene();
  const std::vector<double> expected = ends_of_simgrid(scene, &argc, argv);
  ActivityGraph graph;
  for (const double rate : scene.rates) graph.add_link(rate);
  for (const Flow& flow : scene.flows) {
    Activity a;
    a.bytes = flow.bytes;
    for (const std::uint32_t l : flow.links) a.uses.push_back({l, 1});
    graph.not_before(graph.add(a), flow.start * 1e12);
  }
  FluidRun run(graph);
  run.run();
  double worst = 0;
  for (std::size_t f = 0; f < scene.flows.size(); ++f)
    worst = std::max(worst, std::abs(run.sent(static_cast<ActivityGraph::Id>(f)) * 1e-12 / expected[f] - 1));
  std::printf("%zu flows over %zu links: ends at most %.2e apart\n", scene.flows.size(), scene.rates.size(), worst);
  return worst <= 1e-6 ? 0 : 1;
}
