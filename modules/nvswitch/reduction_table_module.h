#pragma once
/// What stands behind the table socket of an NVSwitch port, and the factory that makes it.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "modules/base/sysc/table_socket.h"
#include "modules/base/units.h"
#include "modules/nvswitch/core/table_transaction.h"

namespace tributary {

using ReductionTableSocket = TableInitiator<TableTransaction>;
/// Base of every reduction table; table_transaction.h says what it is asked, docs/blocks/reduction_table.md what it may
/// rely on.
using ReductionTableModule = TableModule<TableTransaction>;

struct ReductionTableConfig {
  std::string port;         ///< hierarchical name of the port that it belongs to
  std::uint64_t bytes = 0;  ///< of data; entries = bytes / 128
  Tick timeout = never;     ///< a push entry without an operand for so long is evicted
  bool rank_order = false;  ///< operands are added in the order of ranks
  Bandwidth line_rate;      ///< at which operands pass
};

/// Makes the table of one port, as a child of that port. Null: the user binds a table to the port's `table_socket`.
using ReductionTableFactory =
    std::function<std::unique_ptr<ReductionTableModule>(const char* name, const ReductionTableConfig&)>;

/// The table of the paper (associative_reduction_table.h).
std::unique_ptr<ReductionTableModule> make_reduction_table(const char* name, const ReductionTableConfig& config);

}  // namespace tributary
