// Documentation of the counters in results. A test fails if a counter is missing here, or if no platform has a counter
// listed here.

#include "testbench/report/result_fields.h"

namespace tributary {
namespace {

constexpr const char* on_gpus = "machines of GPUs and NVSwitches";
constexpr const char* on_nics = "networks of schedule NICs";
constexpr const char* on_hosts = "hosts on Ethernet (racks)";
constexpr const char* on_tofino = "programmable switch";
constexpr const char* on_servers = "servers of GPUs with copy engines";
constexpr const char* on_all = "all";

}  // namespace

const std::vector<CounterInfo>& counter_infos() {
  static const std::vector<CounterInfo> infos{
      {"packet_latency_ns.mean", "ns", "mean packet latency, from the request at its generator to the delivery", on_all},
      {"packet_latency_ns.p99", "ns", "99th percentile of the packet latency", on_all},
      {"wire_latency_ns.mean", "ns", "mean latency from a packet's first flit on a wire to its delivery (--wire-latency)",
       on_all},
      {"wire_latency_ns.p99", "ns", "99th percentile of the wire latency", on_all},
      {"switch.allocations", "events", "entries allocated in reduction tables", on_gpus},
      {"switch.merges", "events", "operands added to an entry", on_gpus},
      {"switch.completions", "events", "completed entries, whose sums were forwarded", on_gpus},
      {"switch.evictions", "events", "incomplete entries evicted for lack of room", on_gpus},
      {"switch.timeouts", "events", "incomplete entries forwarded after their timeout", on_gpus},
      {"switch.stalls", "events", "pulls that waited for an entry at their first hop", on_gpus},
      {"switch.misses", "events", "packets that passed a table without finding an entry", on_gpus},
      {"switch.ack_merges", "events", "acks merged in a switch", on_gpus},
      {"switch.ack_passes", "events", "acks that passed a switch unmerged", on_gpus},
      {"switch.ack_refusals", "events", "acks that found the ack table full", on_gpus},
      {"switch.crossbar_bytes", "B", "bytes that crossed switches: each copy of a multicast, and operands into tables",
       on_gpus},
      {"gpu.partials", "packets", "partial sums that arrived at their home GPU", on_gpus},
      {"gpu.home_results", "packets", "results that a home GPU sent instead of a switch", on_gpus},
      {"gpu.dma_retries", "events", "retries of a DMA engine to get a wave counter", on_gpus},
      {"gpu.memory_reads", "accesses", "reads of GPU memory by packets", on_gpus},
      {"gpu.memory_writes", "accesses", "writes of GPU memory by packets", on_gpus},
      {"gpu.added_elements", "elements", "operands that GPUs added: executors, home GPUs, pulls, kernels", on_gpus},
      {"gpu.copied_bytes", "B", "bytes that copy engines moved", on_gpus},
      {"link.crc_errors", "packets", "packets that a receiver rejected for a wrong checksum", on_gpus},
      {"link.retransmissions", "packets", "packets retransmitted on a link", on_gpus},
      {"link.duplicates_dropped", "packets", "packets that arrived twice on a link and were dropped", on_gpus},
      {"nic.packets_read", "packets", "packets whose data a NIC read from memory", on_nics},
      {"nic.packets_written", "packets", "packets whose data a NIC wrote to memory", on_nics},
      {"nic.added_elements", "elements", "operands that reduction units of NICs added", on_nics},
      {"nic.table_reads", "rows", "rows read from schedule tables", on_nics},
      {"router.buffer_bytes", "B", "bytes that crossed routers, each after its time in an input buffer", on_nics},
      {"nic.accepted", "packets", "packets accepted in sequence", on_hosts},
      {"nic.duplicates", "packets", "packets received before", on_hosts},
      {"nic.nacks_sent", "packets", "NACKs sent for a sequence gap", on_hosts},
      {"nic.nacks", "packets", "NACKs received by senders", on_hosts},
      {"nic.rewinds", "events", "restarts of senders from an earlier packet", on_hosts},
      {"nic.timeouts", "events", "timeouts of senders without an acknowledgement", on_hosts},
      {"nic.retries", "packets", "packets retransmitted by senders", on_hosts},
      {"nic.fcs_errors", "frames", "frames with a wrong FCS at a NIC", on_hosts},
      {"nic.icrc_errors", "frames", "frames with a wrong ICRC at a NIC", on_hosts},
      {"nic.malformed", "frames", "frames with invalid headers", on_hosts},
      {"nic.cnps_sent", "packets", "congestion notifications sent (DCQCN)", on_hosts},
      {"nic.cnps", "packets", "congestion notifications received by senders (DCQCN)", on_hosts},
      {"nic.rate_gbps.min", "Gb/s", "lowest rate of any sender under DCQCN", on_hosts},
      {"switch.drops", "frames", "frames dropped for lack of buffer in a switch", on_hosts},
      {"switch.fcs_errors", "frames", "frames with a wrong FCS at a switch", on_hosts},
      {"switch.ecn_marks", "frames", "frames marked for congestion", on_hosts},
      {"switch.pauses", "frames", "pause frames sent", on_hosts},
      {"switch.drops.*", "frames", "the same counter for one switch of a tree, if not 0", on_hosts},
      {"switch.fcs_errors.*", "frames", "the same counter for one switch of a tree, if not 0", on_hosts},
      {"switch.ecn_marks.*", "frames", "the same counter for one switch of a tree, if not 0", on_hosts},
      {"switch.pauses.*", "frames", "the same counter for one switch of a tree, if not 0", on_hosts},
      {"accelerator.slot.completed", "slots", "completed sums", on_hosts},
      {"accelerator.slot.duplicate", "packets", "operands that the slot had received before", on_hosts},
      {"accelerator.slot.stale", "packets", "operands for a slot that was already released", on_hosts},
      {"accelerator.slot.refused", "packets", "operands for which no slot was free", on_hosts},
      {"accelerator.reemissions", "packets", "sums sent repeatedly", on_hosts},
      {"accelerator.clt.unknown", "packets", "packets of connections that are not in the table", on_hosts},
      {"accelerator.clt.stale", "packets", "packets of a message older than the table's", on_hosts},
      {"accelerator.clt.refused", "packets", "first packets for which the table had no entry", on_hosts},
      {"accelerator.clt.behind", "packets", "first packets of a message that precedes the known one", on_hosts},
      {"accelerator.ctt.miss", "packets", "results whose connection to the receiver is unknown", on_hosts},
      {"accelerator.dropped", "frames", "frames that belong to no ring, or whose first packet is missing", on_hosts},
      {"accelerator.input_fifo.max_bytes", "bytes", "largest fill of an input FIFO of an accelerator, if a buffer is finite",
       on_hosts},
      {"accelerator.input_fifo.drops", "frames", "frames dropped by a full input FIFO", on_hosts},
      {"accelerator.input_fifo.pauses", "frames", "pause frames of accelerators to their switches", on_hosts},
      {"accelerator.output_queue.max_bytes", "bytes", "largest fill of an output queue of an accelerator", on_hosts},
      {"accelerator.slot_waits", "messages", "messages that had to wait for slots, with netreduce.admission=share",
       on_hosts},
      {"accelerator.fallbacks", "jobs", "jobs that fell back to a ring over RDMA, with netreduce.admission=fallback",
       on_hosts},
      {"accelerator.fcs_errors", "frames", "frames with a wrong FCS at an accelerator", on_hosts},
      {"accelerator.icrc_errors", "frames", "frames with a wrong ICRC at an accelerator", on_hosts},
      {"worker.resent", "packets", "packets that a worker retransmitted after a timeout", on_tofino},
      {"worker.round_trip_ns.mean", "ns", "mean time from a worker's update to its result", on_tofino},
      {"copied.nvlink_bytes", "B", "bytes copied over NVLinks", on_servers},
      {"copied.pcie_bytes", "B", "bytes copied over PCIe", on_servers},
      {"copied.network_bytes", "B", "bytes copied over NICs and the network between servers", on_servers},
      {"kernel.bytes_read", "B", "bytes that kernels and channels read to add or copy in a GPU", on_gpus},
      {"kernel.bytes_written", "B", "bytes that they wrote", on_gpus},
      {"memory.read_bytes", "B",
       "bytes of GPU memory read by copies and steps of channels that send, with blink.memory.rate", on_servers},
      {"memory.written_bytes", "B", "bytes of packets written to GPU memory on arrival, with blink.memory.rate", on_servers},
      {"memory.operand_bytes", "B",
       "bytes of GPU memory read and written by kernels, and by steps of channels that send nothing, with blink.memory.rate",
       on_servers},
      {"memory.busy_ns", "ns", "time in which memories of GPUs served requests, over all GPUs, with blink.memory.rate",
       on_servers},
      {"background.sent", "packets", "packets of background traffic sent (--background)", on_all},
      {"background.delivered", "packets", "packets of background traffic delivered", on_all},
      {"background.skipped", "packets", "packets of background traffic not generated, because a queue was full", on_all},
      {"background.acks", "packets", "acks of background traffic", on_all},
      {"background.dropped", "packets", "packets of background traffic dropped by switches", on_hosts},
      {"background_latency_ns.*", "ns", "packet latency of background traffic: mean, p50, p99, max", on_all},
  };
  return infos;
}

}  // namespace tributary
