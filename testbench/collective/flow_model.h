#pragma once
/// All-reduce times over Ethernet computed from frames, rates and windows: the expected time of a run without loss
/// (docs/systems/netreduce.md#window, #formats, #baselines).

#include <cstdint>
#include <string>
#include <vector>

namespace tributary::collective {

/// Times in seconds, rates in bytes per second.
struct FlowParams {
  int machines = 4;
  int gpus = 1;                     ///< per machine, sharing one NIC
  int racks = 1;                    ///< above 1: leaves joined by a spine, one link each; machines are divided evenly
  double inter_rate = 12.5e9;       ///< bandwidth of a link between machines
  double intra_rate = 150e9;        ///< bandwidth between GPUs of a machine
  double step_time = 1e-6;          ///< latency of a step within a machine
  unsigned payload = 1024;          ///< payload of a RoCE packet, bytes
  unsigned message_packets = 170;   ///< MsgLen
  unsigned window = 2;              ///< N, messages
  double turnaround = 0;            ///< host time from a result to the next message
  double send = 1.6e-6;             ///< NIC time from a request to its first bit
  double receive = 1.3e-6;          ///< NIC time from the last bit to the host
  double cable = 10e-9;             ///< delay of a cable to a leaf
  double uplink = 50e-9;            ///< delay of a cable from a leaf to the spine
  double switching = 300e-9;        ///< cut-through latency of a switch
  double accelerator = 198.592e-9;  ///< time from the last bit in to the first bit out: 64 cycles of 3103 ps
  double packet_time = 31.3e-9;     ///< least time per packet in SwitchML's host software
  double rdma_round_trip = 8.1e-6;  ///< round trip of SwitchML-RDMA
  unsigned rdma_window = 82;        ///< window of SwitchML-RDMA, packets
};

struct FlowEstimate {
  std::string algorithm;
  double seconds = 0;
  double busiest_bytes = 0;  ///< tensor bytes sent by the busiest NIC
};

/// Bytes on the wire of one WRITE, including preambles and gaps; its last packet carries an immediate.
double write_wire_bytes(double bytes, unsigned payload);
/// L: time of a NetReduce message on the wire.
double message_time(const FlowParams& params);
/// Tensor bytes of a message.
double message_bytes(const FlowParams& params);
/// R: time from the last bit of a message to the first bit of the message that its result admits.
double window_turnaround(const FlowParams& params);
/// Fraction of the link rate that the window allows: min(1, N L / (L + R)).
double window_share(const FlowParams& params);

/// Estimates for all algorithms that run on such machines, for `bytes` > 0 of tensor per GPU. Throws std::invalid_argument
/// if `racks` does not divide `machines`.
std::vector<FlowEstimate> flow_estimates(const FlowParams& params, double bytes);

}  // namespace tributary::collective
