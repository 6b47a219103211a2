#pragma once
/// TableView: shows the entries of a reduction table that shows none itself, from the transactions of its port.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/nvswitch/core/table_transaction.h"
#include "modules/packet/reduction_event.h"

namespace tributary {

/// Numbers entries by itself, the lowest free number first. A table that fires events of its own for a transaction is not
/// shown twice.
class TableView {
 public:
  /// Shows entries with numbers below `rows`.
  explicit TableView(unsigned rows) : rows_(rows) {}
  unsigned rows() const { return rows_; }

  ReductionProbe events;

  /// Observes the table's own events. They must not fire after the end of this object.
  void follow(ReductionProbe& own);
  /// Remembers the operand of a transaction. Call before the table gets it: a table may change the packet.
  void ask(const TableTransaction& t);
  /// Fires the events of the answer to the last ask().
  void answer(const TableTransaction& t);
  void reset();

 private:
  using Block = std::pair<std::uint64_t, unsigned>;  // number, requester
  struct Entry {
    std::uint32_t number = 0;
    std::uint16_t count = 0, expected = 0;
    bool leaving = false;  // complete, until its last flit has left
  };
  static Block block_of(const TableTransaction& t);
  Entry& entry(const Block& block);
  void add(const TableTransaction& t);
  void leave(ReductionEvent::Kind kind, const Block& block, const Packet& sum, const TableTransaction& t);
  bool leaves(const Block& block) const;
  void free(const Block& block, Tick now);
  void show(ReductionEvent event, const Block& block, const Entry& entry, Tick now) const;

  unsigned rows_;
  bool shown_ = false;  // the table has fired events of its own in this transaction
  Block asked_{};
  ReductionEvent operand_{};  // the last ask()
  std::array<std::byte, block_bytes> data_{};
  std::map<Block, Entry> entries_;
  std::set<std::uint32_t> free_;
  std::uint32_t used_ = 0;  // numbers that have been given
};

}  // namespace tributary
