#pragma once
/// ReductionMonitor: rules of a NIC's reduction unit.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/block_monitor.h"
#include "modules/base/element.h"

namespace tributary {

/// A request of the unit: a chunk, or with data the payload of a packet.
struct ReductionAccess {
  std::uint64_t elements = 0;
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
  const std::byte* sum = nullptr;
  const std::byte* data = nullptr;
};

class ReductionMonitor : public TransactionMonitor<ReductionAccess> {
 public:
  using TransactionMonitor::TransactionMonitor;
  void ask(const ReductionAccess& t, Tick now) override;
  void check(const ReductionAccess& t, Tick interval, Tick latency) override;

 private:
  std::string request() const override;

  ReductionAccess asked_;
  std::vector<std::byte> right_;
};

}  // namespace tributary
