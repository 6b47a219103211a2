#include "testbench/run/stream_bottlenecks.h"

#include "modules/streams/core/channel_engine.h"
#include "testbench/workload/collective.h"

namespace tributary {
namespace {

double picoseconds_of(Time time) { return static_cast<double>(time.value); }

/// Returns the fraction of the hops of a collective that end in a sum: all up a tree, every second one of an all-reduce.
double summing_hops(const Collective& collective) { return collective.reduces ? 1.0 / collective.passes : 0; }

/// The parameter that limits the rate of a copy engine most, and the time of a byte in ps.
struct EngineBound {
  const char* parameter = "";
  double byte = 0;
};

/// Returns the bound of the logical engine with the fewest physical ones, which is the last.
EngineBound engine_bound(const StreamTimes& times) {
  EngineBound bound;
  const CopyParams engine = times.copy.engines ? times.copy.of_engine(*times.copy.engines - 1) : times.copy;
  if (engine.rate.value != 0) bound = {".copy.rate", 1e12 / static_cast<double>(engine.rate.value)};
  if (engine.window.value == 0) return bound;
  const std::uint64_t burst = 256ull * times.copy.burst,
                      window = std::max<std::uint64_t>(1, engine.window.value / burst) * burst;
  const double covered = picoseconds_of(times.request) / static_cast<double>(window);
  return covered > bound.byte ? EngineBound{".copy.window", covered} : bound;
}

}  // namespace

void watch_channels(const std::string& family, bool own_reduce_rate, BottleneckRules& rules) {
  const auto watch = [&](std::uint64_t kind, const char* rate) {
    rules.watches.push_back(
        {"*.channel*.busy",
         {kind, kind},
         {BottleneckCause::channel, BottleneckKind::busy, "", "ChannelEngine", family + ".nccl." + rate}});
  };
  if (own_reduce_rate) {
    watch(ChannelEngine::at_link_rate, "link_rate");
    watch(ChannelEngine::at_reduce_rate, "reduce_rate");
  } else {
    rules.watches.push_back(
        {"*.channel*.busy",
         {ChannelEngine::at_link_rate, ChannelEngine::at_reduce_rate},
         {BottleneckCause::channel, BottleneckKind::busy, "", "ChannelEngine", family + ".nccl.link_rate"}});
  }
}

void add_issue(const std::string& family, const BottleneckInput::Seen& seen, std::size_t gpus, const StreamsParams& host,
               const BottleneckInput& in, BottleneckAccount& account) {
  if (gpus == 0 || host.host_time() == 0) return;
  const bool bells = host.doorbell.value > host.issue.value * host.batch;
  const double commands = static_cast<double>(seen.total) / 2 / static_cast<double>(gpus);
  account.add({BottleneckCause::software, BottleneckKind::busy, seen.module.substr(0, seen.module.find('.')),
               "StreamProcessor", family + (bells ? ".streams.doorbell" : ".streams.issue"),
               commands * static_cast<double>(host.host_time()) / in.time});
}

std::vector<PathPart> stream_path(const std::string& family, const JobSpec& job, const StreamTimes& times) {
  const double sums = summing_hops(collective_of(job.collective));
  return {{family + ".copy.fetch", picoseconds_of(times.copy.fetch)},
          {family + ".copy.launch", picoseconds_of(times.copy.launch)},
          {family + ".copy.completion", picoseconds_of(times.copy.completion)},
          {family + ".kernel.launch", sums * picoseconds_of(times.kernel.launch)},
          {family + ".streams.release", picoseconds_of(times.streams.release)},
          {family + ".streams.acquire", picoseconds_of(times.streams.acquire)}};
}

const char* engines_parameter(const CopyParams& copy) {
  return copy.physical != 0 && copy.physical < copy.engines.value_or(1) ? ".copy.physical" : ".copy.engines";
}

std::shared_ptr<StreamChain> stream_chain(const std::string& family, const StreamTimes& times, bool one_way_out) {
  const EngineBound bound = engine_bound(times);
  return std::make_shared<StreamChain>(
      StreamChain::Config{family, times.copy.launch, times.kernel.launch, times.streams.acquire, times.streams.issue,
                          one_way_out, family + bound.parameter, bound.byte, times.copy.fetch, times.copy.completion,
                          times.streams.doorbell, times.streams.batch, engines_parameter(times.copy)});
}

void replace_path(const std::vector<PathPart>& parts, BottleneckAccount& account) {
  if (parts.empty()) return;
  account.path = parts;
  account.whole_path = account.chain = true;
}

double ring_steps(const JobSpec& job) {
  return collective_of(job.collective).passes * (static_cast<double>(job.ranks.size()) - 1);
}

std::vector<PathPart> channel_path(const std::string& family, double steps, bool low_latency, const NcclParams& nccl,
                                   Time HopTimes::*route) {
  const std::string kind = family + (low_latency ? ".nccl.low_latency" : ".nccl");
  const HopTimes& times = low_latency ? nccl.low_latency.step : nccl.step;
  const char* const routes = route == &HopTimes::nvlink ? ".nvlink" : route == &HopTimes::pcie ? ".pcie" : ".network";
  return {{kind + ".step" + routes, steps * picoseconds_of(times.*route)},
          {kind + ".base", picoseconds_of(low_latency ? nccl.low_latency.base : nccl.base)}};
}

}  // namespace tributary
