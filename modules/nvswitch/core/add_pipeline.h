#pragma once
/// AddPipeline: times of a reduction table whose adders are a pipeline without forwarding.

#include <cstdint>
#include <utility>
#include <vector>

#include "modules/base/units.h"
#include "modules/nvswitch/core/table_transaction.h"

namespace tributary {

/// A sum leaves `cycles` clocks after its last operand, and each partial sum is written that long after the operand has
/// begun. An operand waits until the entry that it adds to, or that is evicted for it, has been written. A clock is the time
/// of a flit at line rate, with an edge at time 0; an operand is sampled at the first edge at or after its time. Fractions
/// of a picosecond are rounded up. docs/blocks/reduction_table.md #adders.
class AddPipeline {
 public:
  /// `stored`: operands are stored until the last has arrived, so none waits for another.
  AddPipeline(unsigned cycles, Bandwidth line_rate, bool stored);

  /// Remembers the block of a transaction. Call before the table gets it: a table may change the packet.
  void ask(const TableTransaction& t);
  /// Adds the interval of the answer to the last ask() to `t.timing`. Returns the latency of what leaves.
  Tick answer(TableTransaction& t);
  void reset() { written_.clear(); }

 private:
  using Block = std::pair<std::uint64_t, unsigned>;  // number, requester
  struct Write {
    Block block;
    std::uint64_t edge;
  };
  std::uint64_t wait(const Block& block, std::uint64_t edge) const;
  std::uint64_t edge_at(Tick time) const;
  Tick time_of(std::uint64_t clocks) const;

  Bandwidth rate_;
  bool stored_;
  unsigned cycles_;
  Block asked_{};
  bool operand_ = false;        // the transaction has one
  std::vector<Write> written_;  // partial sums in the pipeline, in order of edges
};

}  // namespace tributary
