#pragma once
/// Times of an all-reduce over Ethernet by arithmetic on frames, rates and windows: what a run without loss should take
/// (docs/systems/netreduce.md#window, #formats, #baselines).

#include <cstdint>
#include <string>
#include <vector>

namespace tributary::collective {

/// Times in seconds, rates in bytes per second.
struct FlowParams {
  int machines = 4;
  int gpus = 1;                     ///< in each machine; they share one NIC
  int racks = 1;                    ///< more: a spine above the leaves, one link from each; machines are divided evenly
  double inter_rate = 12.5e9;       ///< of a link between machines
  double intra_rate = 150e9;        ///< between GPUs of a machine
  double step_time = 1e-6;          ///< of a step in a machine
  unsigned payload = 1024;          ///< of a RoCE packet, bytes
  unsigned message_packets = 170;   ///< MsgLen
  unsigned window = 2;              ///< N, messages
  double turnaround = 0;            ///< of the host, from a result to the next message
  double send = 1.6e-6;             ///< of a NIC, from a request to its first bit
  double receive = 1.3e-6;          ///< of a NIC, from the last bit to the host
  double cable = 10e-9;             ///< to a leaf
  double uplink = 50e-9;            ///< from a leaf to a spine
  double switching = 300e-9;        ///< of a switch, cut-through
  double accelerator = 198.592e-9;  ///< from the last bit in to the first bit out: 64 cycles of 3103 ps
  double packet_time = 31.3e-9;     ///< of SwitchML's host software, at least
  double rdma_round_trip = 8.1e-6;  ///< of SwitchML-RDMA
  unsigned rdma_window = 82;        ///< of SwitchML-RDMA, packets
};

struct FlowEstimate {
  std::string algorithm;
  double seconds = 0;
  double busiest_bytes = 0;  ///< of the tensor, that the busiest NIC sends
};

/// Bytes on the wire of one WRITE, preambles and gaps included; its last packet carries an immediate.
double write_wire_bytes(double bytes, unsigned payload);
/// L: a message of NetReduce on the wire.
double message_time(const FlowParams& params);
/// Tensor bytes of a message.
double message_bytes(const FlowParams& params);
/// R: from the last bit of a message to the first bit of the one that its result admits.
double window_turnaround(const FlowParams& params);
/// Share of the wire that the window admits: min(1, N L / (L + R)).
double window_share(const FlowParams& params);

/// All algorithms that run on such machines, for `bytes` > 0 of tensor per GPU. Throws std::invalid_argument when the racks
/// do not divide the machines.
std::vector<FlowEstimate> flow_estimates(const FlowParams& params, double bytes);

}  // namespace tributary::collective
