#include "testbench/collective/fluid/ethernet_flows.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "modules/protocol/roce.h"
#include "testbench/collective/fluid/fluid_run.h"
#include "testbench/collective/fluid/machine_flows.h"

namespace tributary::collective {
namespace {

using Id = ActivityGraph::Id;

/// Frames of the baselines: payload and headers with FCS, derived from measured goodput and throughput.
constexpr double datagram_gap = EthernetFrame::preamble + EthernetFrame::gap;
constexpr double aggregation_header = 16;
constexpr double switchml_payload = 128, switchml_frame = 128 + 55;
constexpr double atp_payload = 256, atp_frame = 256 + 68, atp_passes = 2;
constexpr double ps = 1e12;  ///< per second

int ranks(const FlowParams& p) { return p.machines * p.gpus; }
double write_bytes(const FlowParams& p, double bytes) { return write_wire_bytes(bytes, p.payload); }

/// From a NIC to another one of the same leaf, or to the accelerator.
double leaf_path(const FlowParams& p) { return 2 * p.cable + p.switching; }
/// Additional latency of a path over the spine.
double spine_detour(const FlowParams& p) { return 2 * (p.uplink + p.switching); }
double step_latency(const FlowParams& p) { return p.send + leaf_path(p) + p.receive; }

/// From the last bit at a host to the last bit of the result at its successor. Each accelerator stores the packet; with a
/// spine, a packet passes the accelerators of a leaf, of the spine, and of a leaf.
double aggregation_path(const FlowParams& p) {
  const double stored = p.accelerator + EthernetFrame::wire_bytes(FrameKind::write_middle, p.payload) / p.inter_rate;
  if (p.racks == 1) return 2 * leaf_path(p) + stored;
  return 2 * leaf_path(p) + 2 * (leaf_path(p) + spine_detour(p) / 2) + 3 * stored;
}

/// One activity after another. All machines do the same at the same time, so one of them is modelled.
class Chain {
 public:
  /// `bytes` over a link of `rate`; the next activity starts `latency` seconds after the last byte.
  void send(double bytes, double rate, double latency = 0, double cap = no_cap) {
    Activity a;
    a.bytes = bytes;
    a.uses = {{graph_.add_link(rate), 1}};
    a.cap = cap;
    a.latency = latency * ps;
    append(a);
  }
  void wait(double seconds) {
    Activity a;
    a.latency = seconds * ps;
    append(a);
  }
  double seconds() const { return seconds_of(graph_); }

 private:
  void append(const Activity& a) {
    const Id id = graph_.add(a);
    if (id > 0) graph_.after(id, id - 1, Moment::arrived);
  }
  ActivityGraph graph_;
};

/// Messages of `rings` rings one after another, in windows of `rings` x N. All windows but the last are one activity, which
/// the wire or the turnaround of a window bounds.
double messages_time(const FlowParams& p, double bytes, int rings) {
  const double count = rings * std::ceil(bytes / rings / message_bytes(p)), window = 1.0 * p.window * rings;
  const double wire = write_bytes(p, 1.0 * p.payload * p.message_packets);
  const double windows = std::floor((count - 1) / window), last = std::fmod(count - 1, window) + 1;
  Chain chain;
  chain.wait(p.send);
  if (windows > 0)
    chain.send(windows * window * wire, p.inter_rate, 0, window * wire / (message_time(p) + window_turnaround(p)));
  chain.send(last * wire, p.inter_rate, aggregation_path(p) + p.receive);
  return chain.seconds();
}

/// A ring in which send s of a rank waits for send s-1 of its predecessor to arrive and for its own send s-1 to end. Ranks
/// at the same position of a machine, or with several racks of a rack, are at equal times, so one such period is modelled.
/// Few activities of other steps depend on each other, so long rings run in blocks of steps.
class RingFlows {
 public:
  RingFlows(const FlowParams& p, double bytes) : steps_(2 * (ranks(p) - 1)) {
    const int size = ranks(p), period = p.racks == 1 ? p.gpus : size / p.racks;
    const double chunk = bytes / size;
    for (int r = 0; r < period; ++r) {
      const bool leaves = (r + 1) % p.gpus == 0;
      Activity a;
      a.bytes = leaves ? write_bytes(p, chunk) : chunk;
      a.latency = (leaves ? step_latency(p) : p.step_time) * ps;
      sends_.push_back(a);
      rates_.push_back(leaves ? p.inter_rate : p.intra_rate);
    }
    if (p.racks > 1) sends_.back().latency += spine_detour(p) * ps;
  }

  double seconds() {
    constexpr std::size_t block = 1 << 18;  // activities
    const int most = std::max(1, static_cast<int>(block / sends_.size()));
    std::vector<double> idle(sends_.size(), 0), arrived(sends_.size(), 0);  // ps
    for (int step = 0; step < steps_; step += most) run(std::min(most, steps_ - step), idle, arrived);
    return *std::max_element(arrived.begin(), arrived.end()) / ps;
  }

 private:
  /// Times before and after these steps: the end of the last own send, and the arrival of the last send of the predecessor.
  void run(int steps, std::vector<double>& idle, std::vector<double>& arrived) const {
    const std::size_t n = sends_.size();
    ActivityGraph graph;
    for (const double rate : rates_) graph.add_link(rate);
    for (int step = 0; step < steps; ++step)
      for (std::size_t r = 0; r < n; ++r) {
        Activity a = sends_[r];
        a.uses = {{static_cast<std::uint32_t>(r), 1}};
        const Id id = graph.add(a);
        if (step == 0) {
          graph.not_before(id, std::max(idle[r], arrived[r]));
          continue;
        }
        const auto before = static_cast<Id>(id - n);
        graph.after(id, before, Moment::sent);
        graph.after(id, r == 0 ? static_cast<Id>(id - 1) : before - 1, Moment::arrived);
      }
    FluidRun flows(graph);
    flows.run();
    for (std::size_t r = 0; r < n; ++r) {
      const auto last = static_cast<Id>(graph.size() - n + r);
      idle[r] = flows.sent(last);
      arrived[(r + 1) % n] = flows.arrived(last);
    }
  }

  int steps_;
  std::vector<Activity> sends_;  ///< by position
  std::vector<double> rates_;
};

double ring_time(const FlowParams& p, double bytes) { return RingFlows(p, bytes).seconds(); }

bool is_power_of_two(int x) { return (x & (x - 1)) == 0; }

/// Halving by distance, first with the far half of the ranks. All machines of a rack share its link to the spine.
double halving_doubling_time(const FlowParams& p, double bytes) {
  Chain chain;
  const int in_rack = p.machines / p.racks;
  for (int distance = p.machines / 2; distance >= 1; distance /= 2) {
    const bool far = distance >= in_rack;
    const double part = write_bytes(p, bytes * distance / p.machines);
    for (int half = 0; half < 2; ++half)
      chain.send(far ? part * in_rack : part, p.inter_rate, step_latency(p) + (far ? spine_detour(p) : 0));
  }
  return chain.seconds();
}

/// One server, whose NIC receives P M and sends P M, slice by slice: it sends a slice after all machines have sent theirs.
double server_time(const FlowParams& p, double bytes) {
  const double slice = std::min(bytes, message_bytes(p)), slices = std::ceil(bytes / slice);
  const double latency = step_latency(p) + (p.racks > 1 ? spine_detour(p) : 0);
  const double wire = p.machines * write_bytes(p, slice);
  Chain chain;
  chain.send(wire, p.inter_rate, latency);
  chain.send(wire * slices, p.inter_rate, latency);  // receives the other slices meanwhile
  return chain.seconds();
}

/// Packets one after another, each of `wire` bytes, at most `cap` packets per second.
double packets_time(const FlowParams& p, double bytes, double payload, double wire, double cap) {
  const double packets = std::ceil(bytes / payload);
  Chain chain;
  chain.send(packets * wire, p.inter_rate, step_latency(p), cap * wire);
  return chain.seconds();
}

/// The steps of a reduce-scatter or an all-gather in a machine.
double half_time(const FlowParams& p, double bytes) {
  Chain chain;
  for (int step = 0; step + 1 < p.gpus; ++step) chain.send(bytes / p.gpus, p.intra_rate, p.step_time);
  return chain.seconds();
}

/// Reduction to a master of each machine and broadcast from it (Tencent).
double master_time(const FlowParams& p, double bytes) {
  const double n = p.gpus;
  Chain chain;
  chain.send(4 * (n - 1) / n * bytes, p.intra_rate, (n + 3 * std::log2(n) - 1) * p.step_time);
  return chain.seconds();
}

void add_machines(std::vector<FlowEstimate>& all, const FlowParams& p, double M) {
  const double P = ranks(p), around = 2 * (p.machines - 1.0) / p.machines;
  const double halves = 2 * half_time(p, M);
  FlowParams masters = p;
  masters.gpus = 1;
  // The rings of a machine share its NIC, so each of their steps sends the chunks of all GPUs.
  const double ring = ring_time(masters, M);
  all.push_back({"parallel_netreduce", halves + messages_time(p, M, p.gpus), M});
  all.push_back({"parallel_ring", halves + ring, around * M});
  all.push_back({"tencent", master_time(p, M) + ring, around * M});
  all.push_back({"ring", ring_time(p, M), 2 * (P - 1) / P * M});
}

void add_hosts(std::vector<FlowEstimate>& all, const FlowParams& p, double M) {
  const double P = p.machines, around = 2 * (P - 1) / P;
  all.push_back({"netreduce", messages_time(p, M, 1), M});
  all.push_back({"ring", ring_time(p, M), around * M});
  if (is_power_of_two(p.machines)) all.push_back({"halving_doubling", halving_doubling_time(p, M), around * M});
  all.push_back({"parameter_server", server_time(p, M), P * M});
  if (p.racks > 1) return;
  const double host = p.packet_time > 0 ? 1 / p.packet_time : no_cap;
  const double passes = p.inter_rate / (atp_passes * atp_frame);
  const double one = EthernetFrame::wire_bytes(FrameKind::write_only_immediate, p.payload);
  all.push_back({"switchml", packets_time(p, M, switchml_payload, switchml_frame + datagram_gap, host), M});
  all.push_back({"atp", packets_time(p, M, atp_payload, atp_frame + datagram_gap, passes), M});
  all.push_back({"switchml_rdma", packets_time(p, M, p.payload, one, p.rdma_window / p.rdma_round_trip), M});
}

}  // namespace

double write_wire_bytes(double bytes, unsigned payload) {
  const double packets = std::ceil(bytes / payload);
  const double each = EthernetFrame::wire_bytes(FrameKind::write_middle, payload) - 1.0 * payload;
  return bytes + packets * each + EthernetFrame::reth + EthernetFrame::immediate;
}

double message_bytes(const FlowParams& p) { return 1.0 * p.payload * p.message_packets - aggregation_header; }
double message_time(const FlowParams& p) { return write_bytes(p, 1.0 * p.payload * p.message_packets) / p.inter_rate; }
double window_turnaround(const FlowParams& p) { return aggregation_path(p) + p.receive + p.turnaround + p.send; }
double window_share(const FlowParams& p) {
  return std::min(1.0, p.window * message_time(p) / (message_time(p) + window_turnaround(p)));
}

std::vector<FlowEstimate> flow_estimates(const FlowParams& p, double bytes) {
  if (p.machines % p.racks != 0)
    throw std::invalid_argument(std::to_string(p.machines) + " machines in " + std::to_string(p.racks) + " racks");
  std::vector<FlowEstimate> all;
  p.gpus == 1 ? add_hosts(all, p, bytes) : add_machines(all, p, bytes);
  return all;
}

}  // namespace tributary::collective
