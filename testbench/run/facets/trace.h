#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "modules/base/probe.h"
#include "testbench/observe/block_query.h"
#include "testbench/observe/life_trace.h"

namespace tributary {

/// Meaning of the number that `--trace-block` takes: a block, unless the family says otherwise.
class FamilyTrace {
 public:
  virtual ~FamilyTrace() = default;

  virtual BlockQuery query(std::uint64_t number) const {
    BlockQuery query;
    query.block = number;
    return query;
  }
  /// Returns the query that `--log-level trace` follows by default.
  virtual std::optional<BlockQuery> first() const { return query(0); }
};

/// Follows one block, chunk or slot through a platform.
class DriverTrace {
 public:
  virtual ~DriverTrace() = default;

  virtual std::unique_ptr<LifeTrace> follow(const BlockQuery& query, const ProbeDirectory& probes) = 0;
};

}  // namespace tributary
