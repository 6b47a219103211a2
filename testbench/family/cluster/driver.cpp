#include "testbench/family/cluster/driver.h"

#include <algorithm>
#include <cmath>

#include "modules/base/index.h"
#include "modules/ethernet/core/fault_script.h"
#include "testbench/collective/staged/group_shape.h"
#include "testbench/family/cluster/bottlenecks.h"
#include "testbench/family/cluster/flows/cluster_flows.h"
#include "testbench/family/cluster/parameters.h"
#include "testbench/run/errors.h"
#include "testbench/run/facets/part.h"
#include "testbench/run/family.h"

namespace tributary {
namespace {

/// Returns the most rings of NetReduce at an accelerator.
unsigned most_rings(const RunSpec& spec, const ServerJobs& jobs, const ClusterParams& params) {
  const std::vector<int>& nic_of = jobs.server().nic_of;
  const bool rails = params.fabric == ClusterFabric::rails || params.fabric == ClusterFabric::rail_leaf_spine;
  unsigned rings = 0;
  for (const JobSpec& job : spec.jobs) {
    if (!jobs.accelerated(job)) continue;
    const auto shape = collective::shape_of(job.ranks, jobs.server().gpus);
    std::map<int, unsigned> of_nic;
    for (const int gpu : shape->local) ++of_nic[nic_of.at(at(gpu))];
    unsigned all = 0, most = 0;
    for (const auto& [nic, count] : of_nic) all += count, most = std::max(most, count);
    rings += rails ? most : all;
  }
  return rings;
}

/// Returns the number of chunks that are between the servers at once.
unsigned chunks_between(const ServerJobs& jobs, const ClusterModel& model, const JobSpec& job, Bytes message) {
  const auto shape = collective::shape_of(job.ranks, jobs.server().gpus);
  return ClusterFlows(model, job.collective, job.algorithm, *shape)
      .between_window(message.value, jobs.stages_of(job, message).chunk);
}

/// Returns the messages of NetReduce that are in flight at once: those of all chunks between the servers.
unsigned message_window(const RunSpec& spec, const ServerJobs& jobs, const ClusterModel& model, unsigned packets,
                        unsigned mtu) {
  constexpr unsigned most = 64;
  unsigned window = MessageFlowParams{}.window;
  for (const JobSpec& job : spec.jobs)
    for (const WorkItem& item : job.items) {
      if (!jobs.accelerated(job)) continue;
      const std::uint64_t part = StagedJob::part_bytes(jobs.stages_of(job, item.size), item.size);
      window = std::max(window, chunks_between(jobs, model, job, item.size) * Chunker(part, packets, mtu).messages());
    }
  return std::min(window, most);
}

ClusterPlatform::Config config_of(const RunSpec& spec, const RunParameters& params, const ServerJobs& jobs,
                                  const ClusterModel& model) {
  const ClusterName name = cluster_name(spec.platform.name());
  ClusterPlatform::Config config;
  config.params = params.of<ClusterParams>();
  config.server = cluster_server(name.server, config.params);
  config.servers = static_cast<unsigned>(name.servers);
  config.network = ClusterPlatform::network_params(params.of<NetReducePlatformParams>(), config.params, config.server,
                                                   params.of<NvSwitchPlatformParams>().gpu.memory);
  for (const std::string& rule : spec.frame_faults) config.frame_faults.push_back(parse_fault_rule(rule));
  const unsigned rings = most_rings(spec, jobs, config.params);
  config.links.accelerators = rings > 0;
  if (!config.network.accelerator.combinators) config.network.accelerator.combinators = std::max(1U, rings);
  MessageFlowParams& flow = config.network.flow_control.messages;
  flow.message_packets =
      jobs.message_packets(spec, flow.message_packets, static_cast<unsigned>(config.network.nic.mtu.value));
  if (model.messages_cover)
    flow.window =
        message_window(spec, jobs, model, flow.message_packets, static_cast<unsigned>(config.network.nic.mtu.value));
  return config;
}

std::uint64_t whole_blocks(std::uint64_t bytes) { return blocks_of(bytes) * block_bytes; }

}  // namespace

ClusterDriver::ClusterDriver(const RunSpec& spec, const RunParameters& params, CompletionListener& listener)
    : jobs_(spec.platform.name(), cluster_server(cluster_name(spec.platform.name()).server, params.of<ClusterParams>()),
            params.of<ClusterParams>()),
      model_(cluster_model(spec.platform, params)),
      config_(config_of(spec, params, jobs_, model_)),
      server_(cluster_name(spec.platform.name()).server),
      servers_(dynamic_cast<const FamilyPart&>(family_of(server_))
                   .make_in(static_cast<NvSwitchHost&>(*this), jobs_.run(spec, true), params, listener)) {}

NvSwitchPart& ClusterDriver::make(const NvSwitchPart::Config& config, CompletionListener& listener) {
  config_.gpus = config;
  system_ = std::make_unique<ClusterPlatform>("cluster", machine(server_), config_, listener);
  return system_->devices();
}

// ---- messages between servers

/// A pair of GPUs has one connection, for both directions.
std::uint32_t ClusterDriver::pair(int from, int to, PairNumbers& pairs) {
  const auto known = pairs.find({from, to});
  if (known != pairs.end()) return known->second;
  const ClusterPlatform::Pairs made = system_->connect(static_cast<unsigned>(from), static_cast<unsigned>(to));
  pairs[{to, from}] = made.to;
  return pairs[{from, to}] = made.from;
}

void ClusterDriver::connect(const std::vector<int>& gpus, std::vector<GpuProgram>& programs) {
  if (add_stages_) return add_stages_(programs);
  PairNumbers pairs;
  for (std::size_t r = 0; r < programs.size(); ++r)
    for (GpuCommand& c : programs[r].commands)
      for (std::optional<GpuCommand::Peer>* const peer : {&c.receive, &c.send})
        if (*peer && (*peer)->nic_pair) (*peer)->nic_pair = pair(gpus[r], (*peer)->gpu, pairs);
}

void ClusterDriver::connect_stages(const JobSpec& job, const Staged& staged, std::vector<GpuProgram>& programs) {
  PairNumbers pairs;
  if (staged.work->rings() == 0)
    return staged.work->add_rails(programs, staged.mailboxes, [&](std::size_t from, std::size_t to) {
      return pair(job.ranks[from], job.ranks[to], pairs);
    });
  std::vector<StagedWork::Ring> rings;
  for (std::size_t place = 0; place < staged.work->rings(); ++place) {
    std::vector<int> gpus;
    for (std::size_t r = place; r < job.ranks.size(); r += staged.work->rings()) gpus.push_back(job.ranks[r]);
    ClusterPlatform::Ring made = system_->add_ring(gpus, job.type, job.op);
    rings.push_back({made.number, std::move(made.send), std::move(made.receive)});
  }
  system_->set_rings();
  staged.work->add_rings(programs, staged.mailboxes, rings);
}

// ---- jobs

ClusterDriver::Staged& ClusterDriver::staged(const JobSpec& job, Bytes message) {
  const auto known = staged_.find({job.ranks, message.value});
  if (known != staged_.end()) return known->second;
  const MessageFlowParams& flow = config_.network.flow_control.messages;
  const StagedJob::Messages messages{flow.message_packets, flow.window, static_cast<unsigned>(config_.network.nic.mtu.value),
                                     config_.network.nic.ack_interval.value_or(256)};
  std::unique_ptr<const StagedWork> made =
      jobs_.work_of(job, message, messages, chunks_between(jobs_, model_, job, message));
  const std::uint64_t mailboxes = made->has_operations()
                                      ? servers_->memory_bytes(made->operations(), Bytes{made->buffer_bytes()})
                                      : made->buffer_bytes();
  return staged_.emplace(std::pair(job.ranks, message.value), Staged{std::move(made), whole_blocks(mailboxes)})
      .first->second;
}

std::uint64_t ClusterDriver::memory_bytes(const JobSpec& job, Bytes message) {
  if (!jobs_.in_stages(job)) return servers_->memory_bytes(carried(job, message), message);
  const Staged& s = staged(job, message);
  return s.mailboxes + s.work->mailbox_bytes();
}

void ClusterDriver::post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) {
  if (!jobs_.in_stages(job)) return servers_->post(carried(job, message), message, start);
  const Staged& s = staged(job, message);
  if (s.work->has_operations()) {
    add_stages_ = [&](std::vector<GpuProgram>& programs) { connect_stages(job, s, programs); };
    servers_->post(s.work->operations(), Bytes{s.work->buffer_bytes()}, start);
    add_stages_ = nullptr;
    return;
  }
  std::vector<GpuProgram> programs = s.work->programs();
  connect_stages(job, s, programs);
  for (std::size_t r = 0; r < programs.size(); ++r)
    system_->devices().gpu(static_cast<unsigned>(job.ranks[r])).post(std::move(programs[r]), start(r));
}

std::vector<OperandRange> ClusterDriver::results(const JobSpec& job, Bytes message) const {
  return jobs_.in_stages(job) ? Driver::results(job, message) : servers_->results(jobs_.carried(job), message);
}

JobSpec ClusterDriver::carried(const JobSpec& job, Bytes message) {
  JobSpec made = jobs_.carried(job);
  if (!jobs_.crosses_servers(job)) return made;
  std::shared_ptr<const collective::Schedule>& schedule = schedules_[{job.ranks, message.value}];
  if (schedule == nullptr) schedule = std::make_shared<const collective::Schedule>(jobs_.schedule_of(job, message));
  made.imported = schedule;
  return made;
}

double ClusterDriver::bound(const JobSpec& job, Bytes message) {
  if (!jobs_.crosses_servers(job)) return servers_->bound(jobs_.in_first_server(jobs_.carried(job)), message);
  const auto shape = collective::shape_of(job.ranks, jobs_.server().gpus);
  return ClusterFlows(model_, job.collective, job.algorithm, *shape).bound_GBps(message.value);
}

/// The rules of a server name the links of one server.
BottleneckRules ClusterDriver::bottlenecks() const {
  return config_.servers == 1 ? servers_->bottlenecks() : cluster_bottlenecks();
}

DriverFacets ClusterDriver::facets() {
  DriverFacets facets;
  if (servers_->facets().tuning != nullptr) facets.tuning = this;
  return facets;
}

std::vector<Choice> ClusterDriver::choices(const JobSpec& job, Bytes message) const {
  return servers_->facets().tuning->choices(jobs_.carried(job), message);
}

void ClusterDriver::measured(const JobSpec& job, const ResultRow& row) {
  servers_->facets().tuning->measured(jobs_.carried(job), row);
}

}  // namespace tributary
