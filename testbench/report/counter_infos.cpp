// What the counters of results mean. A counter that stands here without a platform that has it, or is not here, fails a
// test.

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
      {"packet_latency_ns.mean", "ns", "from the time a packet's request stood at its generator to its delivery: mean",
       on_all},
      {"packet_latency_ns.p99", "ns", "the same: 99 of 100 packets took at most that", on_all},
      {"wire_latency_ns.mean", "ns", "from a packet's first flit on a wire to its delivery (--wire-latency): mean", on_all},
      {"wire_latency_ns.p99", "ns", "the same: 99 of 100", on_all},
      {"switch.allocations", "events", "entries of reduction tables taken", on_gpus},
      {"switch.merges", "events", "operands added to an entry", on_gpus},
      {"switch.completions", "events", "entries complete, whose sums went on", on_gpus},
      {"switch.evictions", "events", "entries sent on incomplete, for want of room", on_gpus},
      {"switch.timeouts", "events", "entries sent on incomplete, after their timeout", on_gpus},
      {"switch.stalls", "events", "pulls that found no entry at their first hop, and had to wait", on_gpus},
      {"switch.misses", "events", "packets that went past a table for want of an entry", on_gpus},
      {"switch.ack_merges", "events", "acks joined in a switch", on_gpus},
      {"switch.ack_passes", "events", "acks that passed a switch as they were", on_gpus},
      {"switch.ack_refusals", "events", "acks that found the table of acks full", on_gpus},
      {"gpu.partials", "packets", "partial sums that came to their home GPU", on_gpus},
      {"gpu.home_results", "packets", "results that a home GPU sent in place of a switch", on_gpus},
      {"gpu.dma_retries", "events", "tries of a DMA engine to get a wave counter, but the first", on_gpus},
      {"gpu.memory_reads", "accesses", "reads of GPU memory by packets", on_gpus},
      {"gpu.memory_writes", "accesses", "writes of GPU memory by packets", on_gpus},
      {"gpu.copied_bytes", "B", "bytes that copy engines moved", on_gpus},
      {"link.crc_errors", "packets", "packets that a receiver refused for a wrong checksum", on_gpus},
      {"link.retransmissions", "packets", "packets that a link sent again", on_gpus},
      {"link.duplicates_dropped", "packets", "packets that came twice over a link", on_gpus},
      {"nic.packets_read", "packets", "packets whose data a NIC read from memory", on_nics},
      {"nic.packets_written", "packets", "packets whose data a NIC wrote to memory", on_nics},
      {"nic.accepted", "packets", "packets taken in the order of their numbers", on_hosts},
      {"nic.duplicates", "packets", "packets that had come before", on_hosts},
      {"nic.nacks_sent", "packets", "NACKs sent for a gap", on_hosts},
      {"nic.nacks", "packets", "NACKs that came back to a sender", on_hosts},
      {"nic.rewinds", "events", "senders that began again from a packet", on_hosts},
      {"nic.timeouts", "events", "timeouts of senders without an acknowledgement", on_hosts},
      {"nic.retries", "packets", "packets that a sender sent again", on_hosts},
      {"nic.fcs_errors", "frames", "frames with a wrong FCS at a NIC", on_hosts},
      {"nic.icrc_errors", "frames", "frames with a wrong ICRC at a NIC", on_hosts},
      {"nic.malformed", "frames", "frames whose headers make no sense", on_hosts},
      {"nic.cnps_sent", "packets", "congestion notifications sent (DCQCN)", on_hosts},
      {"nic.cnps", "packets", "congestion notifications that came to a sender (DCQCN)", on_hosts},
      {"nic.rate_gbps.min", "Gb/s", "lowest rate that DCQCN gave any sender", on_hosts},
      {"switch.drops", "frames", "frames for which a switch had no buffer", on_hosts},
      {"switch.fcs_errors", "frames", "frames with a wrong FCS at a switch", on_hosts},
      {"switch.ecn_marks", "frames", "frames marked for congestion", on_hosts},
      {"switch.pauses", "frames", "frames that told a neighbour to pause", on_hosts},
      {"switch.drops.*", "frames", "the same of one switch of a tree, where there are any", on_hosts},
      {"switch.fcs_errors.*", "frames", "the same of one switch of a tree, where there are any", on_hosts},
      {"switch.ecn_marks.*", "frames", "the same of one switch of a tree, where there are any", on_hosts},
      {"switch.pauses.*", "frames", "the same of one switch of a tree, where there are any", on_hosts},
      {"accelerator.slot.completed", "slots", "sums complete", on_hosts},
      {"accelerator.slot.duplicate", "packets", "operands that a slot already had", on_hosts},
      {"accelerator.slot.stale", "packets", "operands for a slot that was free again", on_hosts},
      {"accelerator.slot.refused", "packets", "operands that no slot could take", on_hosts},
      {"accelerator.reemissions", "packets", "sums sent again", on_hosts},
      {"accelerator.clt.unknown", "packets", "packets of a connection that the table does not know", on_hosts},
      {"accelerator.clt.stale", "packets", "packets of a message that the table has left behind", on_hosts},
      {"accelerator.clt.refused", "packets", "first packets for which the table had no entry", on_hosts},
      {"accelerator.clt.behind", "packets", "first packets of a message before the one that is known", on_hosts},
      {"accelerator.ctt.miss", "packets", "results without a known connection to their receiver", on_hosts},
      {"accelerator.dropped", "frames", "frames for which an accelerator had no room", on_hosts},
      {"accelerator.fcs_errors", "frames", "frames with a wrong FCS at an accelerator", on_hosts},
      {"accelerator.icrc_errors", "frames", "frames with a wrong ICRC at an accelerator", on_hosts},
      {"worker.resent", "packets", "packets that a worker sent again after a timeout", on_tofino},
      {"worker.round_trip_ns.mean", "ns", "from an update of a worker to its result: mean", on_tofino},
      {"copied.nvlink_bytes", "B", "bytes that copies took over NVLinks", on_servers},
      {"copied.pcie_bytes", "B", "the same over PCIe", on_servers},
      {"copied.network_bytes", "B", "the same over NICs and the network between servers", on_servers},
      {"background.sent", "packets", "packets of background traffic sent (--background)", on_all},
      {"background.delivered", "packets", "the same delivered", on_all},
      {"background.skipped", "packets", "the same not made, since a queue was full", on_all},
      {"background.acks", "packets", "acks for them", on_all},
      {"background.dropped", "packets", "the same dropped by switches", on_hosts},
      {"background_latency_ns.*", "ns", "packet latency of background traffic: mean, p50, p99, max", on_all},
  };
  return infos;
}

const CounterInfo* find_counter(const std::string& name) {
  for (const CounterInfo& info : counter_infos()) {
    const std::size_t star = info.name.find('*');
    if (star == std::string::npos ? info.name == name : name.rfind(info.name.substr(0, star), 0) == 0) return &info;
  }
  return nullptr;
}

}  // namespace tributary
