#include "testbench/family/blink/job_schedule.h"

#include <algorithm>
#include <string>

#include "modules/base/index.h"
#include "testbench/collective/schedule/pipelining.h"
#include "testbench/family/blink/channel_algorithms.h"
#include "testbench/interchange/msccl/import.h"
#include "testbench/workload/sized_schedule.h"

namespace tributary {
namespace {

constexpr std::uint64_t most_chunks = 10'000;

/// Repeats the schedule so that each slice of its longest chunk has at most `chunk` bytes.
collective::Schedule in_loops(const collective::Schedule& schedule, const JobSpec& job, Bytes message, Bytes chunk) {
  const std::uint64_t longest = blocks_of(sized(schedule, job, message).slot_bytes());
  const std::uint64_t blocks = std::max<std::uint64_t>(1, chunk.value / block_bytes);
  const std::uint64_t slices = std::max<std::uint64_t>(1, (longest + blocks - 1) / blocks);
  const auto chunks = static_cast<std::uint64_t>(schedule.chunks);
  if (chunks > most_chunks)
    throw collective::ScheduleError("streams: the file has " + std::to_string(chunks) + " chunks (legal: at most " +
                                    std::to_string(most_chunks) + ")");
  if (slices * chunks > most_chunks)
    throw collective::ScheduleError("streams: chunks of " + to_string(chunk) + " cut " + to_string(message) + " into " +
                                    std::to_string(slices * chunks) + " (legal: at most " + std::to_string(most_chunks) +
                                    ", with a larger blink.chunk)");
  return collective::looped(schedule, static_cast<int>(slices));
}

}  // namespace

bool has_schedule(const JobSpec& job) { return msccl::names_file(job.algorithm); }
bool has_trees(const JobSpec& job) { return !has_schedule(job) && !has_channels(job); }

StreamPlan plan_of_schedule(const JobSpec& job, Bytes message, const ServerWires& wires, const StreamOptions& options) {
  const collective::Schedule schedule = in_loops(msccl::schedule_of(job, job.ranks.size()), job, message, options.chunk);
  const topology::ServerGraph& servers = wires.servers();
  const PathBetween path = [&](int from, int to) {
    const int a = job.ranks[at(from)], b = job.ranks[at(to)];
    return servers.joined(a, b) ? CopyPath::nvlink : wires.path(a, b);
  };
  return schedule_streams(job, message, sized(schedule, job, message), path, options);
}

}  // namespace tributary
