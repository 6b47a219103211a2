#pragma once
/// Parameters of an accelerator of NetReduce (Liu et al., 4; docs/systems/netreduce.md#slots).

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

enum class AdderOrder : std::uint8_t { tree, chain };
enum class SlotValue : std::uint8_t { stored, recomputed };
enum class CtLearning : std::uint8_t { affine, per_message };
enum class AcceleratorPlacement : std::uint8_t {
  attached,   ///< FPGA at ports of the switch
  in_switch,  ///< part of the switch chip
};

template <>
struct EnumNames<AdderOrder> {
  static const std::vector<std::pair<AdderOrder, std::string>>& names() {
    static const std::vector<std::pair<AdderOrder, std::string>> n{{AdderOrder::tree, "tree"}, {AdderOrder::chain, "chain"}};
    return n;
  }
};
template <>
struct EnumNames<SlotValue> {
  static const std::vector<std::pair<SlotValue, std::string>>& names() {
    static const std::vector<std::pair<SlotValue, std::string>> n{{SlotValue::stored, "stored"},
                                                                  {SlotValue::recomputed, "recomputed"}};
    return n;
  }
};
template <>
struct EnumNames<CtLearning> {
  static const std::vector<std::pair<CtLearning, std::string>>& names() {
    static const std::vector<std::pair<CtLearning, std::string>> n{{CtLearning::affine, "affine"},
                                                                   {CtLearning::per_message, "per_message"}};
    return n;
  }
};

template <>
struct EnumNames<AcceleratorPlacement> {
  static const std::vector<std::pair<AcceleratorPlacement, std::string>>& names() {
    static const std::vector<std::pair<AcceleratorPlacement, std::string>> n{{AcceleratorPlacement::attached, "attached"},
                                                                             {AcceleratorPlacement::in_switch, "in_switch"}};
    return n;
  }
};

struct ClTableParams {
  std::optional<std::uint32_t> entries;
};
template <class V>
void visit(V& v, ClTableParams& p) {
  v.field("entries", p.entries,
          Note("connections of the connection lookup table: one for each host of a ring; rings that need more are refused")
              .role(ParameterRole::room)
              .source("docs/systems/netreduce.md#finite-buffers [G]")
              .range("1", "1000000")
              .automatic("no limit"));
}

struct CtTableParams {
  CtLearning learn = CtLearning::affine;
  std::optional<std::uint32_t> entries;
  std::optional<std::uint32_t> targets;
};
template <class V>
void visit(V& v, CtTableParams& p) {
  v.field("learn", p.learn,
          Note("what a leaf must learn about a connection from another rack: one first packet, from which it computes "
               "addresses and PSNs of all messages, or the first packet of each message")
              .source("docs/systems/netreduce.md#trees [G]"));
  v.field("entries", p.entries,
          Note("rows of the connection translation table: one for each connection of a leaf's hosts in each direction, and "
               "for each pair of leaves at a root; rings that need more are refused")
              .role(ParameterRole::room)
              .source("Liu et al., Table 3 [P], docs/systems/netreduce.md#finite-buffers [G]")
              .range("1", "1000000")
              .automatic("no limit"));
  v.field(
      "targets", p.targets,
      Note("targets that the connection translation table returns in a cycle; further ones follow in the next cycles, and "
           "other requests wait")
          .role(ParameterRole::rate)
          .source("docs/blocks/accelerator.md#translations [D]")
          .range("1", "64")
          .automatic("all, for any number of requests"));
}

struct AcceleratorParams {
  AcceleratorPlacement placement = AcceleratorPlacement::attached;
  Time clock = 3103_ps;
  Bytes beat = 64_B;
  std::uint32_t mac_cycles = 10;
  std::uint32_t lookup_cycles = 2;
  std::uint32_t add_cycles = 11;
  AdderOrder order = AdderOrder::tree;
  SlotValue value = SlotValue::stored;
  std::optional<std::uint32_t> combinators;
  std::optional<std::uint32_t> ports;
  std::optional<Bytes> memory;
  std::optional<Bytes> input_fifo;
  std::optional<Bytes> output_queue;
  std::optional<std::uint32_t> lookups;
  ClTableParams clt;
  CtTableParams ctt;
};
template <class V>
void visit(V& v, AcceleratorParams& p) {
  v.field(
      "placement", p.placement,
      Note("place of an accelerator: an FPGA at ports of its switch, or in the switch chip, without cables, MACs and the "
           "second pass of the switch")
          .source("Liu et al., Fig. 10 [P], docs/systems/netreduce.md#placement [G]"));
  v.field("clock", p.clock,
          Note("cycle of the pipeline: 322.27 MHz, the usual clock for 100 Gb/s with 64 B in a cycle")
              .role(ParameterRole::cycle)
              .source("docs/systems/netreduce.md#readings [G]")
              .range("100ps", "100ns"));
  v.field("beat", p.beat,
          Note("bytes that a port, a bank or an adder processes in a cycle")
              .role(ParameterRole::rate)
              .source("docs/systems/netreduce.md#readings [G]")
              .range("8B", "1KiB")
              .multiple_of("8B"));
  v.field("mac_cycles", p.mac_cycles,
          Note("cycles of a MAC, for input and for output")
              .role(ParameterRole::delay)
              .source("docs/systems/netreduce.md#readings [G]")
              .range("0", "1000"));
  v.field("lookup_cycles", p.lookup_cycles,
          Note("cycles of the connection lookup, and of header buffer and connection translation together")
              .role(ParameterRole::delay)
              .source("docs/systems/netreduce.md#readings [G]")
              .range("0", "1000"));
  v.field("add_cycles", p.add_cycles,
          Note("cycles of one floating-point adder")
              .role(ParameterRole::delay)
              .source("docs/systems/netreduce.md#readings [G]")
              .range("0", "1000"));
  v.field("order", p.order,
          Note("adders of a slot: a tree over neighbouring ranks, or a chain from rank to rank; both have a fixed order")
              .source("docs/systems/netreduce.md#readings [G]"));
  v.field("value", p.value,
          Note("sum of a slot: stored for packets that are sent again, or recomputed from the operands")
              .source("Liu et al., Fig. 8 [P], docs/systems/netreduce.md#slots [G]"));
  v.field(
      "combinators", p.combinators,
      Note("adder units of an accelerator: ring i uses unit i modulo this number, and the rings of a unit share its rate")
          .role(ParameterRole::structure)
          .source("docs/systems/netreduce.md#combinators [G]")
          .range("1", "65535")
          .automatic("one for each ring"));
  v.field("ports", p.ports,
          Note("ports of an accelerator to its switch")
              .role(ParameterRole::structure)
              .source("Liu et al., 4 [P], docs/systems/netreduce.md#trees [D]")
              .range("1", "64")
              .automatic("one for each host of its switch, and one more in a tree"));
  v.field("memory", p.memory,
          Note("memory of all slots, FIFOs and queues of an accelerator; rings that need more are refused")
              .role(ParameterRole::room)
              .source("Liu et al., 4 [P]")
              .range("1KiB", "1GiB")
              .automatic("what all rings together need"));
  v.field("input_fifo", p.input_fifo,
          Note("bytes of frames that may wait at each port for the tables or for an output queue. A full FIFO drops frames; "
               "with netreduce.switch.pfc.on it pauses the switch before that. Other than auto, a port reads one beat in a "
               "cycle")
              .role(ParameterRole::room)
              .source("docs/systems/netreduce.md#finite-buffers [G]")
              .range("2KiB", "1GiB")
              .automatic("no limit"));
  v.field("output_queue", p.output_queue,
          Note("bytes of frames, with preamble and gap, in the output queue of each port. A sum waits in its slot until the "
               "queues of all its results have room")
              .role(ParameterRole::room)
              .source("docs/systems/netreduce.md#finite-buffers [G]")
              .range("2KiB", "1GiB")
              .automatic("no limit"));
  v.field("lookups", p.lookups,
          Note("data frames of all ports that look up the tables in a cycle; others wait in their input FIFO")
              .role(ParameterRole::rate)
              .source("docs/systems/netreduce.md#finite-buffers [G]")
              .range("1", "64")
              .automatic("one for each port"));
  v.group("clt", p.clt);
  v.group("ctt", p.ctt);
}

}  // namespace tributary
