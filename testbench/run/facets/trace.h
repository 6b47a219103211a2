#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "testbench/observe/block_query.h"
#include "testbench/observe/life_trace.h"
#include "testbench/run/task.h"

namespace tributary {

struct RunSpec;

/// Meaning of the number that `--trace-block` takes: a block, unless the family says otherwise.
class FamilyTrace {
 public:
  virtual ~FamilyTrace() = default;

  virtual BlockQuery query(std::uint64_t number) const {
    BlockQuery query;
    query.block = number;
    return query;
  }
  /// Returns the query that `--log-level trace` follows by default; empty if the run has no block that can be followed.
  virtual std::optional<BlockQuery> first(const RunSpec& /*spec*/) const { return query(0); }
};

/// Numbers of the blocks, chunks or packets that the messages of a run have: 0 to `count` - 1.
struct TracedNumbers {
  std::uint64_t count = 0;
  std::string owner, item;  ///< as in "the schedule has no chunk 16"
  std::string detail = {};  ///< addition to the legal numbers; may be empty
};

/// Follows one block, chunk or slot through a platform.
class DriverTrace {
 public:
  virtual ~DriverTrace() = default;

  /// Returns the numbers that can be followed. Call after Driver::memory_bytes() of all tasks, before clear().
  virtual TracedNumbers numbers(const std::vector<Task>& tasks) = 0;

  virtual std::unique_ptr<LifeTrace> follow(const BlockQuery& query, const ProbeDirectory& probes) = 0;
};

}  // namespace tributary
