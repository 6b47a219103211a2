#pragma once
/// Monitors of the parts of an accelerator (docs/block_checks.md#rules-of-each-block).

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "modules/base/block_monitor.h"
#include "modules/netreduce/core/accelerator_parts.h"
#include "modules/netreduce/core/combinator.h"
#include "modules/netreduce/core/ct_table.h"

namespace tributary {

class IcrcMonitor : public TransactionMonitor<IcrcTransaction> {
 public:
  using TransactionMonitor::TransactionMonitor;
  void ask(const IcrcTransaction& t, Tick now) override;
  void check(const IcrcTransaction& t, Tick interval, Tick latency) override;

 private:
  std::string request() const override;
  std::uint32_t psn_ = 0;
};

/// Remembers the first packets of each connection. A table may forget connections and packets, and never invents them.
class ClMonitor : public TransactionMonitor<ClTransaction> {
 public:
  using TransactionMonitor::TransactionMonitor;
  void ask(const ClTransaction& t, Tick now) override;
  void check(const ClTransaction& t, Tick interval, Tick latency) override;
  void reset() override { first_.clear(); }

 private:
  struct First {
    AggregationHeader header;
    std::uint32_t psn;
  };
  std::string request() const override;
  void check_found(const SlotAddress& address) const;

  ClTransaction asked_;
  std::unordered_map<std::uint64_t, First> first_;  // latest of each connection, by word_of()
};

class SlotMonitor : public TransactionMonitor<SlotTransaction> {
 public:
  using TransactionMonitor::TransactionMonitor;
  void ask(const SlotTransaction& t, Tick now) override;
  void check(const SlotTransaction& t, Tick interval, Tick latency) override;

 private:
  std::string request() const override;
  SlotTransaction asked_;
  std::vector<std::uint64_t> slots_;  // most slots, by ring
};

/// Remembers the connections that have been taught.
class CtMonitor : public TransactionMonitor<CtTransaction> {
 public:
  using TransactionMonitor::TransactionMonitor;
  void ask(const CtTransaction& t, Tick now) override;
  void check(const CtTransaction& t, Tick interval, Tick latency) override;
  void reset() override { table_.reset(); }

 private:
  std::string request() const override;
  void check_target(const CtTarget& target, const CtEntry& taught) const;

  CtTransaction asked_;
  CtTable table_;
};

class HeaderMonitor : public TransactionMonitor<HeaderTransaction> {
 public:
  using TransactionMonitor::TransactionMonitor;
  void ask(const HeaderTransaction& t, Tick now) override;
  void check(const HeaderTransaction& t, Tick interval, Tick latency) override;
  void reset() override { stored_.clear(); }

 private:
  struct Stored {
    RoceHeader header{};
    std::uint16_t payload_bytes = 0;
    bool valid = false;
  };
  std::string request() const override;

  HeaderTransaction asked_;
  std::vector<Stored> stored_;  // by row
};

/// Adds the operands of integers, `min` and `max` itself: the order of operands matters for sums of floats.
class CombineMonitor : public TransactionMonitor<CombineTransaction> {
 public:
  using TransactionMonitor::TransactionMonitor;
  void ask(const CombineTransaction& t, Tick now) override;
  void check(const CombineTransaction& t, Tick interval, Tick latency) override;

 private:
  std::string request() const override;
  void check_sum(const CombineTransaction& t);

  CombineTransaction asked_;
  std::vector<std::byte> before_;  // bytes of the destination that are not written
  std::vector<std::byte> right_;
};

}  // namespace tributary
