/// NCCL's rings as plans of a BlinkDriver.

#include "testbench/codegen/channel_lowering.h"
#include "testbench/family/blink/algorithm.h"
#include "testbench/family/blink/channel_rings.h"
#include "testbench/run/stream_bottlenecks.h"

namespace tributary {
namespace {

class ChannelAlgorithm : public BlinkAlgorithm {
 public:
  using BlinkAlgorithm::BlinkAlgorithm;

  void add_bottlenecks(const JobSpec& job, const CopyUse& use, BottleneckAccount& account) const override {
    account.add_path(channel_path("blink", ring_steps(job), bytes(use.in.row.size_bytes), platform().params().nccl,
                                  use.nvlinks ? &HopTimes::nvlink : &HopTimes::pcie));
    const BlinkPlatformParams& p = platform().params();
    if (!use.nvlinks || !p.gpu.nvlink.rate) return;
    const double used = static_cast<double>(p.nccl.link_rate->value) / static_cast<double>(p.gpu.nvlink.rate->value);
    account.needs.push_back(
        {BottleneckCause::channel, BottleneckCause::link, "blink.nvlink.rate", bottleneck_headroom * used});
  }

 private:
  PlanKey plan_key(const JobSpec&, Bytes message) override { return {message}; }
  StreamPlan make_plan(const JobSpec& job, const PlanKey& key) override {
    const std::vector<ChannelRing> rings = channel_rings(platform().servers().server(), job.ranks);
    ChannelPlan plan = lower_channels(job, key.message, rings, params().platform.nccl);
    return {std::move(plan.programs), std::vector<std::uint64_t>(job.ranks.size(), plan.memory_bytes), {}};
  }
};

}  // namespace

std::unique_ptr<BlinkAlgorithm> make_channel_algorithm(const BlinkPlatform& platform, const BlinkParams& params) {
  return std::make_unique<ChannelAlgorithm>(platform, params);
}

}  // namespace tributary
