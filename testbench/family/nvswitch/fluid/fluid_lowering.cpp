#include "testbench/family/nvswitch/fluid/fluid_lowering.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "modules/protocol/nvlink.h"
#include "testbench/family/nvswitch/algorithms.h"
#include "testbench/family/nvswitch/fluid/fluid_algorithms.h"
#include "testbench/interchange/msccl/import.h"
#include "testbench/run/errors.h"
#include "testbench/workload/job_group.h"
#include "testbench/workload/transfer_count.h"

namespace tributary {
namespace {

using collective::Activity;
using collective::ActivityGraph;
using collective::Moment;
using Kind = DmaStage::Kind;

double ps(Time t) { return static_cast<double>(t.value); }

[[noreturn]] void refuse(const std::string& what, const std::string& legal) {
  throw SetupError("--mode fluid: " + what + " (legal: " + legal + ")");
}

/// Returns the bytes of the blocks that a stage requests.
std::uint64_t share_of(const DmaStage& s) {
  if (s.flags) return s.block_count * NvLink::flit_bytes;
  if (s.block_count == 0) return 0;
  const std::uint64_t end = std::min(s.message.bytes, (s.first_block + s.block_count) * block_bytes);
  return std::min(end - s.first_block * block_bytes, s.share_bytes);
}

}  // namespace

NvSwitchFluidLowering::NvSwitchFluidLowering(const NvSwitchPlatform& system, const NvSwitchPlatformParams& params,
                                             FabricManager& fabric)
    : system_(system), params_(params), fabric_(fabric), links_(system) {}

void NvSwitchFluidLowering::check(const JobSpec& job) const {
  const NvSwitchParams& s = params_.switches;
  if (params_.fabric.hash != FabricHash::interleave)
    refuse("flows spread evenly over planes, home ports and trunks", "nvswitch.fabric.hash=interleave");
  if (!system_.machine().shape.links.empty())
    refuse("flows do not support machines that links describe, such as a100, h100 and those of files", "dgx2, fat_tree");
  if (params_.link.bit_error_rate > 0) refuse("flows have no retransmission", "nvswitch.link.bit_error_rate=0");
  if (s.input_discipline != InputDiscipline::voq || s.crossbar.speedup < 2)
    refuse("flows cross switches without waiting for each other",
           "nvswitch.switch.input_discipline=voq, nvswitch.switch.crossbar.speedup of at least 2");
  if (s.crossbar.arbitration != 0_ns)
    refuse("flows cross switches without arbitration", "nvswitch.switch.crossbar.arbitration=0ns");
  const std::string name = job.collective + " by " + job.algorithm;
  const Bytes largest = largest_by_flows(job);
  if (largest == 0_B)
    refuse(name + " lies further than 5 % from its packets",
           "the algorithms in the table of docs/results/fluid.md, or by packets");
  for (const WorkItem& item : job.items)
    if (item.size > largest)
      refuse(name + " of " + to_string(item.size) + " may lie further than 5 % from its packets",
             "up to " + to_string(largest) + ", or by packets");
  if (nvswitch_algorithm(job).reduces == Reduces::in_gpus && params_.ring.sync == RingSync::fence)
    refuse("a step of flows ends with its last byte", "nvswitch.ring.sync=counted");
  if (nvswitch_algorithm(job).schedule != nullptr) return;
  if (params_.acks == AckMode::merged) refuse("each copy of a flow has its acks", "nvswitch.acks=separate or none");
  const DmaParams& dma = params_.gpu.dma;
  if (params_.gpu.initiator != Initiator::dma || dma.counter_lookup != CounterLookup::address ||
      dma.issue_order.window != 0 || params_.pull.segmentation != PullSegmentation::waves ||
      params_.pull.wave_done != PullWaveDone::response)
    refuse("flows model the DMA engine with waves and in order", "the defaults of nvswitch.gpu.dma.* and nvswitch.pull.*");
  const ReductionTableParams& table = s.reduction_table;
  const bool push = nvswitch_algorithm(job).reduces == Reduces::at_home_ports;
  if (push && (table.bytes->value < 256 || table.order != ReductionOrder::arrival || *dma.waves == 0))
    refuse("flows evict nothing from reduction tables",
           "nvswitch.switch.reduction_table.bytes of at least 256B, its order=arrival, and waves");
  if (nvswitch_algorithm(job).reduces != Reduces::in_gpus && table.add_cycles != 0)
    refuse("flows add without latency", "nvswitch.switch.reduction_table.add_cycles=0");
}

/// Stages of DMA engines are few; a software schedule has an activity for each send. The all-reduce of a plane is cut into
/// slices, whose order costs the proof more.
double NvSwitchFluidLowering::memory(const JobSpec& job, Bytes message) const {
  const NvSwitchAlgorithm& algorithm = nvswitch_algorithm(job);
  if (algorithm.schedule == nullptr || msccl::names_file(job.algorithm)) return 0;
  const auto ranks = static_cast<double>(job.ranks.size());
  const double transfers = transfer_count(job, message);
  const int slices = algorithm.follows_plane && collective_of(job.collective).passes > 1
                         ? plane_slices(job.ranks.size(), message.value / job.ranks.size())
                         : 1;
  return transfers * slices * (3'500 + 16 * ranks * slices);
}

/// Returns the latency from a GPU to another through `switches` switches, without reads: header first, tail last.
double NvSwitchFluidLowering::route(int switches) const {
  const double packet = 1e12 * 9 * NvLink::flit_bytes / static_cast<double>(params_.link.rate.value);
  return (switches + 1) * ps(params_.link.latency) + switches * ps(params_.switches.latency) + packet;
}

void NvSwitchFluidLowering::add(const JobSpec& job, Bytes message, double start, ActivityGraph& graph) {
  const Lowered lowered = lower(job, message, params_, fabric_);
  const std::vector<int> gpus = job.ranks;
  if (std::any_of(lowered.operations.begin(), lowered.operations.end(),
                  [](const GpuProgram& program) { return !program.commands.empty(); }))
    return add_commands(gpus, lowered, start, graph);
  std::size_t stages = 0;
  for (const GpuProgram& program : lowered.operations) stages = std::max(stages, program.stages.size());
  Id before = graph.add_point();
  graph.not_before(before, start);
  for (std::size_t s = 0; s < stages; ++s) {
    const Id stage = add_stage(gpus, lowered, s, graph);
    graph.after(stage, before, Moment::arrived);
    before = stage;
  }
}

/// Chunks that a GPU sends concurrently share its links, because buffers on the path even out their order; local stores
/// follow one another. A block is read, then sent; one more read sees a slot. The last of many blocks has the longest read
/// latency, a single block the mean one.
void NvSwitchFluidLowering::add_commands(const std::vector<int>& gpus, const Lowered& lowered, double start,
                                         ActivityGraph& graph) {
  const auto gpu_count = static_cast<std::uint32_t>(system_.gpu_count());
  const MemoryParams& memory = params_.gpu.memory;
  const double read = ps(memory.latency) + ps(memory.jitter), poll = ps(memory.latency) + ps(memory.jitter) / 2;
  std::map<std::tuple<int, int, std::uint16_t>, std::vector<Id>> sent;  // (from, to, slot) in the order of use
  std::vector<std::vector<Id>> of(lowered.operations.size());
  for (std::size_t r = 0; r < lowered.operations.size(); ++r)
    for (const GpuCommand& c : lowered.operations[r].commands) {
      Activity a;
      const std::uint64_t bytes = std::min<std::uint64_t>(c.bytes, c.block_count * block_bytes);
      const auto gpu = gpus[r];
      if (c.send && bytes > 0) {
        FluidLoads loads(links_, params_, system_.machine());
        loads.write(gpu, c.send->gpu, bytes);
        a.bytes = static_cast<double>(bytes);
        a.uses = loads.uses(a.bytes);
        a.latency = read + route(links_.switches(links_.board(gpu) != links_.board(c.send->gpu)));
      } else if (c.store && bytes > 0) {
        a.bytes = static_cast<double>(bytes);
        a.cap = static_cast<double>(params_.gpu.executor.local_rate.value);
        a.latency = read;
        a.lane = gpu_count + static_cast<std::uint32_t>(gpu);
      }
      const Id id = graph.add(a);
      graph.not_before(id, start);
      of[r].push_back(id);
      if (c.send && bytes > 0) sent[{gpu, c.send->gpu, c.send->slot}].push_back(id);
    }
  std::map<std::tuple<int, int, std::uint16_t>, std::size_t> used;
  for (std::size_t r = 0; r < lowered.operations.size(); ++r) {
    const std::vector<GpuCommand>& commands = lowered.operations[r].commands;
    for (std::size_t c = 0; c < commands.size(); ++c) {
      for (const std::uint32_t before : commands[c].after) graph.after(of[r][c], of[r][before], Moment::sent);
      if (!commands[c].receive || commands[c].block_count == 0) continue;
      const std::tuple key(static_cast<int>(commands[c].receive->gpu), gpus[r], commands[c].receive->slot);
      graph.after(of[r][c], sent.at(key).at(used[key]++), Moment::arrived, poll);
    }
  }
}

/// Adds one activity for all GPUs, with the loads of all of them on all links. Waves and replication cap its rate.
NvSwitchFluidLowering::Id NvSwitchFluidLowering::add_stage(const std::vector<int>& gpus, const Lowered& lowered,
                                                           std::size_t stage, ActivityGraph& graph) {
  std::vector<int> members;
  for (std::size_t r = 0; r < lowered.operations.size(); ++r)
    if (stage < lowered.operations[r].stages.size()) members.push_back(gpus[r]);
  bool one_board = true;
  for (const int m : members) one_board = one_board && links_.board(m) == links_.board(members.front());
  const double d = links_.switches(true), near = links_.switches(!one_board);
  const double link = ps(params_.link.latency), inside = ps(params_.switches.latency);
  const double read = ps(params_.gpu.memory.latency) + ps(params_.gpu.memory.jitter);
  const double packet = 1e12 * 9 * NvLink::flit_bytes / static_cast<double>(params_.link.rate.value);
  const double p = static_cast<double>(members.size()), window = static_cast<double>(*params_.gpu.dma.waves);
  FluidLoads loads(links_, params_, system_.machine());
  Activity a;
  double sources = 0, widest = 0, turn = 0;
  bool pushes = false;
  for (std::size_t r = 0; r < lowered.operations.size(); ++r) {
    if (stage >= lowered.operations[r].stages.size()) continue;
    const DmaStage& s = lowered.operations[r].stages[stage];
    const std::uint64_t bytes = share_of(s);
    if (bytes == 0 || s.kind == Kind::none || (pushes && s.kind == Kind::push)) continue;
    sources += 1;
    widest = std::max(widest, static_cast<double>(bytes));
    if (s.kind == Kind::push) {  // all members write simultaneously
      pushes = true;
      loads.push(members, s.root ? std::vector<int>{*s.root} : members, bytes);
      a.bytes = static_cast<double>(bytes);
      turn = std::max(turn, read + 2 * d * link + (2 * d - 1) * inside + p * packet);
    } else {
      a.bytes += static_cast<double>(bytes);
      double latency = 0;
      if (s.kind == Kind::pull) {
        loads.pull(gpus[r], members, bytes);
        latency += route(static_cast<int>(near)) * 2 + (p - 1) * packet;
      }
      if (s.kind == Kind::multicast || !s.keeps) {
        loads.multicast(gpus[r], members, bytes);
        latency += route(static_cast<int>(near));
      }
      turn = std::max(turn, read + latency);
    }
  }
  a.uses = loads.uses(std::max(1.0, a.bytes));
  a.latency = turn;
  if (window > 0 && a.bytes > 0)
    a.cap = window * static_cast<double>(params_.gpu.dma.wave_bytes.value) * (a.bytes / widest) / turn * 1e12;
  return graph.add(a);
}

}  // namespace tributary
