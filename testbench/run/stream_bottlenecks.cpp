#include "testbench/run/stream_bottlenecks.h"

#include "testbench/workload/collective.h"

namespace tributary {
namespace {

double picoseconds_of(Time time) { return static_cast<double>(time.value); }

/// Returns the fraction of the hops of a collective that end in a sum: all up a tree, every second one of an all-reduce.
double summing_hops(const Collective& collective) { return collective.reduces ? 1.0 / collective.passes : 0; }

}  // namespace

std::vector<PathPart> stream_path(const std::string& family, const JobSpec& job, const StreamTimes& times) {
  const double sums = summing_hops(collective_of(job.collective));
  return {{family + ".copy.launch", picoseconds_of(times.copy.launch)},
          {family + ".kernel.launch", sums * picoseconds_of(times.kernel.launch)},
          {family + ".streams.release", picoseconds_of(times.streams.release)},
          {family + ".streams.acquire", picoseconds_of(times.streams.acquire)}};
}

std::vector<PathPart> channel_path(const std::string& family, const JobSpec& job, Bytes message, const NcclParams& nccl,
                                   Time HopTimes::*route) {
  const bool low_latency = message < nccl.low_latency.below;
  const std::string kind = family + (low_latency ? ".nccl.low_latency" : ".nccl");
  const double steps = collective_of(job.collective).passes * (static_cast<double>(job.ranks.size()) - 1);
  const HopTimes& times = low_latency ? nccl.low_latency.step : nccl.step;
  const char* const routes = route == &HopTimes::nvlink ? ".nvlink" : route == &HopTimes::pcie ? ".pcie" : ".network";
  return {{kind + ".step" + routes, steps * picoseconds_of(times.*route)},
          {kind + ".base", picoseconds_of(low_latency ? nccl.low_latency.base : nccl.base)}};
}

}  // namespace tributary
