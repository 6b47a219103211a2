#pragma once
/// All-reduces over Ethernet as flows of frames: times of runs without loss, from rates, frames and windows
/// (docs/systems/netreduce.md#window, #formats, #baselines; docs/estimate.md).

#include <cstdint>
#include <string>
#include <vector>

namespace tributary::collective {

/// Times in seconds, rates in bytes per second.
struct FlowParams {
  int machines = 4;
  int gpus = 1;                ///< in each machine; they share one NIC
  int racks = 1;               ///< if more than 1: one link from each leaf to a spine; the racks have equally many machines
  double inter_rate = 12.5e9;  ///< rate of a link between machines
  double intra_rate = 150e9;   ///< rate between GPUs of a machine
  double step_time = 1e-6;     ///< latency of a step in a machine
  unsigned payload = 1024;     ///< payload of a RoCE packet, bytes
  unsigned message_packets = 170;   ///< MsgLen
  unsigned window = 2;              ///< N: messages in flight
  double turnaround = 0;            ///< host: from a result to the next message
  double send = 1.6e-6;             ///< NIC: from a request to its first bit
  double receive = 1.3e-6;          ///< NIC: from the last bit to the host
  double cable = 10e-9;             ///< latency of the cable to a leaf
  double uplink = 50e-9;            ///< latency of the cable from a leaf to a spine
  double switching = 300e-9;        ///< latency of a cut-through switch
  double accelerator = 198.592e-9;  ///< from the last bit in to the first bit out: 64 cycles of 3103 ps
  double packet_time = 31.3e-9;     ///< shortest time per packet of SwitchML's host software
  double rdma_round_trip = 8.1e-6;  ///< round trip of SwitchML-RDMA
  unsigned rdma_window = 82;        ///< packets in flight of SwitchML-RDMA
};

struct FlowEstimate {
  std::string algorithm;
  double seconds = 0;
  double busiest_bytes = 0;  ///< bytes of the tensor that the busiest NIC sends
};

/// Returns the bytes of one WRITE on the wire, with preambles and gaps; its last packet carries an immediate.
double write_wire_bytes(double bytes, unsigned payload);
/// Returns L, the time of a message of NetReduce on the wire.
double message_time(const FlowParams& params);
/// Returns the bytes of the tensor in a message.
double message_bytes(const FlowParams& params);
/// Returns R, the time from the last bit of a message to the first bit of the message that its result admits.
double window_turnaround(const FlowParams& params);
/// Returns the fraction of the wire rate that the window admits: min(1, N L / (L + R)).
double window_share(const FlowParams& params);

/// Runs the flows of all algorithms that such machines support, for tensors of `bytes` > 0 per GPU. Throws
/// std::invalid_argument if the number of machines is no multiple of the number of racks.
std::vector<FlowEstimate> flow_estimates(const FlowParams& params, double bytes);

}  // namespace tributary::collective
