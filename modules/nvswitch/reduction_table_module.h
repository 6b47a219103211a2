#pragma once
/// Interface and factory of the reduction table at an NVSwitch port's table socket.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "modules/base/sysc/table_socket.h"
#include "modules/base/units.h"
#include "modules/nvswitch/core/table_transaction.h"

namespace tributary {

using ReductionTableSocket = TableInitiator<TableTransaction>;
/// Base of every reduction table. table_transaction.h defines its commands, docs/blocks/reduction_table.md the guarantees
/// of the port.
using ReductionTableModule = TableModule<TableTransaction>;

// Instantiated once, in associative_reduction_table.cpp: sockets are dear to compile.
extern template class TableInitiator<TableTransaction>;
extern template class TableModule<TableTransaction>;

struct ReductionTableConfig {
  std::string port;         ///< hierarchical name of its port
  std::uint64_t bytes = 0;  ///< data bytes; entries = bytes / 128
  Tick timeout = never;     ///< a push entry without an operand for this time is evicted
  bool rank_order = false;  ///< operands are added in rank order
  Bandwidth line_rate;      ///< rate at which operands pass
  unsigned add_cycles = 0;  ///< clocks of a flit that the adders need
};

/// Creates the table of one port, as a child of that port. If null, the user binds a table to the port's `table_socket`.
using ReductionTableFactory =
    std::function<std::unique_ptr<ReductionTableModule>(const char* name, const ReductionTableConfig&)>;

/// Creates the table of the paper (associative_reduction_table.h).
std::unique_ptr<ReductionTableModule> make_reduction_table(const char* name, const ReductionTableConfig& config);

}  // namespace tributary
