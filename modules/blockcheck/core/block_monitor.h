#pragma once
/// BlockMonitor: checks each answer of a block before its device uses it (docs/block_checks.md#monitors).

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "modules/blockcheck/core/block_access.h"

namespace tributary {

/// Throws std::logic_error, one line with the place, the rule and the request, on the first breach.
class BlockMonitor : public BlockObserver {
 public:
  /// `most`: longest interval or latency of an access, ps.
  BlockMonitor(BlockPlace place, Tick most);

  void accessed(const BlockAccess& access) override;
  void reset() override { written_.clear(); }

 private:
  enum class Data : std::uint8_t { none, memory, unit, combinator };

  void check_values(const BlockAccess& access) const;
  void check_times(const BlockAccess& access) const;
  void check_memory(const BlockAccess& access);
  void check_unit(const BlockAccess& access) const;
  void check_combinator(const BlockAccess& access) const;
  void check_sum(const BlockAccess& access, const std::vector<std::byte>& right, ElementType type) const;
  [[noreturn]] void fail(const char* rule, const BlockAccess& access, const std::string& what) const;

  BlockPlace place_;
  Tick most_;
  Data data_ = Data::none;
  std::map<std::uint64_t, std::vector<std::byte>> written_;  // memory: by address or row
};

}  // namespace tributary
