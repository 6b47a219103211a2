#include "testbench/family/schedule_nic/driver.h"

#include <algorithm>
#include <utility>

#include "platforms/schedule_nic/blocks.h"
#include "platforms/topology/files/anynet.h"
#include "testbench/collective/link_loads.h"
#include "testbench/observe/block_trace.h"
#include "testbench/workload/step_operations.h"
#include "testbench/workload/transfer_count.h"

namespace tributary {
namespace {

std::string module_name(const std::string& platform) { return platform.substr(0, platform.find(':')); }

Nic::Parts parts_of(const BlockFactories& blocks) {
  Nic::Parts parts;
  replace_blocks(parts, blocks);
  return parts;
}

}  // namespace

ScheduleNicDriver::ScheduleNicDriver(const RunSpec& spec, const NetworkParams& params, CompletionListener& listener)
    : params_(params),
      specs_(spec.jobs),
      jobs_(spec),
      steps_(std::any_of(spec.jobs.begin(), spec.jobs.end(), [](const JobSpec& j) { return j.step != nullptr; })),
      system_(module_name(spec.platform.name()).c_str(), topology::network(spec.platform),
              {params, spec.data != DataMode::none, spec.mode == SimulationMode::windowed, parts_of(spec.blocks), steps_,
               topology::link_cycles(spec.platform), spec.lanes()},
              listener),
      bottlenecks_(schedule_nic_bottlenecks(spec, params, [this](const ResultRow& row) { return chain_of(row); })) {}

std::string ScheduleNicDriver::key_of(const JobSpec& job, int chunks) const {
  std::string key = job.collective + " " + job.algorithm + " " + std::to_string(chunks) + " " + std::to_string(job.root);
  for (const int rank : job.ranks) key += " " + std::to_string(rank);
  return key;
}

const collective::NetworkSchedule& ScheduleNicDriver::schedule(const JobSpec& job, Bytes message) {
  const int chunks = pipeline_segments(job, message, params_);
  const std::string key = key_of(job, chunks);
  const auto known = schedules_.find(key);
  if (known != schedules_.end()) return known->second;
  return schedules_.emplace(key, proved_schedule(job, system_.schedule_network(), chunks)).first->second;
}

const collective::NetworkSchedule& ScheduleNicDriver::outline(const JobSpec& job, Bytes message) {
  const auto [known, is_new] = outlines_.try_emplace(key_of(job, 0));
  if (is_new) known->second = outline_of(job, system_.schedule_network());
  return known->second ? *known->second : schedule(job, message);
}

std::uint64_t ScheduleNicDriver::memory_bytes(const JobSpec& job, Bytes message) {
  if (job.step) return lowered_step(job).memory_bytes;
  const LoweredNetwork lowered = lower_network(job, message, schedule(job, message), system_);
  check_tables(job, lowered, params_);
  return lowered.memory_bytes;
}

LoweredStep ScheduleNicDriver::lowered_step(const JobSpec& job) {
  return lower_step(job, [&](const JobSpec& one, Bytes message) {
    LoweredNetwork lowered = lower_network(one, message, schedule(one, message), system_);
    check_tables(one, lowered, params_);
    return lowered;
  });
}

void ScheduleNicDriver::post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) {
  chunks_.resize(system_.endpoints());
  if (job.step) return post_step(job, start);
  LoweredNetwork lowered = lower_network(job, message, schedule(job, message), system_);
  for (std::size_t r = 0; r < lowered.work.size(); ++r) {
    const auto node = static_cast<unsigned>(job.ranks[r]);
    chunks_[node].clear();
    chunks_[node].add(lowered.work[r], 0);
    system_.node(node).post(std::move(lowered.work[r]), start(r));
  }
}

void ScheduleNicDriver::post_step(const JobSpec& job, const std::function<Tick(std::size_t rank)>& start) {
  LoweredStep step = lowered_step(job);
  std::vector<std::size_t> posted(step.work.size(), 0);  // operations of each rank
  for (const int rank : job.ranks) chunks_[static_cast<std::size_t>(rank)].clear();
  for (std::size_t i = 0; i < job.step->operations.size(); ++i)
    for (const int member : job.step->operations[i].members) {
      const auto rank = static_cast<std::size_t>(member);
      const NicProgram& program = step.work[rank].operations[posted[rank]++];
      chunks_[static_cast<std::size_t>(job.ranks[rank])].add(program, static_cast<std::uint32_t>(i));
    }
  for (std::size_t r = 0; r < step.work.size(); ++r) {
    const auto node = static_cast<unsigned>(job.ranks[r]);
    chunks_[node].set_places(step.work[r].places);
    system_.node(node).post_step(std::move(step.work[r]), start(r));
  }
}

PacketTrail ScheduleNicDriver::trail_of(const PacketView& packet) const {
  if (!steps_) return {chunk_of(packet), jobs_.of(packet.destination)};
  return {chunk_of(packet), chunks_.at(packet.destination).number(packet.address)};
}

PacketTrail ScheduleNicDriver::trail_of_entry(const ReductionEvent& event) const {
  if (steps_) return {};
  return {event.block, jobs_.of(event.source)};
}

std::uint64_t ScheduleNicDriver::chunk_of(const PacketView& packet) const {
  switch (static_cast<ChunkKind>(packet.opcode)) {
    case ChunkKind::command:
      return chunks_.at(packet.destination).chunk(packet.address, packet.slot);
    case ChunkKind::short_packet:
      return NodeChunks::none;
    default:
      return packet.slot;
  }
}

DriverFacets ScheduleNicDriver::facets() {
  DriverFacets facets;
  facets.trace = this;
  facets.timeline = this;
  facets.fluid = this;
  return facets;
}

bool ScheduleNicDriver::has_equal_latencies() const {
  return system_.network().grid || system_.network().name.rfind("file:", 0) != 0;
}

/// Links of a file may have latencies of their own, and a training step has several messages: their chain is not known. A
/// long schedule would cost more than its packets.
std::optional<NicChain> ScheduleNicDriver::chain_of(const ResultRow& row) {
  constexpr double most = 50'000;
  const JobSpec& job = specs_.at(row.job_index);
  if (job.step || !has_equal_latencies()) return std::nullopt;
  if (transfer_count(job, Bytes{row.size_bytes}) > most) return std::nullopt;
  NicFluidLowering lowering(system_, *this, NicAdding::serial);
  collective::ActivityGraph graph;
  for (const FluidLink& link : lowering.links())
    graph.add_link(1e12 * std::min(link.rate * 1e-12, credit_rate(params_, link.rate * 1e-12)));
  lowering.add(job, Bytes{row.size_bytes}, 0, graph);
  NicChain chain{collective::LongestChain(graph)};
  const auto links = static_cast<double>(chain.chain.crossed_links()),
             sends = static_cast<double>(chain.chain.arrivals() - chain.chain.arrivals(0));
  chain.routers = system_.network().direct() ? links + sends : links - sends;
  return chain;
}

/// Schedules of several jobs, and of several operations of a step, have chunks with the same numbers.
TracedNumbers ScheduleNicDriver::numbers(const std::vector<Task>& tasks) {
  int chunks = 0;
  const auto add = [&](const JobSpec& job, Bytes message) {
    chunks = std::max(chunks, schedule(job, message).schedule.chunks);
  };
  for (const Task& task : tasks)
    if (task.job->step)
      for (const JobStep::Part& part : task.job->step->operations) add(operation_of(*task.job, part), bytes(part.bytes));
    else
      add(*task.job, task.size);
  return {static_cast<std::uint64_t>(chunks), "the schedule", "chunk"};
}

std::unique_ptr<LifeTrace> ScheduleNicDriver::follow(const BlockQuery& query, const ProbeDirectory& probes) {
  return std::make_unique<BlockTrace>(system_.links(), probes, query,
                                      [this](const PacketView& packet) { return chunk_of(packet); });
}

std::unique_ptr<FluidLowering> ScheduleNicDriver::fluid() {
  NicSchedules& schedules = *this;
  return std::make_unique<NicFluidLowering>(system_, schedules);
}

double ScheduleNicDriver::bound(const JobSpec& job, Bytes message) {
  collective::NetworkSchedule on_links = outline(job, message);
  if (on_links.trees)
    for (collective::StepTree& tree : on_links.trees->trees)
      for (topology::PortRef& hop : tree.hops) hop = system_.port_of_unit(hop);
  const collective::LinkLoads loads = link_loads(system_.network(), on_links);
  const double efficiency = Segmentation(params_.flow_control).efficiency(message.value);
  return loads.busiest == 0 ? 0 : static_cast<double>(params_.link.rate.value) * 1e-9 * efficiency / loads.busiest;
}

}  // namespace tributary
