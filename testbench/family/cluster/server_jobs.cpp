#include "testbench/family/cluster/server_jobs.h"

#include <algorithm>
#include <optional>

#include "modules/base/index.h"
#include "testbench/collective/algorithm/direct.h"
#include "testbench/collective/schedule/pipelining.h"
#include "testbench/collective/staged/exchanges.h"
#include "testbench/collective/staged/flat_ring.h"
#include "testbench/collective/staged/staged_schedule.h"
#include "testbench/family/cluster/flows/cluster_model.h"
#include "testbench/family/cluster/sliced_job.h"
#include "testbench/run/errors.h"
#include "testbench/workload/collective.h"

namespace tributary {
namespace {

using collective::StageWork;

const collective::StagedAlgorithm* staged_of(const JobSpec& job) {
  for (const collective::StagedAlgorithm& m : collective::staged_algorithms())
    if (m.collective == job.collective && m.name == job.algorithm) return &m;
  return nullptr;
}

/// Returns the name of the rule within a server in the family of the servers.
std::string inside_name(collective::InsideAlgorithm inside, const std::string& collective) {
  switch (inside) {
    case collective::InsideAlgorithm::pull:
      return collective_of(collective).reduces ? "pull" : "multicast";
    case collective::InsideAlgorithm::ring:
      return "ring";
    case collective::InsideAlgorithm::direct:
      break;
  }
  return "direct";
}

StageWork whole_work(const collective::StagedAlgorithm& algorithm) {
  return collective::work_of({{}, algorithm.collective, {}});
}

/// Returns true if one schedule of software has all messages of an algorithm between servers.
bool is_software(const collective::StagedAlgorithm& algorithm) {
  return algorithm.flat || algorithm.between == collective::BetweenAlgorithm::direct;
}

/// Returns the algorithms of a collective between servers.
std::string algorithms_between(const std::string& collective) {
  std::string names;
  for (const collective::StagedAlgorithm& m : collective::staged_algorithms())
    if (m.collective == collective) names += m.name + ", ";
  return names;
}

/// Returns the software algorithm between servers; empty: accelerators add.
std::string between_name(const collective::StagedAlgorithm& algorithm) {
  using Between = collective::BetweenAlgorithm;
  if (algorithm.between == Between::netreduce) return "";
  return algorithm.between == Between::tree ? "double_binary_tree" : "ring";
}

}  // namespace

bool ServerJobs::crosses_servers(const JobSpec& job) const {
  return std::any_of(job.ranks.begin(), job.ranks.end(),
                     [&](int rank) { return server_of(rank) != server_of(job.ranks.front()); });
}

bool ServerJobs::accelerated(const JobSpec& job) const { return in_stages(job) && names_of(job).between.empty(); }

bool ServerJobs::in_stages(const JobSpec& job) const {
  const collective::StagedAlgorithm* const staged = staged_of(job);
  return crosses_servers(job) && staged != nullptr && !is_software(*staged);
}

void ServerJobs::check_between(const JobSpec& job) const {
  const collective::StagedAlgorithm* const staged = staged_of(job);
  if (staged == nullptr)
    throw SetupError(platform_ + ": " + job.collective + " by " + job.algorithm +
                     " stays in one server (legal: " + algorithms_between(job.collective) + "or ranks of one server)");
  const auto shape = collective::shape_of(job.ranks, server_.gpus);
  if (!shape)
    throw SetupError(platform_ + ": a group has unlike GPUs of servers, between which packets do not cross (legal: " +
                     collective::legal_groups(server_.gpus) + ")");
  if (const std::string refusal = uneven_nics(server_, *shape); !refusal.empty())
    throw SetupError(platform_ + ": " + refusal);
  if (staged->between == collective::BetweenAlgorithm::direct && !pxn_ && !rails_joined_ && shape->ranks_each > 1)
    throw SetupError(platform_ +
                     ": nothing joins the rails (legal: cluster.pxn=true, or another cluster.fabric than rails)");
}

JobSpec ServerJobs::carried(const JobSpec& job) const {
  JobSpec made = job;
  const collective::StagedAlgorithm* const staged = staged_of(job);
  const bool crosses = crosses_servers(job);
  if (crosses) check_between(job);
  if (staged == nullptr) return made;
  if (staged->inside == collective::InsideAlgorithm::pull && !server_.adds)
    throw SetupError(platform_ + ": the switches of " + server_.name +
                     " do not add (legal: algorithms that begin with ring, or cluster.adds=yes)");
  if (crosses && is_software(*staged)) {
    made.algorithm = "msccl:" + job.algorithm;
    return made;
  }
  if (crosses && whole_work(*staged) == StageWork::allreduce) made.collective = "reduce_scatter";
  made.algorithm = inside_name(staged->inside, made.collective);
  return made;
}

collective::StagedSchedule ServerJobs::stages_of(const JobSpec& job, Bytes message) const {
  collective::StagedSchedule schedule = collective::staged(
      job.collective, job.algorithm, *collective::shape_of(job.ranks, server_.gpus), message.value, job.root);
  if (chunk_ != 0) schedule.chunk = std::min(chunk_, message.value);
  return schedule;
}

unsigned ServerJobs::message_packets(const RunSpec& spec, unsigned most, unsigned mtu) const {
  std::optional<unsigned> packets;
  for (const JobSpec& job : spec.jobs)
    for (const WorkItem& item : job.items) {
      if (!accelerated(job)) continue;
      const std::uint64_t part = StagedJob::part_bytes(stages_of(job, item.size), item.size) + AggregationHeader::bytes;
      const auto needed = static_cast<unsigned>(std::min<std::uint64_t>(most, (part + mtu - 1) / mtu));
      if (packets.value_or(needed) != needed)
        throw SetupError(platform_ + ": messages of NetReduce have " + std::to_string(*packets) + " and " +
                         std::to_string(needed) + " packets (legal: one --size, or sizes with chunks of equal size)");
      packets = needed;
    }
  return packets.value_or(most);
}

StagedJob::Names ServerJobs::names_of(const JobSpec& job) const {
  const collective::StagedAlgorithm& staged = *staged_of(job);
  return {inside_name(staged.inside, "reduce_scatter"), inside_name(staged.inside, "allgather"), between_name(staged),
          staged.inside == collective::InsideAlgorithm::ring ? lanes_ : 1};
}

std::unique_ptr<const StagedWork> ServerJobs::work_of(const JobSpec& job, Bytes message, const StagedJob::Messages& messages,
                                                      unsigned window) const {
  const collective::StagedSchedule stages = stages_of(job, message);
  const StagedJob::Names names = names_of(job);
  if (whole_work(*staged_of(job)) == StageWork::allreduce)
    return std::make_unique<StagedJob>(job, message, stages, names, messages, window);
  const bool pulls = staged_of(job)->inside == collective::InsideAlgorithm::pull;
  return std::make_unique<SlicedJob>(
      job, message, stages, SlicedJob::Names{names.reduce_scatter, names.allgather, names.between, pulls, lanes_}, window);
}

collective::Schedule ServerJobs::schedule_of(const JobSpec& job, Bytes message) const {
  const auto shape = collective::shape_of(job.ranks, server_.gpus);
  if (!shape) throw collective::ScheduleError(job.algorithm + ": the servers of a group have unlike GPUs");
  const StageWork work = whole_work(*staged_of(job));
  const int ranks = shape->ranks();
  if (work == StageWork::alltoall)
    return pxn_ ? collective::alltoall_by_rails(shape->servers, shape->ranks_each) : collective::direct_alltoall(ranks);
  if (work == StageWork::sendrecv) {
    const std::uint64_t chunk = stages_of(job, message).chunk;
    const auto chunks = static_cast<int>((message.value + chunk - 1) / chunk);
    return pxn_ ? collective::sendrecv_by_rails(shape->servers, shape->ranks_each, chunks)
                : collective::pipelined(collective::direct_sendrecv(ranks), chunks);
  }
  collective::RailPlaces places;
  places.servers = shape->servers;
  places.nic_of.clear();
  for (const int gpu : shape->local) places.nic_of.push_back(server_.nic_of.at(at(gpu)));
  places.joined = joined_;
  const auto orders = collective::flat_ring_orders(places);
  return work == StageWork::allreduce ? collective::flat_ring_allreduce(orders)
                                      : collective::flat_ring_of_slices(work, orders);
}

RunSpec ServerJobs::run(const RunSpec& spec, bool hardware) const {
  RunSpec run = spec;
  run.platform = cluster_name(platform_).server;
  for (JobSpec& job : run.jobs) {
    const bool steps = hardware && in_stages(job);
    job = carried(job);
    if (!steps) continue;
    JobStep step;
    step.operations.emplace_back();
    step.operations.front().collective = job.collective, step.operations.front().algorithm = job.algorithm;
    step.operations.front().members = {0};
    job.step = std::make_shared<const JobStep>(std::move(step));
  }
  return run;
}

JobSpec ServerJobs::in_first_server(JobSpec job) const {
  for (int& rank : job.ranks) rank %= server_.gpus;
  return job;
}

}  // namespace tributary
