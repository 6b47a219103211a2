#include "testbench/family/netreduce/machine_plan.h"

#include <algorithm>
#include <utility>

#include "testbench/collective/algorithm/ring.h"
#include "testbench/collective/schedule/stepwise_proof.h"

namespace tributary {
namespace {

JobSpec job_of_host(JobSpec job, const std::vector<int>& ends) {
  job.ranks = ends;
  return job;
}

ChunkCommands proved(const collective::Schedule& schedule, const JobSpec& job, Bytes message) {
  check_chunks(schedule, message);
  collective::verify_any(schedule);
  return ChunkCommands(job, message, proved_for(schedule, job, message));
}

}  // namespace

HostShape host_shape(const JobSpec& job, int gpus) {
  HostShape shape;
  std::vector<int> counts;
  bool in_turn = true;
  for (const int end : job.ranks) {
    const int host = end / gpus;
    if (!shape.hosts.empty() && shape.hosts.back() == host) {
      ++counts.back();
      continue;
    }
    in_turn = in_turn && std::find(shape.hosts.begin(), shape.hosts.end(), host) == shape.hosts.end();
    shape.hosts.push_back(host);
    counts.push_back(1);
  }
  shape.gpus = counts.empty() ? 0 : counts.front();
  shape.even = in_turn && std::all_of(counts.begin(), counts.end(), [&](int n) { return n == shape.gpus; });
  return shape;
}

MachinePlan::MachinePlan(const JobSpec& job, Bytes message, const std::vector<int>& ends,
                         const NetReducePlatformParams& params)
    : job_(job_of_host(job, ends)),
      message_(message),
      before_(proved(collective::ring_reduce_scatter(static_cast<int>(ends.size())), job_, message)),
      after_(proved(collective::ring_allgather(static_cast<int>(ends.size())), job_, message)),
      layout_(NetReduceLayout::of(message, params, before_.memory_bytes())) {}

collective::ChunkRange MachinePlan::part(int gpu) const {
  return collective::chunk_range(gpu, static_cast<int>(job_.ranks.size()), message_.value);
}

RingPlan MachinePlan::ring(int gpu) const {
  RingPlan plan;
  plan.operand = part(gpu).offset;
  plan.bytes = part(gpu).bytes;
  plan.result = layout_.result + plan.operand;
  plan.receive_buffers = plan.remote_buffers = layout_.receive_buffers;
  plan.staging = layout_.staging;
  return plan;
}

HostCommands MachinePlan::moved(HostCommands after) const {
  for (NicCommand& c : after.commands) {
    c.chunk += layout_.result, c.from += layout_.result;
    if (c.send) c.send->address += layout_.result;
  }
  return after;
}

}  // namespace tributary
