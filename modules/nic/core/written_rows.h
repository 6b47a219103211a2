#pragma once
/// WrittenRows: checks that a schedule table returns each row as it was written.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "modules/nic/core/entry_code.h"

namespace tributary {

class WrittenRows {
 public:
  void write(std::uint32_t row, const EntryCode& code);
  /// Returns the breach, one line, if this row was written otherwise; nothing for rows that have not been written here.
  std::optional<std::string> breach(std::uint32_t row, const EntryCode& read) const;
  /// Returns the row as it was written; null if it was not written here.
  const EntryCode* find(std::uint32_t row) const { return row < rows_.size() && rows_[row] ? &*rows_[row] : nullptr; }
  /// Forgets all rows: other initiators may write from now on.
  void clear() { rows_.clear(); }

 private:
  std::vector<std::optional<EntryCode>> rows_;
};

}  // namespace tributary
