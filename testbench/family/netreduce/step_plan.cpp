#include "testbench/family/netreduce/step_plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "modules/netreduce/core/chunker.h"
#include "testbench/family/netreduce/algorithms.h"
#include "testbench/family/netreduce/ring_job.h"
#include "testbench/run/errors.h"

namespace tributary {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& legal) {
  throw SetupError("--fidelity full: " + what + "; legal: " + legal + "--fidelity isolated");
}

bool has_ring(const JobSpec& operation) { return netreduce_algorithm(operation).role == HostRole::flow_control; }

/// True if messages continue those of the all-reduce before.
bool continues(const JobSpec& operation) { return netreduce_algorithm(operation).on_ring == RingCollective::allreduce; }

/// Switches redirect frames to accelerators by pairs of hosts, unless rules name queue pairs.
void check_pairs_of_hosts(const JobSpec& job) {
  const std::vector<StepRing> rings = rings_of_step(job);
  for (const JobSpec& one : operations_of(job)) {
    if (has_ring(one)) continue;
    for (const StepRing& r : rings) {
      const JobSpec& ring = r.job;
      std::vector<int> both;
      for (const int end : one.ranks)
        if (std::find(ring.ranks.begin(), ring.ranks.end(), end) != ring.ranks.end()) both.push_back(end);
      if (both.size() > 1)
        refuse("host" + std::to_string(both[0]) + " and host" + std::to_string(both[1]) + " have operations by " +
                   ring.algorithm + " and by " + one.algorithm +
                   ", and the switch redirects all frames between them to its accelerator",
               "netreduce.access=queue_pairs, one kind of algorithm, or ");
    }
  }
}

}  // namespace

std::vector<StepRing> rings_of_step(const JobSpec& job) {
  std::vector<StepRing> rings;
  std::set<std::vector<int>> known;  // ranks of all-reduces
  for (std::size_t i = 0; i < job.step->operations.size(); ++i) {
    JobSpec one = operation_of(job, job.step->operations[i]);
    if (!has_ring(one) || (continues(one) && !known.insert(one.ranks).second)) continue;
    rings.push_back({std::move(one), i});
  }
  return rings;
}

void check_step(const JobSpec& job, const NetReducePlatformParams& params, int gpus) {
  constexpr std::size_t most = 65'535;
  const JobStep& step = *job.step;
  if (gpus > 1) refuse("hosts of several GPUs execute no tasks", "rack:H, spine_leaf:RxH, or ");
  if (step.operations.size() > most)
    refuse(std::to_string(step.operations.size()) + " operations", "up to " + std::to_string(most) + ", or ");
  if (step.programs.front().pipelined || step.queues > 1)
    refuse("a host has one operation at a time", "comm.issue=serial and comm.queues=1, or ");
  for (const JobStep::Part& part : step.operations)
    if (part.send) refuse("a host has one operation at a time, and would wait for receives", "");
  for (const JobSpec& one : operations_of(job)) {
    const NetReduceAlgorithm& algorithm = netreduce_algorithm(one);
    if (algorithm.role == HostRole::server || algorithm.role == HostRole::machine)
      refuse("hosts carry out no " + one.algorithm + " as an operation of a step", "other algorithms, or ");
  }
  if (params.access == AccessMatch::hosts) check_pairs_of_hosts(job);
}

StepPlan::StepPlan(const JobSpec& job, const NetReducePlatformParams& params)
    : job_(job), params_(params), places_(job), rings_(rings_of_step(job)), next_message_(rings_.size(), 0) {
  std::vector<int> everyone(job.ranks.size());
  for (std::size_t r = 0; r < everyone.size(); ++r) everyone[r] = static_cast<int>(r);
  const HostFlowParams& flow = params.flow_control;
  places_.reserve(everyone, whole_pages(places_.buffer_bytes()) - places_.buffer_bytes());
  if (!rings_.empty() && flow.buffers == HostBuffers::out_of_place)
    places_.reserve(everyone, whole_pages(places_.buffer_bytes()));
  const std::uint64_t messages = whole_pages(message_buffers(flow.messages, static_cast<unsigned>(params.nic.mtu.value)));
  for (const StepRing& ring : rings_) {
    const std::uint64_t received = continues(ring.job) ? messages : whole_pages(AggregationHeader::bytes);
    const std::uint64_t copies = flow.buffers == HostBuffers::staged ? messages : 0;
    buffers_.push_back(places_.reserve(job.step->operations[ring.operation].members, received + copies));
  }
  for (std::size_t i = 0; i < job.step->operations.size(); ++i) {
    ring_of_.emplace_back();
    first_message_.push_back(0);
    place_of_.emplace_back();
    has_ring(job_of(i)) ? add_ring(i) : add_software(i);
  }
}

/// Sums follow the buffer, which fills whole pages.
std::uint64_t StepPlan::result_distance(const JobSpec& job, const JobStep::Part& part,
                                        const NetReducePlatformParams& params) {
  const JobSpec one = operation_of(job, part);
  RingPattern pattern;
  pattern.collective = netreduce_algorithm(one).on_ring;
  const bool apart = has_ring(one) && pattern.adds() && params.flow_control.buffers == HostBuffers::out_of_place;
  return apart ? whole_pages(StepPlaces(job).buffer_bytes()) : 0;
}

void StepPlan::add_ring(std::size_t i) {
  const JobSpec one = job_of(i);
  const auto ring = std::find_if(rings_.begin(), rings_.end(), [&](const StepRing& r) {
    return r.operation == i || (continues(one) && continues(r.job) && r.job.ranks == one.ranks);
  });
  const auto number = static_cast<std::size_t>(ring - rings_.begin());
  ring_of_[i] = number;
  first_message_[i] = next_message_[number];
  next_message_[number] += RingJob(one, bytes(job_.step->operations[i].bytes), params_).messages();
}

void StepPlan::add_software(std::size_t i) {
  const JobStep::Part& part = job_.step->operations[i];
  auto found = known_.find(key_of(part));
  if (found == known_.end())
    found = known_.emplace(key_of(part), software_commands(job_of(i), bytes(part.bytes), 1, params_.host.slice)).first;
  const std::uint64_t mailboxes = found->second.memory_bytes() - part.buffer_bytes;
  place_of_[i] = {part.buffer_bytes, part.first, places_.reserve(part.members, mailboxes)};
}

RingPlan StepPlan::ring_plan(std::size_t i) const {
  const JobStep::Part& part = job_.step->operations[i];
  const std::uint64_t buffers = buffers_.at(ring_of_.at(i).value());
  const auto mtu = static_cast<unsigned>(params_.nic.mtu.value);
  RingPlan plan = RingJob(job_of(i), bytes(part.bytes), params_).ring_plan();
  plan.first_message = first_message_[i];
  plan.operand = part.first;
  plan.result = part.first + result_distance(job_, part, params_);
  plan.receive_buffers = plan.remote_buffers = buffers;
  plan.staging = buffers + whole_pages(message_buffers(params_.flow_control.messages, mtu));
  if (!plan.pattern.by_packet()) return plan;
  plan.remote_buffers = plan.result;
  plan.pattern.header = buffers - plan.result;
  plan.staging = buffers + whole_pages(AggregationHeader::bytes);
  return plan;
}

const ChunkCommands& StepPlan::commands(std::size_t i) const { return known_.at(key_of(job_.step->operations[i])); }

void StepPlan::place(std::size_t i, HostCommands& commands) const {
  const OperationPlace& at = place_of_.at(i);
  for (NicCommand& c : commands.commands) {
    c.chunk = at(c.chunk);
    c.from = at(c.from);
    if (c.send) c.send->address = at(c.send->address);
  }
  commands.number = static_cast<std::uint16_t>(i);
}

}  // namespace tributary
