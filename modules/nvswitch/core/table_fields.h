#pragma once
/// The fields of a reduction table's transactions, by name (docs/block_records.md#reduction-table).

#include <optional>

#include "modules/nvswitch/core/table_transaction.h"
#include "modules/protocol/packet_fields.h"

namespace tributary {

/// Owns the packets of transactions that are made from values.
class TableFields {
 public:
  using Transaction = TableTransaction;

  Tick time(const TableTransaction& t) const { return t.now; }
  void set_time(TableTransaction& t, Tick now) const { t.now = now; }
  void request(FieldVisitor& v, TableTransaction& t);
  /// Only for reading visitors.
  void answer(FieldVisitor& v, const TableTransaction& t) const;
  /// Releases the packets of an answered transaction that was made from values.
  void dispose(TableTransaction& t);

 private:
  void check(const TableTransaction& t);

  PacketPool pool_{NvLink{}};
  // State of transactions that are made from values:
  std::optional<bool> with_data_;
  std::uint64_t completed_ = 0;  // results without their finish
};

}  // namespace tributary
