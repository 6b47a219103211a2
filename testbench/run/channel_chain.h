#pragma once
/// ChannelChain: the chain of steps of NCCL's channels that determines the end of a run (docs/bottleneck.md#chains).

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "modules/streams/core/channel_event.h"
#include "testbench/run/bottleneck_rules.h"

namespace tributary {

/// The way of a step's bytes to a peer.
struct ChannelRoute {
  std::string rate;                ///< parameter of the slowest links
  std::vector<PathPart> way = {};  ///< latencies of a packet; time beyond them is that of links
  unsigned times_of_arrival = 1;   ///< 3: the semaphore leaves after the acks of the data
};
/// Returns the way from a GPU to a peer.
using ChannelRoutes = std::function<ChannelRoute(unsigned from, unsigned to, CopyPath path)>;

/// Records when each step of each channel began and ended, and follows the run from its last step back: each step began when
/// the step before it in its channel had ended, when its input had arrived, or when the slot that it fills was free.
class ChannelChain final : public BottleneckObserver {
 public:
  /// The parameters begin with `family`. `own_reduce_rate`: steps that add have a rate of their own.
  ChannelChain(std::string family, bool own_reduce_rate) : family_(std::move(family)), own_reduce_rate_(own_reduce_rate) {}

  void attach(const ProbeDirectory& probes) override;
  void reset() override;
  void on_step(unsigned gpu, Tick time, const ChannelStepEvent& event);

  /// Returns the time that each parameter adds to the chain; empty without steps, or with too many of them.
  std::vector<PathPart> parts(const ChannelRoutes& routes) const;

 private:
  static constexpr std::size_t most_steps = 300'000;
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Step {
    ChannelStep step;
    ChannelWait wait;
    bool acquires;
    std::uint32_t before;  ///< the step before in its channel; none: the first one
    Tick seen, ready, overhead, moves, begun, ended;
    const char *group, *bound;  ///< see ChannelStepEvent
    bool by_host;
    Tick launched;
  };
  struct Gpu {
    std::vector<Step> steps;
    std::map<unsigned, std::uint32_t> latest;  ///< by channel
  };
  struct Tap {
    ChannelChain* chain;
    unsigned gpu;
  };
  struct Place {
    unsigned gpu = 0;
    std::uint32_t step = none;
  };
  class Walk;

  std::string family_;
  bool own_reduce_rate_;
  std::map<unsigned, Gpu> gpus_;
  std::size_t count_ = 0;
  std::deque<Tap> taps_;  // stable addresses
  std::mutex mutex_;
};

}  // namespace tributary
