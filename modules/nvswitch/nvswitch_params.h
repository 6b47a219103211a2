#pragma once
/// NvSwitchParams and FabricParams: parameters of an NVSwitch with reduction tables (Klenk et al., ISCA 2020), and of the
/// fabric's address hash.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

enum class InputDiscipline : std::uint8_t { fifo, voq };
enum class Replication : std::uint8_t { ingress, crossbar };
enum class PushResultVc : std::uint8_t { response, request };
enum class EvictionTarget : std::uint8_t { home_gpu, multicast };
enum class ReductionOrder : std::uint8_t { arrival, rank };
enum class FabricHash : std::uint8_t { interleave, strided, xor_folded, random };

template <>
struct EnumNames<InputDiscipline> {
  static const std::vector<std::pair<InputDiscipline, std::string>>& names() {
    static const std::vector<std::pair<InputDiscipline, std::string>> n{{InputDiscipline::fifo, "fifo"},
                                                                        {InputDiscipline::voq, "voq"}};
    return n;
  }
};
template <>
struct EnumNames<Replication> {
  static const std::vector<std::pair<Replication, std::string>>& names() {
    static const std::vector<std::pair<Replication, std::string>> n{{Replication::ingress, "ingress"},
                                                                    {Replication::crossbar, "crossbar"}};
    return n;
  }
};
template <>
struct EnumNames<PushResultVc> {
  static const std::vector<std::pair<PushResultVc, std::string>>& names() {
    static const std::vector<std::pair<PushResultVc, std::string>> n{{PushResultVc::response, "response"},
                                                                     {PushResultVc::request, "request"}};
    return n;
  }
};
template <>
struct EnumNames<EvictionTarget> {
  static const std::vector<std::pair<EvictionTarget, std::string>>& names() {
    static const std::vector<std::pair<EvictionTarget, std::string>> n{{EvictionTarget::home_gpu, "home_gpu"},
                                                                       {EvictionTarget::multicast, "multicast"}};
    return n;
  }
};
template <>
struct EnumNames<ReductionOrder> {
  static const std::vector<std::pair<ReductionOrder, std::string>>& names() {
    static const std::vector<std::pair<ReductionOrder, std::string>> n{{ReductionOrder::arrival, "arrival"},
                                                                       {ReductionOrder::rank, "rank"}};
    return n;
  }
};
template <>
struct EnumNames<FabricHash> {
  static const std::vector<std::pair<FabricHash, std::string>>& names() {
    static const std::vector<std::pair<FabricHash, std::string>> n{{FabricHash::interleave, "interleave"},
                                                                   {FabricHash::strided, "strided"},
                                                                   {FabricHash::xor_folded, "xor_folded"},
                                                                   {FabricHash::random, "random"}};
    return n;
  }
};

struct ReductionTableParams {
  std::optional<Bytes> bytes;
  std::optional<Bytes> trunk_bytes;
  Time timeout = 2_us;
  EvictionTarget eviction = EvictionTarget::home_gpu;
  ReductionOrder order = ReductionOrder::arrival;
  std::uint32_t add_cycles = 0;
};
template <class V>
void visit(V& v, ReductionTableParams& p) {
  v.field("bytes", p.bytes,
          Note("data bytes of the reduction table at each port; entries = bytes / 128")
              .role(ParameterRole::room)
              .source("Klenk VI-A [P]")
              .range("128B", "16MiB")
              .multiple_of("128B")
              .automatic("256B; for pull 4KiB on dgx2, 1KiB on fat_tree; for nvls at least its load-reduces in flight"));
  v.field("trunk_bytes", p.trunk_bytes,
          Note("reduction table bytes of ports that lead to another switch; 0B: no tables there: pull works (its "
               "responses pass unreduced), push does not")
              .role(ParameterRole::room)
              .source("Klenk IV-B [P]")
              .range("0B", "16MiB")
              .multiple_of("128B")
              .automatic("as nvswitch.switch.reduction_table.bytes"));
  v.field("timeout", p.timeout,
          Note("a push entry without an operand for this time is evicted")
              .role(ParameterRole::delay)
              .source("docs/systems/klenk.md#timeout [G]")
              .range("1ns", "1s"));
  v.field("eviction", p.eviction,
          Note("destination of an evicted partial sum: the block's home GPU, which multicasts the complete "
               "sum, or all members, each of which adds it locally")
              .source("Klenk IV-C [P]"));
  v.field("order", p.order,
          Note("operands are added as they arrive, or stored, 128 B each, and added in rank order when all have arrived")
              .source("docs/systems/klenk.md#operand-order [G]"));
  v.field("add_cycles", p.add_cycles,
          Note("clocks of a flit by which a sum leaves later: a pipeline of adders without forwarding, in which an operand "
               "waits for the one before it in its entry")
              .role(ParameterRole::delay)
              .source("docs/blocks/reduction_table.md#adders [G]")
              .range("0", "1000"));
}

struct AckTableParams {
  std::uint32_t entries = 64;
};
template <class V>
void visit(V& v, AckTableParams& p) {
  v.field("entries", p.entries,
          Note("with nvswitch.acks=merged: entries per port, 84 bits each, one for each multicast whose acks are merged; "
               "acks without an entry pass unmerged")
              .role(ParameterRole::room)
              .source("docs/systems/klenk.md#acknowledgements [G]")
              .range("0", "65536"));
}

struct CrossbarParams {
  double speedup = 2.0;
  Time arbitration = 0_ns;
};
template <class V>
void visit(V& v, CrossbarParams& p) {
  v.field("speedup", p.speedup,
          Note("rate of a crossbar port / rate of a link; packets injected by the tables share it")
              .role(ParameterRole::rate)
              .source("Klenk IV-E [P], docs/systems/klenk.md#crossbar [G]")
              .range("0.1", "64"));
  v.field("arbitration", p.arbitration,
          Note("time from the request of a packet until it may cross; overlaps the crossing of the packet before it, and "
               "also applies to packets injected by the tables")
              .role(ParameterRole::delay)
              .source("docs/blocks/switch.md#time-of-arbitration [G]")
              .range("0ns", "10us"));
}

struct ReplicationBufferParams {
  Bytes bytes = 4608_B;
};
template <class V>
void visit(V& v, ReplicationBufferParams& p) {
  v.field(
      "bytes", p.bytes,
      Note(
          "buffer on the ingress side of each port that replicates packets of the port's table; a full one stalls the table")
          .role(ParameterRole::room)
          .source("docs/systems/klenk.md#replication [G]")
          .range("144B", "16MiB"));
}

/// An output-queued switch with cut-through (Klenk V: 16 ports).
struct NvSwitchParams {
  Time latency = 150_ns;
  InputDiscipline input_discipline = InputDiscipline::voq;
  Replication replication = Replication::ingress;
  PushResultVc push_result_vc = PushResultVc::response;
  std::uint32_t mcr_entries = 64;
  std::optional<Bytes> input_buffer;
  std::optional<Bytes> output_queue;
  std::optional<Bytes> table_queue;
  CrossbarParams crossbar;
  ReductionTableParams reduction_table;
  AckTableParams ack_table;
  ReplicationBufferParams replication_buffer;
};
template <class V>
void visit(V& v, NvSwitchParams& p) {
  v.field("latency", p.latency,
          Note("header flit in to header flit out of an idle switch")
              .role(ParameterRole::delay)
              .source("Klenk V [P]")
              .range("1ns", "1ms"));
  v.field("input_discipline", p.input_discipline,
          Note("one FIFO per input and VC, or virtual output queues: with a speedup of 2 these behave as the paper's "
               "output-queued "
               "switch")
              .source("Klenk V [P], docs/systems/klenk.md#crossbar [G]"));
  v.field("replication", p.replication,
          Note("a multicast is replicated before the crossbar (ingress), which it crosses once for each output, or in the "
               "crossbar, which it crosses simultaneously to all free outputs that grant it")
              .source("Klenk IV-E, IV-A [P]"));
  v.field("push_result_vc", p.push_result_vc,
          Note("VC of packets that a push table emits; request can deadlock")
              .source("docs/systems/klenk.md#virtual-channel-of-push-results [G]"));
  v.field("mcr_entries", p.mcr_entries,
          Note("multicast regions that a switch can hold")
              .role(ParameterRole::room)
              .source("docs/systems/klenk.md#region-tables [G]")
              .range("1", "256"));
  v.field("input_buffer", p.input_buffer,
          Note("input buffer per port and VC")
              .role(ParameterRole::room)
              .source("docs/systems/klenk.md#buffers [G]")
              .range("144B", "16MiB")
              .automatic("(nvswitch.switch.latency + nvswitch.switch.crossbar.arbitration + 2 x nvswitch.link.latency) x "
                         "nvswitch.link.rate + one packet"));
  v.field("output_queue", p.output_queue,
          Note("output queue per port and VC")
              .role(ParameterRole::room)
              .source("Klenk V [P], docs/systems/klenk.md#buffers [D]")
              .range("144B", "16MiB")
              .automatic("2 x (nvswitch.switch.latency + nvswitch.link.latency) x nvswitch.link.rate + one packet"));
  v.field("table_queue", p.table_queue,
          Note("queue of operands before the table of a port; a full one blocks the crossbar output")
              .role(ParameterRole::room)
              .source("docs/systems/klenk.md#table-bytes [G]")
              .range("144B", "16MiB")
              .automatic("as nvswitch.switch.output_queue"));
  v.group("crossbar", p.crossbar);
  v.group("reduction_table", p.reduction_table);
  v.group("ack_table", p.ack_table);
  v.group("replication_buffer", p.replication_buffer);
}

struct FabricParams {
  FabricHash hash = FabricHash::interleave;
};
template <class V>
void visit(V& v, FabricParams& p) {
  v.field("hash", p.hash, Note("address to plane, home port and trunk").source("docs/systems/klenk.md#address-hash [G]"));
}

}  // namespace tributary
