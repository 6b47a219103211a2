#include "testbench/family/blink/stream_flows.h"

#include <algorithm>
#include <string>

#include "testbench/family/blink/channel_algorithms.h"
#include "testbench/run/errors.h"
#include "testbench/run/stream_bottlenecks.h"

namespace tributary {
namespace {

using collective::Activity;
using collective::Moment;
using Kind = StreamCommand::Kind;

constexpr double flit_bytes = 16, record_flits = 2;

[[noreturn]] void refuse(const std::string& what, const std::string& legal) {
  throw SetupError("--mode fluid: " + what + " (legal: " + legal + ")");
}

double ps(Time t) { return static_cast<double>(t.value); }

/// Returns 3 for `gpu3.port1`, and -1 if the end is no GPU.
int gpu_of(const std::string& end) {
  if (end.rfind("gpu", 0) != 0) return -1;
  return std::stoi(end.substr(3));
}

}  // namespace

StreamFlows::StreamFlows(const BlinkPlatform& system, PlanOf plan_of) : system_(system), plan_of_(std::move(plan_of)) {
  for (std::size_t l = 0; l < system.links().size(); ++l) {
    const std::string& name = system.links()[l].name;
    const int from = gpu_of(name), to = gpu_of(name.substr(name.find('>') + 1));
    if (from < 0 || to < 0 || system.servers().nvlinks(from, to) == 0) continue;
    const auto [place, added] = by_ends_.emplace(std::make_pair(from, to), static_cast<std::uint32_t>(links_.size()));
    if (added) links_.push_back({0, {}});
    FluidLink& all = links_[place->second];
    all.rate += static_cast<double>(system.links()[l].transmitter->rate().value);
    all.links.push_back(l);
  }
}

void StreamFlows::check(const JobSpec& job) const {
  const StreamGpuParams& gpu = system_.params().gpu;
  if (has_channels(job)) refuse("kernels of NCCL pace each other step by step", "algorithm blink, or simulation by packets");
  if (system_.servers().servers() > 1 || system_.servers().switched())
    refuse("copies that share links are not modelled", "one server of direct NVLinks, such as dgx1v or dgx1p");
  if (gpu.copy.arbitration != CopyArbitration::first)
    refuse("a copy holds its links until it ends", "blink.copy.arbitration=first");
  if (gpu.streams.issue > 0_ns) refuse("all commands are issued at the start", "blink.streams.issue=0ns");
  if (gpu.streams.doorbell > 0_ns) refuse("all commands are announced at the start", "blink.streams.doorbell=0ns");
  if (gpu.copy.completion > 0_ns) refuse("an engine is free with the links of its copy", "blink.copy.completion=0ns");
  if (gpu.copy.clock > 0_ns) refuse("copies begin and end at any time", "blink.copy.clock=0ns");
  if (gpu.copy.rate.value != 0 || gpu.copy.window.value != 0 || gpu.memory.latency > 0_ns)
    refuse("a copy has the rate of its links", "blink.copy.rate=0GB/s, blink.copy.window=0B and blink.memory.latency=0ns");
  if (gpu.memory.rate.value != 0) refuse("the memory of GPUs has no limit", "blink.memory.rate=0GB/s");
  std::map<int, unsigned> peers;
  for (const auto& [ends, link] : by_ends_) ++peers[ends.first];
  for (const auto& [number, count] : peers)
    if (gpu.copy.concurrent() < count || gpu.copy.links != EngineLinks::all)
      refuse("waits for copy engines are not modelled", "blink" + std::string(engines_parameter(gpu.copy)) +
                                                            " of at least " + std::to_string(count) +
                                                            " and blink.copy.links=all");
  for (const WorkItem& item : job.items)
    for (const StreamProgram& program : plan_of_(job, item.size).programs)
      for (const StreamCommand& c : program.commands)
        if (c.reads)
          refuse("engines of senders write", "blink.copies=write");
        else if (c.kind == Kind::peer_switch ||
                 ((c.kind == Kind::copy || c.kind == Kind::record) && c.path != CopyPath::nvlink))
          refuse("copies of this job cross PCIe", "GPUs that NVLinks join");
}

void StreamFlows::add(const JobSpec& job, Bytes message, double start, Graph& graph) {
  const std::vector<StreamProgram>& programs = plan_of_(job, message).programs;
  const StreamGpuParams& p = system_.params().gpu;
  const Id begin = graph.add_point();
  graph.not_before(begin, start);
  std::vector<std::vector<Id>> ids(programs.size());
  // Records in order with the GPU that issues them, by GPU and semaphore.
  std::map<std::pair<int, std::uint32_t>, std::vector<std::pair<Id, int>>> records;
  for (std::size_t r = 0; r < programs.size(); ++r) {
    std::map<std::uint32_t, Id> last;  // by hardware queue
    for (const StreamCommand& c : programs[r].commands) {
      Id& queue = last.try_emplace(c.stream % p.streams.queues, begin).first->second;
      queue = add_command(c, job.ranks[r], queue, graph);
      ids[r].push_back(queue);
      if (c.kind == Kind::record) records[{c.peer, c.semaphore}].emplace_back(queue, job.ranks[r]);
    }
  }
  const double wire = 1e12 * record_flits * flit_bytes / static_cast<double>(p.nvlink.rate->value);
  for (std::size_t r = 0; r < programs.size(); ++r)
    for (std::size_t c = 0; c < programs[r].commands.size(); ++c) {
      const StreamCommand& wait = programs[r].commands[c];
      if (wait.kind != Kind::wait || wait.value == 0) continue;
      const auto [record, from] = records.at({job.ranks[r], wait.semaphore}).at(wait.value - 1);
      const double route = from == job.ranks[r] ? 0 : wire + ps(p.nvlink.latency);
      graph.after(ids[r][c], record, Moment::sent, route + ps(p.streams.acquire));
    }
}

StreamFlows::Id StreamFlows::add_command(const StreamCommand& c, int gpu, Id before, Graph& graph) const {
  const StreamsParams& p = system_.params().gpu.streams;
  if (c.kind == Kind::copy) return add_copy(c, gpu, before, graph);
  if (c.kind == Kind::kernel) return add_kernel(c, gpu, before, graph);
  const Id id = graph.add_point();
  graph.after(id, before, Moment::sent, ps(c.kind == Kind::wait ? p.acquire : p.release));
  return id;
}

/// A link carries one copy at a time, from the launch of the copy to its end.
StreamFlows::Id StreamFlows::add_copy(const StreamCommand& copy, int gpu, Id before, Graph& graph) const {
  const StreamGpuParams& p = system_.params().gpu;
  const std::uint32_t link = by_ends_.at({gpu, copy.peer});
  const double payload = static_cast<double>(p.nvlink.payload.value), weight = (payload + flit_bytes) / payload;
  Activity a;
  a.bytes = static_cast<double>(copy.bytes);
  a.uses = {{link, weight}};
  if (a.bytes > 0) a.cap = a.bytes / (ps(p.copy.launch) * 1e-12 + a.bytes * weight / links_[link].rate);
  a.lane = link;
  const Id id = graph.add(a);
  graph.after(id, before, Moment::sent, ps(p.copy.fetch));
  return id;
}

/// Launches of kernels overlap with kernels; kernels run one after another.
StreamFlows::Id StreamFlows::add_kernel(const StreamCommand& kernel, int gpu, Id before, Graph& graph) const {
  const KernelParams& p = system_.params().gpu.kernel;
  Activity a;
  a.bytes = static_cast<double>(kernel.bytes);
  a.cap = static_cast<double>(p.rate->value) * 3 / (kernel.input_count + 2.0);
  a.lane = static_cast<std::uint32_t>(links_.size()) + static_cast<std::uint32_t>(gpu);
  const Id id = graph.add(a);
  graph.after(id, before, Moment::sent, ps(p.launch));
  return id;
}

}  // namespace tributary
