#include "testbench/codegen/nccl_tuner.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "modules/base/index.h"

namespace tributary::nccl {
namespace {

/// Times by protocol, us.
struct ByProtocol {
  double ll, ll128, simple;
  double of(Protocol p) const { return p == Protocol::ll ? ll : p == Protocol::ll128 ? ll128 : simple; }
};

constexpr ByProtocol ring_base{6.6, 14.0, 8.4}, ring_hop{0.6, 1.9, 3.4}, ring_network_hop{2.7, 4.0, 14.0};
constexpr ByProtocol tree_base{6.8, 14.0, 8.4}, tree_hop{0.6, 1.25, 4.0}, tree_network_hop{5.0, 8.5, 14.0};
// 2.21 counts no base for a tree with plain data, and 28 us for a hop.
constexpr double tree_base_2_21 = 0.0, tree_hop_2_21 = 28.0;
constexpr double nvls_latency = 25.0, nvls_most_heads = 32;  // NCCL_MAX_NVLS_ARITY
constexpr double ll128_share = 0.92, tree_ll_divisor = 3.8;
constexpr double post_overhead = 1.0, post_overhead_simple = 3.0;
// LL between servers crosses the memory of an Intel host.
constexpr std::array<double, 3> ll_most_servers{39.0, 39.0, 20.4};

constexpr std::size_t corrected_sizes = 23;  // 64 B to 256 MiB, by powers of two
using Correction = std::array<double, corrected_sizes>;
constexpr Correction tree_ll{1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1};
constexpr Correction tree_ll128{1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1};
constexpr Correction tree_simple{.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9};

/// Returns the largest i with 2^i <= x; 0 for 0.
unsigned log2_of(std::uint64_t x) {
  unsigned i = 0;
  while (x > 1) x /= 2, ++i;
  return i;
}

double tree_correction(Protocol protocol, Bytes size) {
  const unsigned i = log2_of(size.value / 64);
  if (i >= corrected_sizes) return 1.0;
  return (protocol == Protocol::ll ? tree_ll : protocol == Protocol::ll128 ? tree_ll128 : tree_simple)[i];
}

/// Returns the number of times that an element crosses a link of its ring.
unsigned ring_steps(Collective collective, unsigned gpus) {
  return collective == Collective::all_reduce ? 2 * (gpus - 1) : from_root(collective) ? gpus : gpus - 1;
}

}  // namespace

std::optional<Collective> collective_named(const std::string& name) {
  static constexpr std::array<std::pair<const char*, Collective>, 5> all{{{"allreduce", Collective::all_reduce},
                                                                          {"allgather", Collective::all_gather},
                                                                          {"reduce_scatter", Collective::reduce_scatter},
                                                                          {"broadcast", Collective::broadcast},
                                                                          {"reduce", Collective::reduce}}};
  for (const auto& [text, collective] : all)
    if (name == text) return collective;
  return {};
}

Tuner::Tuner(const System& system)
    : system_(system), generation_(generation(system.capability)), rings_(ring_channels(system)) {
  if (system.gpus < 2 || system.servers == 0 || system.gpus % system.servers != 0)
    throw std::invalid_argument(std::to_string(system.gpus) + " GPUs in " + std::to_string(system.servers) +
                                " servers (legal: at least 2 GPUs, as many in each server)");
  if (rings_.channels == 0)
    throw std::invalid_argument(std::to_string(system.links) + " NVLinks of a GPU have no room for a channel of NCCL");
  if (system.servers > 1 && system.network.value == 0) throw std::invalid_argument("several servers without a network");
}

bool Tuner::possible(Collective collective, Algorithm algorithm, Protocol protocol) const {
  if (algorithm == Algorithm::ring) return true;
  if (collective != Collective::all_reduce) return false;
  if (algorithm == Algorithm::tree) return true;
  const unsigned least = system_.version == Version::v2_21 ? 3 : 2;
  return generation_.nvls_channels > 0 && protocol == Protocol::simple && system_.servers == 1 && system_.gpus >= least;
}

Estimate Tuner::ring(Collective collective, Protocol protocol) const {
  const unsigned steps = ring_steps(collective, system_.gpus), servers = system_.servers;
  double rate = rings_.total();
  if (servers > 1) rate = std::min(rate, network());
  if (protocol == Protocol::ll) rate = std::min(servers == 1 ? generation_.ll_most : ll_most_servers[scale()], rate / 2);
  if (protocol == Protocol::ll128) rate = std::min(rate * ll128_share, rings_.channels * generation_.ring_ll128[scale()]);
  double latency = ring_base.of(protocol);
  if (from_root(collective)) {
    latency += servers == 1 ? ring_hop.of(protocol) : ring_network_hop.of(protocol);
  } else {
    const unsigned crossings = servers == 1 ? 0 : (collective == Collective::all_reduce ? 2 : 1) * (servers - 1);
    const double overhead = servers == 1 ? 0 : protocol == Protocol::simple ? post_overhead_simple : post_overhead;
    latency += (steps - crossings) * std::max(ring_hop.of(protocol), overhead) + crossings * ring_network_hop.of(protocol);
  }
  return {latency, rate * system_.gpus / steps};
}

Estimate Tuner::tree(Protocol protocol) const {
  const bool one = system_.servers == 1, old = system_.version == Version::v2_21 && protocol == Protocol::simple;
  double rate = rings_.total();
  if (!one) rate = std::min(rate, network() * (system_.servers == 2 ? 2 : 1));
  rate = std::min(rate * ll128_share, rings_.channels * generation_.tree_simple[scale()]);
  if (protocol == Protocol::ll)
    rate = std::min(rate / tree_ll_divisor, one ? generation_.ll_most : ll_most_servers[scale()]);
  if (protocol == Protocol::ll128)
    rate = std::min(rate * (one ? 7.0 / 9.0 : 120.0 / 128.0), rings_.channels * generation_.tree_ll128[scale()]);
  const double base = old ? tree_base_2_21 : tree_base.of(protocol), hop = old ? tree_hop_2_21 : tree_hop.of(protocol);
  return {base + 2 * ((local() - 1) * hop + log2_of(system_.servers) * tree_network_hop.of(protocol)), rate / 2};
}

/// 2.28 weighs the rate by the part of it that a load-reduce reaches. Older releases take the fastest channels of which each
/// head has one (docs/blocks/nccl_protocols.md#nvls [G]).
Estimate Tuner::nvls() const {
  const double n = system_.gpus;
  if (system_.version == Version::v2_29) {
    const double each = std::min(generation_.speeds[0] * generation_.nvls_share * 2 * (n - 1) / n, generation_.nvls_most);
    return {nvls_latency, n * each * n / (2 * (n - 1))};
  }
  const double heads = std::min(n, nvls_most_heads);
  double each = 0;
  for (const double speed : generation_.speeds)
    if (each == 0 && heads * speed <= nvlinks(system_)) each = speed;
  return {nvls_latency, each * heads * 5 / 6};
}

std::optional<Estimate> Tuner::estimate(Collective collective, Algorithm algorithm, Protocol protocol) const {
  if (!possible(collective, algorithm, protocol)) return {};
  switch (algorithm) {
    case Algorithm::ring:
      return ring(collective, protocol);
    case Algorithm::tree:
      return tree(protocol);
    case Algorithm::nvls:
      break;
  }
  return nvls();
}

std::optional<double> Tuner::time(Collective collective, Algorithm algorithm, Protocol protocol, Bytes size) const {
  const std::optional<Estimate> found = estimate(collective, algorithm, protocol);
  if (!found || found->bandwidth == 0) return {};
  double bandwidth = found->bandwidth, latency = found->latency;
  if (algorithm == Algorithm::tree) bandwidth *= tree_correction(protocol, size);
  // A ring over several servers with plain data of at least 64 B a step has a longer latency.
  if (algorithm == Algorithm::ring && protocol == Protocol::simple && system_.servers > 1 &&
      collective == Collective::all_reduce && size.value >= std::uint64_t{64} * rings_.channels * system_.gpus)
    latency *= system_.capability < 80 ? 1.9 : 1.4;
  return latency + static_cast<double>(size.value) / bandwidth / 1e3;
}

std::optional<Choice> Tuner::choose(Collective collective, Bytes size, const Allowed& allowed) const {
  std::optional<Choice> best;
  for (const Algorithm a : all_algorithms)
    for (const Protocol p : all_protocols) {
      if (!allowed.has(a) || allowed.protocol.value_or(p) != p) continue;
      const std::optional<double> t = time(collective, a, p, size);
      if (t && (!best || *t < best->time)) best = Choice{a, p, *t};
    }
  return best;
}

}  // namespace tributary::nccl
