#pragma once
/// One ScheduleEngine: the entries that it issues, and when.

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "modules/nic/core/dma_reader.h"
#include "modules/nic/core/reduction_core.h"
#include "modules/nic/core/schedule_engine.h"
#include "testbench/test/harness/plain_table.h"

namespace tributary::schedule_bench {

inline constexpr std::uint16_t nil = ScheduleEntry::nil;
inline constexpr std::uint32_t chunk = 4096;        // 16 packets of 17 flits
inline constexpr Tick chunk_time = 16 * 17 * 1000;  // at 16 GB/s

struct Issued {
  Tick when;
  std::uint16_t tree;
  Tick first;
};
inline bool operator==(const Issued& a, const Issued& b) {
  return a.when == b.when && a.tree == b.tree && a.first == b.first;
}

/// Records the issues of the NIC; the reduction unit and the DMA reader are the model's.
class Bench : public ScheduleListener {
 public:
  explicit Bench(const ScheduleEngine::Config& config, AccessTime row = {})
      : table(128, row),
        reduction(config.params.reduction, config.params.clock),
        dma(config.params.memory),
        memory_latency(config.params.memory.latency.value),
        engine(config, *this, table, reduction) {}
  void reset() { engine.reset(), reduction.reset(), dma.reset(); }
  void describe(ProbeDirectory& directory, const std::string& prefix) {
    engine.describe(directory, prefix), reduction.describe(directory, prefix + "reduction."),
        dma.describe(directory, prefix);
  }
  void send(const ScheduleEntry& e, Tick now) override {
    issued.push_back({now, e.tree, dma.request(now, e.bytes, memory_latency).first});
  }
  void operation_done(Tick when) override { done = when; }
  std::optional<unsigned> full_interface(const ScheduleEntry& e) const override {
    return full_for_tree == e.tree ? std::optional<unsigned>(2) : std::nullopt;
  }

  SendPath path(std::uint16_t tree, std::uint16_t to) const override {
    const auto known = paths.find(tree);
    return known != paths.end() ? known->second : ScheduleListener::path(tree, to);
  }

  PlainTable table;
  ReductionCore reduction;
  DmaReader dma;
  Tick memory_latency;
  ScheduleEngine engine;
  std::vector<Issued> issued;
  Tick done = never;
  std::map<std::uint16_t, SendPath> paths;     ///< by tree; other trees have a link to each node
  std::optional<std::uint16_t> full_for_tree;  ///< interface 2 has no room for this tree
};

inline ScheduleEngine::Config config(Lockstep kind = Lockstep::every_step) {
  ScheduleEngine::Config c;
  c.link_rate = 16_GBps;
  c.params.lockstep.kind = kind;
  c.params.issue_interval = 0_ns;
  return c;
}
inline ScheduleEntry reduce(std::uint16_t tree, std::uint16_t child, std::uint16_t step) {
  const auto parent = static_cast<std::uint16_t>(100 + tree);
  return {ScheduleEntry::Op::reduce, tree, parent, {child, nil, nil, nil}, step, 0, chunk};
}
inline ScheduleEntry gather(std::uint16_t tree, std::uint16_t parent, std::uint16_t step) {
  return {ScheduleEntry::Op::gather, tree, parent, {2, nil, nil, nil}, step, 0, chunk};
}
inline ScheduleEntry nop(std::uint16_t step) {
  return {ScheduleEntry::Op::nop, nil, nil, {nil, nil, nil, nil}, step, 0, chunk};
}
inline NicOperation operation(std::vector<ScheduleEntry> entries, std::uint32_t reduces = 0, std::uint32_t gathers = 0) {
  return {std::move(entries), reduces, gathers, true, ElementType::f32};
}

}  // namespace tributary::schedule_bench
