#include "testbench/codegen/nccl_generations.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

namespace tributary::nccl {
namespace {

constexpr std::array<double, 12> speeds_70{40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4},
    speeds_90{60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3, 0}, speeds_100{90, 80, 70, 60, 50, 40, 30, 24, 20, 15, 12, 0};

// topo.h, search.cc, nvls.cc and tuning.cc of NCCL 2.21 to 2.29.
constexpr Generation generations[] = {
    {70, 20.0, speeds_70, 0, 0, 0, 39.0, {20, 20, 20}, {20, 20, 20}, {26.5, 18.5, 10}},
    {80, 20.0, speeds_70, 0, 0, 0, 87.7, {20, 20, 20}, {20, 20, 20}, {24, 23.6, 17.8}},
    {90, 20.6, speeds_90, 16, 0.85, 60, 141.0, {36.7, 36.7, 36.7}, {36.7, 36.7, 29}, {38.7, 41.4, 36}},
    {100, 40.1, speeds_100, 24, 0.74, 96, 282.0, {34.5, 34.6, 34.5}, {55.6, 31.7, 20}, {70, 42.8, 24}},
};
constexpr double duplicated_from = 25.0;    // search.cc: a faster channel becomes two
constexpr unsigned searched_channels = 16;  // search.cc: MAXCHANNELS / 2

unsigned whole(double x) { return static_cast<unsigned>(std::floor(x)); }

}  // namespace

const Generation& generation(unsigned capability) {
  const auto next = std::find_if(std::begin(generations), std::end(generations),
                                 [&](const Generation& g) { return g.capability > capability; });
  if (next == std::begin(generations))
    throw std::invalid_argument("NCCL's tuner has no constants for compute capability " + std::to_string(capability) +
                                " (legal: at least " + std::to_string(generations[0].capability) + ")");
  return *std::prev(next);
}

double nvlinks(const System& system) { return system.links * generation(system.capability).link; }

GraphChannels ring_channels(const System& system) {
  const Generation& g = generation(system.capability);
  GraphChannels best;
  for (const double speed : g.speeds) {
    if (speed == 0) break;
    const GraphChannels found{std::min(whole(nvlinks(system) / speed), searched_channels), speed};
    if (found.total() > best.total()) best = found;
  }
  if (best.rate >= duplicated_from) best = {2 * best.channels, best.rate / 2};
  // connect.cc duplicates the rings again up to Hopper.
  return g.capability < 100 ? GraphChannels{2 * best.channels, best.rate / 2} : best;
}

}  // namespace tributary::nccl
