/// NCCL's rings as plans of a BlinkDriver.

#include <algorithm>

#include "testbench/codegen/channel_lowering.h"
#include "testbench/codegen/channel_protocol.h"
#include "testbench/family/blink/algorithm.h"
#include "testbench/family/blink/channel_rings.h"
#include "testbench/run/stream_bottlenecks.h"

namespace tributary {
namespace {

class ChannelAlgorithm : public BlinkAlgorithm {
 public:
  using BlinkAlgorithm::BlinkAlgorithm;

  void add_bottlenecks(const JobSpec& job, const CopyUse& use, BottleneckAccount& account) const override {
    const BlinkPlatformParams& p = platform().params();
    const Bytes message = bytes(use.in.row.size_bytes);
    const bool several = topology::parts_of(job.ranks, platform().servers().server().gpus()).size() > 1;
    const std::size_t channels = rings(job).rings.size();
    const bool flags =
        carries_flags(p.nccl.low_latency, {channels, chunks_of_loop(job.collective, job.ranks.size()), several}, message);
    account.add_path(
        channel_path("blink", ring_steps(job), flags, p.nccl, use.nvlinks ? &HopTimes::nvlink : &HopTimes::pcie));
    if (!use.nvlinks || !p.gpu.nvlink.rate) return;
    const double used = static_cast<double>(p.nccl.link_rate->value) / static_cast<double>(p.gpu.nvlink.rate->value);
    account.needs.push_back(
        {BottleneckCause::channel, BottleneckCause::link, "blink.nvlink.rate", bottleneck_headroom * used});
  }

 private:
  ChannelRings rings(const JobSpec& job) const {
    const BlinkPlatformParams& p = platform().params();
    return channel_rings(platform().servers().server(), job.ranks, p.nccl.copies, p.net.nics.value_or(1),
                         params().codegen.rings.fallback);
  }
  /// Returns the rate at which a GPU reads host memory.
  Bandwidth host_rate(int gpu) const {
    const std::optional<Bandwidth>& set = params().codegen.rings.host_rate;
    return set ? *set : platform().wires().host_rate(gpu);
  }
  PlanKey plan_key(const JobSpec&, Bytes message) override { return {message}; }
  StreamPlan make_plan(const JobSpec& job, const PlanKey& key) override {
    const NcclParams& nccl = params().platform.nccl;
    const ChannelRings made = rings(job);
    ChannelPlan plan = lower_channels(job, key.message, made.rings, nccl);
    for (std::size_t r = 0; r < plan.programs.size(); ++r) {
      StreamProgram& program = plan.programs[r];
      program.rate_of = made.rate_of, program.rate_over = made.rate_over;
      const auto read =
          std::find_if(program.steps.begin(), program.steps.end(), [](const ChannelStep& s) { return s.from_host; });
      if (read != program.steps.end()) program.host_rate = host_rate(job.ranks[r]).value;
    }
    return {std::move(plan.programs), std::vector<std::uint64_t>(job.ranks.size(), plan.memory_bytes), {}};
  }
};

}  // namespace

std::unique_ptr<BlinkAlgorithm> make_channel_algorithm(const BlinkPlatform& platform, const BlinkParams& params) {
  return std::make_unique<ChannelAlgorithm>(platform, params);
}

}  // namespace tributary
