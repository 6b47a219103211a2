#include "testbench/collective/flow_model.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "modules/protocol/roce.h"

namespace tributary::collective {
namespace {

/// Payload and frame size (headers and FCS included) of the baselines, derived from measured goodput and throughput.
constexpr double datagram_gap = EthernetFrame::preamble + EthernetFrame::gap;
constexpr double aggregation_header = 16;
constexpr double switchml_payload = 128, switchml_frame = 128 + 55;
constexpr double atp_payload = 256, atp_frame = 256 + 68, atp_passes = 2;

double wire_time(const FlowParams& p, double bytes) { return write_wire_bytes(bytes, p.payload) / p.inter_rate; }
double packet_wire_time(const FlowParams& p) {
  return EthernetFrame::wire_bytes(FrameKind::write_middle, p.payload) / p.inter_rate;
}

int ranks(const FlowParams& p) { return p.machines * p.gpus; }

/// Latency from a NIC to another NIC, or to the accelerator, of the same leaf.
double leaf_path(const FlowParams& p) { return 2 * p.cable + p.switching; }
/// Extra latency of the path over the spine.
double spine_detour(const FlowParams& p) { return 2 * (p.uplink + p.switching); }
double step_latency(const FlowParams& p) { return p.send + leaf_path(p) + p.receive; }

/// Latency from the last bit at a host to the last bit of the result at its successor. Each accelerator stores the packet;
/// with a spine the packet passes the accelerators of a leaf, of the spine, and of a leaf again.
double aggregation_path(const FlowParams& p) {
  const double stored = p.accelerator + packet_wire_time(p);
  if (p.racks == 1) return 2 * leaf_path(p) + stored;
  return 2 * leaf_path(p) + 2 * (leaf_path(p) + spine_detour(p) / 2) + 3 * stored;
}

/// Time of the messages of `rings` rings sent back to back, in windows of `rings` x N messages.
double messages_time(const FlowParams& p, double bytes, int rings) {
  const double count = rings * std::ceil(bytes / rings / message_bytes(p)), window = 1.0 * p.window * rings;
  const double length = message_time(p), waited = window_turnaround(p);
  const double period = std::max(window * length, length + waited);  // time of one window
  const double last = std::floor((count - 1) / window) * period + std::fmod(count - 1, window) * length;
  return p.send + last + length + aggregation_path(p) + p.receive;
}

/// A rank begins send s when send s-1 of its predecessor has arrived and its own send s-1 is out. Timing repeats with the
/// position of a rank in its machine, or in its rack if there are several racks.
double ring_time(const FlowParams& p, double bytes) {
  struct Link {
    double latency, busy;
  };
  const int size = ranks(p), period = p.racks == 1 ? p.gpus : size / p.racks;
  const double chunk = bytes / size;
  std::vector<Link> links;
  for (int r = 0; r < period; ++r)
    links.push_back((r + 1) % p.gpus == 0 ? Link{step_latency(p), wire_time(p, chunk)}
                                          : Link{p.step_time, chunk / p.intra_rate});
  if (p.racks > 1) links.back().latency += spine_detour(p);
  std::vector<double> idle(links.size()), arrived(links.size()), next(links.size());
  for (int step = 0; step < 2 * (size - 1); ++step) {
    for (std::size_t r = 0; r < links.size(); ++r) {
      const double begin = std::max(idle[r], arrived[r]);
      idle[r] = begin + links[r].busy;
      next[(r + 1) % links.size()] = idle[r] + links[r].latency;
    }
    arrived.swap(next);
  }
  return *std::max_element(arrived.begin(), arrived.end());
}

bool is_power_of_two(int x) { return (x & (x - 1)) == 0; }

/// Exchanges by distance: first with the far half of the ranks. All machines of a rack share its link to the spine.
double halving_doubling_time(const FlowParams& p, double bytes) {
  double seconds = 0;
  const int in_rack = p.machines / p.racks;
  for (int distance = p.machines / 2; distance >= 1; distance /= 2) {
    const double part = bytes * distance / p.machines;
    const bool far = distance >= in_rack;
    seconds += 2 * (step_latency(p) + wire_time(p, part) * (far ? in_rack : 1) + (far ? spine_detour(p) : 0));
  }
  return seconds;
}

/// One server, whose NIC receives P M and sends P M, message by message.
double server_time(const FlowParams& p, double bytes) {
  const double slice = std::min(bytes, message_bytes(p)), slices = std::ceil(bytes / slice);
  return 2 * step_latency(p) + p.machines * (slices + 1) * wire_time(p, slice) + (p.racks > 1 ? 2 * spine_detour(p) : 0);
}

/// Time of packets sent one every `gap` seconds.
double packets_time(const FlowParams& p, double bytes, double payload, double gap) {
  return std::ceil(bytes / payload) * gap + step_latency(p);
}

void add_machines(std::vector<FlowEstimate>& all, const FlowParams& p, double M) {
  const double n = p.gpus, P = ranks(p);
  const double around = 2 * (p.machines - 1.0) / p.machines;
  const double halves = 2 * (n - 1) * (p.step_time + M / (n * p.intra_rate));
  all.push_back({"parallel_netreduce", halves + messages_time(p, M, p.gpus), M});
  FlowParams rings = p;
  rings.gpus = 1;
  // The rings of a machine share its NIC, so each ring step transfers n chunks.
  all.push_back({"parallel_ring", halves + ring_time(rings, M), around * M});
  const double master = (n + 3 * std::log2(n) - 1) * p.step_time + 4 * (n - 1) / n * M / p.intra_rate;
  all.push_back({"tencent", master + ring_time(rings, M), around * M});
  all.push_back({"ring", ring_time(p, M), 2 * (P - 1) / P * M});
}

void add_hosts(std::vector<FlowEstimate>& all, const FlowParams& p, double M) {
  const double P = p.machines, around = 2 * (P - 1) / P;
  all.push_back({"netreduce", messages_time(p, M, 1), M});
  all.push_back({"ring", ring_time(p, M), around * M});
  if (is_power_of_two(p.machines)) all.push_back({"halving_doubling", halving_doubling_time(p, M), around * M});
  all.push_back({"parameter_server", server_time(p, M), P * M});
  if (p.racks > 1) return;
  const double switchml = std::max((switchml_frame + datagram_gap) / p.inter_rate, p.packet_time);
  const double atp = std::max(atp_frame + datagram_gap, atp_passes * atp_frame) / p.inter_rate;
  const double one = EthernetFrame::wire_bytes(FrameKind::write_only_immediate, p.payload) / p.inter_rate;
  all.push_back({"switchml", packets_time(p, M, switchml_payload, switchml), M});
  all.push_back({"atp", packets_time(p, M, atp_payload, atp), M});
  all.push_back({"switchml_rdma", packets_time(p, M, p.payload, std::max(one, p.rdma_round_trip / p.rdma_window)), M});
}

}  // namespace

double write_wire_bytes(double bytes, unsigned payload) {
  const double packets = std::ceil(bytes / payload);
  const double each = EthernetFrame::wire_bytes(FrameKind::write_middle, payload) - 1.0 * payload;
  return bytes + packets * each + EthernetFrame::reth + EthernetFrame::immediate;
}

double message_bytes(const FlowParams& p) { return 1.0 * p.payload * p.message_packets - aggregation_header; }
double message_time(const FlowParams& p) { return wire_time(p, 1.0 * p.payload * p.message_packets); }
double window_turnaround(const FlowParams& p) { return aggregation_path(p) + p.receive + p.turnaround + p.send; }
double window_share(const FlowParams& p) {
  return std::min(1.0, p.window * message_time(p) / (message_time(p) + window_turnaround(p)));
}

std::vector<FlowEstimate> flow_estimates(const FlowParams& p, double bytes) {
  if (p.machines % p.racks != 0)
    throw std::invalid_argument(std::to_string(p.machines) + " machines cannot be divided evenly among " +
                                std::to_string(p.racks) + " racks");
  std::vector<FlowEstimate> all;
  p.gpus == 1 ? add_hosts(all, p, bytes) : add_machines(all, p, bytes);
  return all;
}

}  // namespace tributary::collective
