#include "testbench/family/netreduce/fluid/fluid_lowering.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "modules/base/index.h"
#include "modules/netreduce/accelerator_params.h"
#include "testbench/family/netreduce/algorithms.h"
#include "testbench/family/netreduce/lowering.h"
#include "testbench/family/netreduce/ring_job.h"
#include "testbench/run/errors.h"
#include "testbench/workload/job_group.h"
#include "testbench/workload/transfer_count.h"

namespace tributary {
namespace {

using collective::Activity;
using collective::ActivityGraph;
using collective::FlowParams;
using collective::Moment;
using Id = ActivityGraph::Id;

[[noreturn]] void refuse(const std::string& what, const std::string& legal) {
  throw SetupError("--mode fluid: " + what + " (legal: " + legal + ")");
}

double seconds(Time t) { return static_cast<double>(t.value) * 1e-12; }
double rate(Bandwidth b) { return static_cast<double>(b.value); }

std::string module_of(const std::string& end) { return end.substr(0, end.find('.')); }

/// Returns the latency of a path over `links` links: through a leaf, or through leaf, spine and leaf.
double path(int links, const FlowParams& p) {
  return 2 * p.cable + p.switching + (links > 2 ? 2 * (p.uplink + p.switching) : 0);
}

/// Algorithms whose flows lie within 5 % of packets from 1 MiB on (docs/results/fluid.md). Frames that several hosts send to
/// one, or several racks over one link to the spine, wait in queues and are dropped if these are full.
struct Offered {
  std::string_view collective, algorithm;
  bool over_spine;
};
constexpr Offered offered[] = {{"allreduce", "netreduce", true},
                               {"allreduce", "ring", true},
                               {"broadcast", "netreduce", true},
                               {"broadcast", "ring", true},
                               {"broadcast", "double_binary_tree", true},
                               {"reduce", "netreduce", true},
                               {"reduce", "ring", true},
                               {"reduce_scatter", "netreduce", true},
                               {"reduce_scatter", "ring", true},
                               {"allgather", "netreduce", true},
                               {"allgather", "ring", true},
                               {"alltoall", "direct", false}};

bool is_offered(const JobSpec& job, bool over_spine) {
  return std::any_of(std::begin(offered), std::end(offered), [&](const Offered& o) {
    return o.collective == job.collective && o.algorithm == job.algorithm && (o.over_spine || !over_spine);
  });
}

/// Compares all parameters on which an accelerator's latency depends.
bool has_default_pipeline(const AcceleratorParams& p) {
  const AcceleratorParams standard;
  return p.clock == standard.clock && p.beat == standard.beat && p.mac_cycles == standard.mac_cycles &&
         p.lookup_cycles == standard.lookup_cycles && p.add_cycles == standard.add_cycles && p.order == standard.order;
}

}  // namespace

HostFluidLowering::HostFluidLowering(const NetReducePlatform& system, CommandsOf commands_of)
    : system_(system), commands_of_(std::move(commands_of)) {
  for (std::size_t l = 0; l < system.links().size(); ++l) {
    const std::string& name = system.links()[l].name;
    const auto arrow = name.find('>');
    by_ends_.emplace(std::make_pair(module_of(name), module_of(name.substr(arrow + 1))), static_cast<std::uint32_t>(l));
    links_.push_back({static_cast<double>(system.links()[l].transmitter->rate().value), {l}});
  }
}

void HostFluidLowering::check(const JobSpec& job) const { check_host_flows(job, system_.params(), system_.racks()); }

void check_host_flows(const JobSpec& job, const NetReducePlatformParams& p, const topology::Racks& racks) {
  if (racks.gpus > 1)
    refuse("flows do not support hosts with several GPUs", "rack:H, spine_leaf:RxH; or tributary estimate --mode fluid");
  if (!is_offered(job, racks.tree()))
    refuse(job.collective + " by " + job.algorithm + " lies further than 5 % from its packets",
           "the algorithms in the table of docs/results/fluid.md, or by packets");
  if (p.link.loss_rate > 0 || p.link.answer_loss_rate.value_or(0) > 0 || p.link.bit_error_rate > 0)
    refuse("flows lose nothing", "netreduce.link.loss_rate=0, answer_loss_rate=0, bit_error_rate=0");
  if (p.nic.dcqcn.on || p.ethernet_switch.pfc.on || p.ethernet_switch.ecn.on)
    refuse("flows share links without queues", "netreduce.nic.dcqcn.on, netreduce.switch.pfc.on and ecn.on=false");
  if (p.spines > 1) refuse("flows do not choose among spines", "netreduce.spines=1");
  if (p.ethernet_switch.forwarding != SwitchingMode::cut_through || !has_default_pipeline(p.accelerator))
    refuse("flows have the default latencies", "netreduce.switch.forwarding=cut_through, the accelerator's defaults");
}

/// An all-reduce of rings is one activity; a software schedule has one for each slice that a host sends. One rank proves a
/// schedule whose parts go round.
double HostFluidLowering::memory(const JobSpec& job, Bytes message) const {
  const NetReduceAlgorithm& algorithm = netreduce_algorithm(job);
  if (algorithm.role == HostRole::flow_control) return 0;
  const double bytes_each =  // with the schedule and its proof
      algorithm.parts_go_round ? 1'500 : 2'300 + 16 * static_cast<double>(job.ranks.size());
  return bytes_each * transfer_count(job, message, system_.params().host.slice.value);
}

void HostFluidLowering::add(const JobSpec& job, Bytes message, double start, Graph& graph) {
  if (netreduce_algorithm(job).role == HostRole::flow_control) return add_rings(job, message, start, graph);
  add_commands(job, message, start, graph);
}

std::uint32_t HostFluidLowering::link(const std::string& from, const std::string& to) const {
  return by_ends_.at({from, to});
}

std::string HostFluidLowering::leaf_of(int host) const {
  const topology::Racks& racks = system_.racks();
  return racks.tree() ? "leaf" + std::to_string(racks.rack_of(host)) : "switch";
}

std::vector<std::uint32_t> HostFluidLowering::route(int from, int to) const {
  const auto host = [](int h) { return "host" + std::to_string(h); };
  const auto leaf = [this](int h) { return leaf_of(h); };
  std::vector<std::uint32_t> links{link(host(from), leaf(from))};
  if (leaf(from) != leaf(to)) {
    links.push_back(link(leaf(from), "spine"));
    links.push_back(link("spine", leaf(to)));
  }
  links.push_back(link(leaf(to), host(to)));
  return links;
}

FlowParams HostFluidLowering::flow_params(const JobSpec& job) const {
  const NetReducePlatformParams& p = system_.params();
  std::set<int> racks;
  for (const int rank : job.ranks) racks.insert(system_.racks().rack_of(rank / gpus()));
  return host_flow_params(static_cast<int>(job.ranks.size()), static_cast<int>(racks.size()), p);
}

FlowParams host_flow_params(int hosts, int racks, const NetReducePlatformParams& p) {
  FlowParams flow;
  flow.machines = hosts;
  flow.racks = racks;
  flow.inter_rate = rate(p.link.rate);
  flow.payload = static_cast<unsigned>(p.nic.mtu.value);
  flow.message_packets = p.flow_control.messages.message_packets;
  flow.window = p.flow_control.messages.window;
  flow.turnaround = seconds(p.flow_control.turnaround);
  flow.send = seconds(p.nic.tx_latency);
  flow.receive = seconds(p.nic.rx_latency);
  flow.cable = seconds(p.link.latency);
  flow.uplink = seconds(p.link.uplink_latency);
  flow.switching = seconds(p.ethernet_switch.latency);
  return flow;
}

/// Returns the bytes of a ring on each link. In an all-reduce each link carries all messages.
std::map<std::uint32_t, double> HostFluidLowering::ring_bytes(const JobSpec& job, const RingJob& ring, double wire) const {
  std::map<std::uint32_t, double> used;
  const auto size = static_cast<unsigned>(job.ranks.size());
  if (!ring.ring_plan().pattern.by_packet()) {
    for (unsigned r = 0; r < size; ++r)  // to the switch that returns the sum
      for (const std::uint32_t hop : route(job.ranks[r], job.ranks[(r + 1) % size])) used[hop] = wire;
    return used;
  }
  const RingBytes bytes = ring.bytes();
  const topology::Racks& racks = system_.racks();
  std::map<int, std::vector<unsigned>> ranks_of;  // by rack
  for (unsigned r = 0; r < size; ++r) {
    const std::string host = "host" + std::to_string(job.ranks[r]);
    const std::string leaf = leaf_of(job.ranks[r]);
    used[link(host, leaf)] = static_cast<double>(bytes.sent(r));
    used[link(leaf, host)] = static_cast<double>(bytes.received(r));
    ranks_of[racks.rack_of(job.ranks[r])].push_back(r);
  }
  if (ranks_of.size() > 1)
    for (const auto& [rack, ranks] : ranks_of) {
      const std::string leaf = "leaf" + std::to_string(rack);
      used[link(leaf, "spine")] = static_cast<double>(bytes.up(ranks));
      used[link("spine", leaf)] = static_cast<double>(bytes.down(ranks));
    }
  return used;
}

/// All hosts send messages and receive results at one rate: that of the busiest link or of the adders, or of a window in the
/// time from its first message to the next one that it admits. The latency adds the path of the last message.
void HostFluidLowering::add_rings(const JobSpec& job, Bytes message, double start, Graph& graph) const {
  const NetReducePlatformParams& p = system_.params();
  const FlowParams flow = flow_params(job);
  const auto mtu = static_cast<unsigned>(p.nic.mtu.value);
  const RingJob ring(job, message, p);
  const double bytes = static_cast<double>(message.value), count = ring.messages();
  const double whole = count * static_cast<double>(write_wire_bytes(std::uint64_t{flow.message_packets} * mtu, mtu));
  const std::map<std::uint32_t, double> used = ring_bytes(job, ring, whole);
  double most = 0;
  for (const auto& [hop, load] : used) most = std::max(most, load);
  const double beats = std::ceil(mtu / static_cast<double>(p.accelerator.beat.value)) + 1;
  // Packets without data need a cycle or two, which are left out; an all-reduce pads its last message with data.
  const double full = ring.ring_plan().pattern.by_packet() ? std::ceil(bytes / mtu) : count * flow.message_packets;
  const double adding = full / count * beats * seconds(p.accelerator.clock);
  const double length = std::max(most / count / flow.inter_rate, adding), turn = window_turnaround(flow);
  const double window = flow.window, period = std::max(window * length, length + turn);
  Activity a;
  a.bytes = bytes;
  a.cap = window * bytes / count / period;
  if (p.host.inter_rate) a.cap = std::min(a.cap, rate(*p.host.inter_rate));
  for (const auto& [hop, load] : used) a.uses.push_back({hop, load / bytes});
  // Messages of the last window take no full period.
  const double last = std::floor((count - 1) / window) * period + std::fmod(count - 1, window) * length;
  a.latency = std::max(0.0, turn - flow.turnaround + last + length - count / window * period) * 1e12;
  const Id id = graph.add(a);
  graph.not_before(id, start);
}

/// Returns the transfer of a chunk between two endpoints: over the links of their hosts, or between GPUs of one host.
Activity HostFluidLowering::transfer(int from, int to, std::uint64_t bytes, const FlowParams& flow) const {
  const NetReducePlatformParams& p = system_.params();
  Activity a;
  a.bytes = static_cast<double>(bytes);
  const int source = from / gpus(), sink = to / gpus();
  if (source == sink) {
    a.cap = rate(p.host.intra_rate);
    a.latency = static_cast<double>(p.host.hop.value);
    a.lane = static_cast<std::uint32_t>(from) * system_.endpoints() + static_cast<std::uint32_t>(from);
    return a;
  }
  const double wire = static_cast<double>(write_wire_bytes(bytes, flow.payload)) / a.bytes;
  const std::vector<std::uint32_t> hops = route(source, sink);
  for (const std::uint32_t hop : hops) a.uses.push_back({hop, wire});
  if (p.host.inter_rate) a.cap = rate(*p.host.inter_rate);
  a.latency = 1e12 * (flow.send + path(static_cast<int>(hops.size()), flow) + flow.receive);
  a.lane = static_cast<std::uint32_t>(from) * system_.endpoints() + static_cast<std::uint32_t>(to);
  return a;
}

/// Chunks to one host are sent one after another, with at most `in_flight` unacknowledged bytes. A chunk that is added has
/// arrived when the host has added it.
void HostFluidLowering::add_commands(const JobSpec& job, Bytes message, double start, Graph& graph) const {
  const NetReducePlatformParams& p = system_.params();
  const ChunkCommands commands = commands_of_(job, message);
  const std::vector<int> ends = gpus_of(job, group_of(job));
  const FlowParams flow = flow_params(job);
  std::vector<std::vector<ChunkCommand>> of;
  std::vector<std::vector<Id>> ids(ends.size());
  for (std::size_t r = 0; r < ends.size(); ++r) {
    of.push_back(commands.of_rank(static_cast<int>(r)));
    for (const ChunkCommand& c : of.back()) {
      Activity a;
      if (c.send && c.bytes > 0) a = transfer(ends[r], ends[at(c.send->rank)], c.bytes, flow);
      ids[r].push_back(graph.add(a));
      graph.not_before(ids[r].back(), start);
    }
  }
  // From the arrival of a chunk to the arrival of its ACK: the host agents of both hosts count from the last bit on the
  // wire.
  const double acked = seconds(p.nic.ack_latency) + seconds(p.nic.completion_latency) - flow.receive;
  for (std::size_t r = 0; r < ends.size(); ++r) {
    std::map<int, std::vector<std::size_t>> sent;  // by host, commands in order
    for (std::size_t c = 0; c < of[r].size(); ++c) {
      for (const std::uint32_t before : of[r][c].after) graph.after(ids[r][c], ids[r][before], Moment::sent);
      if (!of[r][c].send) continue;
      const std::size_t to = at(of[r][c].send->rank), there = of[r][c].send->command;
      const bool local = ends[r] / gpus() == ends[to] / gpus(), adds = of[to][there].reduce && !local;
      const double adding = adds ? static_cast<double>(of[r][c].bytes) / rate(p.host.reduction_rate) : 0;
      graph.after(ids[to][there], ids[r][c], Moment::arrived, 1e12 * adding, host_adding);
      if (local) continue;
      std::vector<std::size_t>& earlier = sent[of[r][c].send->rank];
      std::uint64_t in_flight = 0;
      for (auto e = earlier.rbegin(); e != earlier.rend(); ++e) {
        if ((in_flight += of[r][*e].bytes) < p.host.in_flight.value) continue;
        const double back = path(static_cast<int>(route(ends[r] / gpus(), ends[to] / gpus()).size()), flow);
        graph.after(ids[r][c], ids[r][*e], Moment::arrived, 1e12 * std::max(0.0, acked + back), host_answer);
        break;
      }
      earlier.push_back(c);
    }
  }
}

}  // namespace tributary
