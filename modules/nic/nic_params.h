#pragma once
/// NicParams: parameters of a NIC with a schedule table (Huang et al., ISCA 2021).

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

enum class Lockstep : std::uint8_t { every_step, nop_only, off };
enum class LockstepLoad : std::uint8_t { step_start, issue };
enum class Inspection : std::uint8_t { head, step };
enum class NicIssue : std::uint8_t { table, commands };
enum class VcChoice : std::uint8_t { chunk, packet };

template <>
struct EnumNames<Lockstep> {
  static const std::vector<std::pair<Lockstep, std::string>>& names() {
    static const std::vector<std::pair<Lockstep, std::string>> n{
        {Lockstep::every_step, "every_step"}, {Lockstep::nop_only, "nop_only"}, {Lockstep::off, "off"}};
    return n;
  }
};
template <>
struct EnumNames<LockstepLoad> {
  static const std::vector<std::pair<LockstepLoad, std::string>>& names() {
    static const std::vector<std::pair<LockstepLoad, std::string>> n{{LockstepLoad::step_start, "step_start"},
                                                                     {LockstepLoad::issue, "issue"}};
    return n;
  }
};
template <>
struct EnumNames<Inspection> {
  static const std::vector<std::pair<Inspection, std::string>>& names() {
    static const std::vector<std::pair<Inspection, std::string>> n{{Inspection::head, "head"}, {Inspection::step, "step"}};
    return n;
  }
};

template <>
struct EnumNames<NicIssue> {
  static const std::vector<std::pair<NicIssue, std::string>>& names() {
    static const std::vector<std::pair<NicIssue, std::string>> n{{NicIssue::table, "table"},
                                                                 {NicIssue::commands, "commands"}};
    return n;
  }
};
template <>
struct EnumNames<VcChoice> {
  static const std::vector<std::pair<VcChoice, std::string>>& names() {
    static const std::vector<std::pair<VcChoice, std::string>> n{{VcChoice::chunk, "chunk"}, {VcChoice::packet, "packet"}};
    return n;
  }
};

struct ScheduleTableParams {
  std::optional<std::uint32_t> entries = 0;
  Inspection inspection = Inspection::head;
  Time read = 0_ns;
};
template <class V>
void visit(V& v, ScheduleTableParams& p) {
  v.field("entries", p.entries,
          Note("entries of a NIC's schedule table, 200 bits each; 0: two per node, as in the paper, or for a network from a "
               "file as many as the "
               "schedule needs")
              .role(ParameterRole::room)
              .source("MultiTree IV-A [P], docs/systems/multitree.md#table-capacity [G]")
              .range("0", "65535")
              .automatic("as many as the schedule needs"));
  v.field("inspection", p.inspection,
          Note("entries that may be issued: the head of the table (head), or any entry of the current step (step)")
              .source("MultiTree IV-A [P]"));
  v.field("read", p.read,
          Note("time of a row that the NIC reads; the next row is requested after the same time. The paper gives none")
              .role(ParameterRole::cycle)
              .source("docs/blocks/nic.md#sockets [G]")
              .range("0ns", "1us"));
}

struct LockstepParams {
  Lockstep kind = Lockstep::every_step;
  LockstepLoad load = LockstepLoad::step_start;
  std::optional<Bytes> buffer;
};
template <class V>
void visit(V& v, LockstepParams& p) {
  v.field("kind", p.kind,
          Note("steps that last at least the estimated time of a chunk: all, those with a NOP, or none (free running)")
              .source("docs/systems/multitree.md#lockstep-of-other-steps [G]"));
  v.field("load", p.load,
          Note("the down-counter is loaded when a step begins, or again with each issued entry")
              .source("docs/systems/multitree.md#lockstep-of-other-steps [G]"));
  v.field(
      "buffer", p.buffer,
      Note("NI buffer: a chunk that fits is estimated by all its flits, a larger one by the flits that exceed the buffer")
          .role(ParameterRole::shape)
          .source("MultiTree IV-A [P]")
          .range("0B", "1GiB")
          .automatic("holds any chunk"));
}

struct NicInterfaceParams {
  std::optional<std::uint32_t> count = {};
  std::optional<Bandwidth> rate = {};
  std::optional<std::uint32_t> queue = {};
};
template <class V>
void visit(V& v, NicInterfaceParams& p) {
  v.field("count", p.count,
          Note("network interfaces of a NIC, at most one for each link; links share them in turn")
              .role(ParameterRole::structure)
              .source("docs/systems/multitree.md#interfaces [G]")
              .range("1", "8")
              .automatic("one for each link"));
  v.field("rate", p.rate,
          Note("bandwidth of an interface; (interfaces x rate) / link rate is the number of children per entry")
              .role(ParameterRole::rate)
              .source("MultiTree IV-A [P], docs/systems/multitree.md#interfaces [G]")
              .range("1MB/s", "10TB/s")
              .automatic("that of a link"));
  v.field("queue", p.queue,
          Note("chunks that an interface holds; an entry is not issued while an interface that it needs is full")
              .role(ParameterRole::room)
              .source("docs/systems/multitree.md#interfaces [G]")
              .range("1", "65535")
              .automatic("any number"));
}

struct ReductionUnitParams {
  std::uint32_t units = 16;
  std::uint32_t width = 1024;
  std::uint32_t cycles = 1;
  Time latency = 0_ns;
  std::optional<std::uint32_t> queue = {};
};
template <class V>
void visit(V& v, ReductionUnitParams& p) {
  v.field("units", p.units,
          Note("processing elements among which the elements of a chunk are divided")
              .role(ParameterRole::rate)
              .source("MultiTree Table III [P]")
              .range("1", "65536"));
  v.field("width", p.width,
          Note("adds of one unit in a pass; 16 x 1024 in each cycle of 1 ns are the paper's 16384 adds/ns")
              .role(ParameterRole::rate)
              .source("MultiTree Table III [P], docs/systems/multitree.md#reduction-units [D]")
              .range("1", "1048576"));
  v.field("cycles", p.cycles,
          Note("cycles of a pass; the authors' simulator: 16 units, width 32, 16 cycles")
              .role(ParameterRole::cycle)
              .source("scripts/reproduction/multitree/authors.csv [G]")
              .range("1", "1000000"));
  v.field("latency", p.latency,
          Note("time of the adders' pipeline after the passes of a chunk, during which the next chunk is added; the paper "
               "gives none")
              .role(ParameterRole::delay)
              .source("docs/blocks/nic.md#reduction-and-memory [G]")
              .range("0ns", "1ms"));
  v.field("queue", p.queue,
          Note("maximum Reduces queued or being added; at this number the NIC accepts no packets")
              .role(ParameterRole::room)
              .source("docs/systems/multitree.md#interfaces [G]")
              .range("1", "65535")
              .automatic("any number"));
}

struct NicMemoryParams {
  Time latency = 0_ns;
  std::optional<Bandwidth> rate;
};
template <class V>
void visit(V& v, NicMemoryParams& p) {
  v.field("latency", p.latency,
          Note("delay from a DMA request to its first byte; the paper gives none")
              .role(ParameterRole::delay)
              .source("docs/systems/multitree.md#memory [G]")
              .range("0ns", "1ms"));
  v.field("rate", p.rate,
          Note("rate at which the memory answers DMA requests, one after another")
              .role(ParameterRole::rate)
              .source("docs/systems/multitree.md#memory [G]")
              .range("1MB/s", "1000TB/s")
              .automatic("no limit"));
}

struct NicParams {
  Time clock = 1_ns;
  Time issue_interval = 1_ns;
  NicIssue issue = NicIssue::table;
  VcChoice vc = VcChoice::chunk;
  ScheduleTableParams table;
  LockstepParams lockstep;
  NicInterfaceParams interfaces;
  ReductionUnitParams reduction;
  NicMemoryParams memory;
};
template <class V>
void visit(V& v, NicParams& p) {
  v.field(
      "clock", p.clock,
      Note("cycle of the reduction units").role(ParameterRole::cycle).source("MultiTree Table III [P]").range("1ps", "1us"));
  v.field("issue_interval", p.issue_interval,
          Note("time between issued entries: the decoder reads one per cycle")
              .role(ParameterRole::cycle)
              .source("docs/systems/multitree.md#inspection [G]")
              .range("0ns", "1us"));
  v.field("issue", p.issue,
          Note("condition for the baselines' sends: their rows in the schedule table, in lockstep (table), or their data "
               "only (commands)")
              .source("MultiTree V-A [P]"));
  v.field(
      "vc", p.vc,
      Note("unit that uses the two VCs of its class in turn: chunks, or the packets of each chunk (a message stays on one)")
          .source("docs/systems/multitree.md#virtual-channels [G]"));
  v.group("table", p.table);
  v.group("lockstep", p.lockstep);
  v.group("interfaces", p.interfaces);
  v.group("reduction", p.reduction);
  v.group("memory", p.memory);
}

}  // namespace tributary
