#pragma once
/// Replay of a record into a block that is built alone (docs/block_records.md#replay).

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/output_stalls.h"
#include "modules/blockcheck/core/block_shadow.h"
#include "testbench/run/blocks/measured_times.h"
#include "testbench/run/blocks/record_reader.h"
#include "testbench/run/blocks/trace_files.h"

namespace tributary {

class BlockFactories;

struct ReplaySpec {
  std::string folder;                         ///< with record.json and transactions.jsonl
  const BlockFactories* factories = nullptr;  ///< factories with the block under test; null: the model's own
  CompareRule rule;
  std::shared_ptr<TraceFiles> rtl_traces;  ///< those of the factories; null: none
  OutputStalls stalls;                     ///< clocks at which answers of RTL wait
  /// The block under test with random values in its registers, of seeds 1, 2 ...: its answers must be equal.
  std::vector<const BlockFactories*> seeded;
};

/// Answers of a block whose registers begin with random values, compared with those of the block under test.
struct SeededAnswers {
  std::uint64_t seed = 0, different = 0;
  std::optional<BlockShadow::First> first;
};

struct ReplayResult {
  BlockPlace place;
  std::uint64_t transactions = 0, different = 0;
  std::optional<BlockShadow::First> first;
  MeasuredTimes times{0};
  std::vector<SeededAnswers> seeded;
  std::string setting;  ///< parameter of the model that has the effect of the times: `PATH=VALUE`; empty: none
};

/// Elaborates a module, so a process can replay once. Throws InputError if the record or its block cannot be used, and
/// std::runtime_error if a block under test fails.
ReplayResult replay(const ReplaySpec& spec);

}  // namespace tributary
