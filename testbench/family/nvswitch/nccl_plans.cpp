#include "testbench/family/nvswitch/nccl_plans.h"

#include <algorithm>
#include <iomanip>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>

#include "testbench/codegen/channel_collectives.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/family/nvswitch/algorithms.h"
#include "testbench/family/nvswitch/p2p_plans.h"

namespace tributary {
namespace {

using nccl::Protocol;
using nccl::Version;

constexpr unsigned oldest_capability = 70, newest_of_2_4 = 79;

/// One of so many blocks needs a second packet with LL128: 15 of 16 words of a line are data.
constexpr std::uint8_t ll128_blocks = 15;

/// Returns the most of a channel with LL, GB/s (docs/blocks/nccl_protocols.md#constants [G]).
double ll_channel(unsigned capability) { return capability >= 100 ? 48 : capability >= 90 ? 24 : capability >= 80 ? 12 : 8; }

Bandwidth from_GBps(double rate) { return bytes_per_second(static_cast<std::uint64_t>(rate * 1e9)); }

void set(std::optional<Bandwidth>& rate, double GBps) {
  if (!rate) rate = from_GBps(GBps);
}

/// A block sends data with flags on as soon as it has them. A slice is what all of its threads move at once.
ChannelCut cut_of(const NcclUse& use, bool along) {
  const std::uint64_t slot = nccl::slot_data(use.choice.protocol).value;
  if (use.choice.protocol != Protocol::simple) {
    const std::uint64_t slice = use.work.threads * nccl::line_data(use.choice.protocol).value, lines = slot / slice;
    return {8 * lines, along ? 8 * lines : lines, slice, true, lines, {}};
  }
  const std::uint64_t slots = use.work.slice.value / slot;
  return {8 / slots, along ? 8 : use.work.chunk.value / use.work.slice.value, use.work.slice.value, false, 1, {}};
}

/// Sets what follows for trees from the parameters of rings: LL has the same steps on both.
void resolve_trees(NcclProtocolParams& p, const nccl::Generation& g) {
  NcclTreeParams& tree = p.tree;
  if (!tree.ll.hop) tree.ll.hop = p.ll.hop;
  if (!tree.ll128.hop) tree.ll128.hop = 1250_ns;
  if (!tree.simple.hop) tree.simple.hop = 4_us;
  if (!tree.ll.channel_rate) tree.ll.channel_rate = p.ll.channel_rate;
  if (!tree.ll.rate) tree.ll.rate = p.ll.rate;
  set(tree.ll128.channel_rate, g.tree_ll128[0]);
  set(tree.simple.channel_rate, g.tree_simple[0]);
}

const char* group_of(const NcclUse& use) {
  constexpr const char* groups[][2] = {
      {"nccl.ll", "nccl.tree.ll"}, {"nccl.ll128", "nccl.tree.ll128"}, {"nccl.simple", "nccl.tree.simple"}};
  return groups[static_cast<std::size_t>(use.choice.protocol)][use.choice.algorithm == nccl::Algorithm::tree];
}

}  // namespace

void resolve_nccl(NvSwitchPlatformParams& params, unsigned capability, unsigned links) {
  NcclProtocolParams& p = params.nccl;
  p.capability = capability, p.links = links;
  if (!p.version) p.version = capability <= newest_of_2_4 ? Version::v2_4 : Version::v2_29;
  if (p.version == Version::v2_4) return;
  if (capability < oldest_capability)
    throw std::invalid_argument("nvswitch.nccl.version: NCCL 2.21 and later have no constants for these GPUs (legal: 2.4)");
  const nccl::Generation& g = nccl::generation(capability);
  if (!p.ll.hop) p.ll.hop = p.version == Version::v2_21 ? 600_ns : 1300_ns;
  if (!p.ll128.hop) p.ll128.hop = 1900_ns;
  if (!p.simple.hop) p.simple.hop = 3400_ns;
  set(p.ll.channel_rate, ll_channel(capability));
  set(p.ll.rate, g.ll_most);
  set(p.ll128.channel_rate, g.ring_ll128[0]);
  set(p.simple.channel_rate, g.tree_simple[0]);
  resolve_p2p(params);
  resolve_trees(p, g);
}

nccl::System nccl_system(const JobSpec& job, const NvSwitchPlatformParams& params) {
  return {params.nccl.capability, params.nccl.links, static_cast<unsigned>(job.ranks.size()), 1, {}, *params.nccl.version};
}

std::optional<NcclUse> nccl_use(const JobSpec& job, Bytes message, const NvSwitchPlatformParams& params) {
  const NcclProtocolParams& p = params.nccl;
  const auto collective = nccl::collective_named(job.collective);
  if (p.version == Version::v2_4 || job.ranks.size() < 2 || !collective) return {};
  const nccl::System system = nccl_system(job, params);
  nccl::Allowed allowed{{}, p.protocol};
  if (p.algorithm) allowed.algorithms = {*p.algorithm};
  const auto choice = nccl::Tuner(system).choose(*collective, message, allowed);
  if (!choice)
    throw collective::ScheduleError("NCCL has no " + job.collective + " by " +
                                    nccl::name_of(p.algorithm.value_or(nccl::Algorithm::ring)) +
                                    (p.protocol ? " with " + nccl::name_of(*p.protocol) : "") + " on " +
                                    std::to_string(job.ranks.size()) + " of these GPUs");
  return NcclUse{*choice, nccl::work_of(system, *collective, choice->algorithm, choice->protocol, message)};
}

JobSpec carried(const JobSpec& job, Bytes message, const NvSwitchPlatformParams& params) {
  JobSpec as = job;
  if (!nvswitch_algorithm(job).channels) return as;
  const std::optional<NcclUse> use = nccl_use(job, message, params);
  if (use && use->choice.algorithm == nccl::Algorithm::nvls) as.algorithm = nccl::name_of(nccl::Algorithm::nvls);
  return as;
}

bool runs_kernels(const JobSpec& job) {
  const NvSwitchAlgorithm& algorithm = nvswitch_algorithm(job);
  return algorithm.channels || algorithm.kernels;
}

bool uses_nvls(const JobSpec& job, const NvSwitchPlatformParams& params) {
  const auto by_nvls = [&](Bytes message) { return nvswitch_algorithm(carried(job, message, params)).kernels; };
  return nvswitch_algorithm(job).kernels ||
         std::any_of(job.items.begin(), job.items.end(), [&](const WorkItem& item) { return by_nvls(item.size); });
}

std::string tuner_text(const JobSpec& job, const NvSwitchPlatformParams& params) {
  const auto collective = nccl::collective_named(job.collective);
  if (params.nccl.version == Version::v2_4 || job.ranks.size() < 2 || !collective) return "";
  const nccl::Tuner tuner(nccl_system(job, params));
  std::ostringstream text;
  text << "# tuner of NCCL, " << job.collective << " of " << job.ranks.size() << " GPUs: latency (us), algbw (GB/s)\n";
  text << std::fixed << std::setprecision(1);
  for (const nccl::Algorithm a : nccl::all_algorithms)
    for (const Protocol p : nccl::all_protocols)
      if (const auto e = tuner.estimate(*collective, a, p))
        text << "#   " << std::left << std::setw(5) << nccl::name_of(a) << std::setw(7) << nccl::name_of(p) << std::right
             << std::setw(7) << e->latency << std::setw(8) << e->bandwidth << "\n";
  return text.str();
}

Tick flight(Protocol protocol, const NvSwitchPlatformParams& p) {
  const Tick crossing = 2 * p.link.latency.value + p.switches.latency.value + p.switches.crossbar.arbitration.value;
  const bool acked = protocol == Protocol::simple && p.acks != AckMode::none;
  return (acked ? 3 : 1) * crossing;
}

const ProtocolParams& protocol_of(const NcclUse& use, const NvSwitchPlatformParams& params) {
  const Protocol protocol = use.choice.protocol;
  return use.choice.algorithm == nccl::Algorithm::tree ? params.nccl.tree.of(protocol) : params.nccl.of(protocol);
}

ChannelTimes channel_times(const NcclUse& use, const NvSwitchPlatformParams& params) {
  const Protocol protocol = use.choice.protocol;
  const ProtocolParams& p = protocol_of(use, params);
  ChannelTimes times;
  times.group = group_of(use);
  times.base = p.base.value;
  times.overhead = p.overhead.value;
  const Tick busy = times.overhead + flight(protocol, params);
  times.step.fill(p.hop->value - std::min(p.hop->value, busy));
  times.rate = p.channel_rate->value;
  times.send_rate = p.rate ? p.rate->value / use.work.channels : 0;
  times.two_packets = protocol == Protocol::ll ? 1 : protocol == Protocol::ll128 ? ll128_blocks : 0;
  return times;
}

ChannelPlan nccl_rings(const JobSpec& job, Bytes message, const NcclUse& use, const NvSwitchPlatformParams& params) {
  const std::size_t n = job.ranks.size();
  ChannelRing ring{std::vector<int>(n), std::vector<CopyPath>(n, CopyPath::nvlink)};
  std::iota(ring.ranks.begin(), ring.ranks.end(), 0);
  ChannelCut cut = cut_of(use, find_channel_collective(job.collective)->along);
  cut.times = channel_times(use, params);
  cut.direct = params.nccl.direct;
  return lower_rings(job, message, std::vector<ChannelRing>(use.work.channels, ring), cut);
}

}  // namespace tributary
