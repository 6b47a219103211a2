#pragma once
/// The fields of a reduction unit's transactions, by name (docs/block_records.md#reduction-unit).

#include <vector>

#include "modules/base/field_values.h"
#include "modules/nic/core/reduction_monitor.h"
#include "modules/nic/reduction_unit.h"

namespace tributary {

/// Owns the data of transactions that are made from values.
class ReductionFields {
 public:
  using Transaction = ReductionOperand;
  using Monitored = ReductionAccess;

  /// True if the device passes the time of the transaction: data are added in zero time.
  bool timed(const ReductionOperand& o) const { return o.data == nullptr; }
  void request(FieldVisitor& v, ReductionOperand& o) {
    constexpr std::uint64_t most = std::uint64_t{1} << 40;
    v.number("elements", o.elements);
    v.type("type", o.type);
    v.op("op", o.op);
    if (v.sets() && (o.elements == 0 || o.elements > most))
      throw FieldError("field `elements` is " + std::to_string(o.elements) + " (legal: 1 to " + std::to_string(most) + ")");
    const std::size_t bytes = o.elements * element_size(o.type);
    const FieldVisitor::Data sum = v.data("sum", {o.sum, bytes}, o.type, 0);
    const FieldVisitor::Data data = v.data("data", {o.data, bytes}, o.type, 0);
    if (!v.sets()) return;
    if ((sum.bytes == nullptr) != (data.bytes == nullptr) ||
        (sum.bytes != nullptr && (sum.size != bytes || data.size != bytes)))
      throw FieldError("fields `sum` and `data` do not have " + std::to_string(bytes) + " B each");
    sum_.assign(sum.bytes, sum.bytes + sum.size);
    o.sum = sum.bytes == nullptr ? nullptr : sum_.data();
    o.data = data.bytes;
  }
  void answer(FieldVisitor& v, const ReductionOperand& o) const {
    v.data("sum", {o.data == nullptr ? nullptr : o.sum, o.elements * element_size(o.type)}, o.type, 0);
  }
  void dispose(ReductionOperand&) const {}
  /// Returns the fields that a monitor checks.
  static ReductionAccess monitored(const ReductionOperand& o) { return {o.elements, o.type, o.op, o.sum, o.data}; }

 private:
  std::vector<std::byte> sum_;
};

}  // namespace tributary
