#include "modules/nic/core/written_rows.h"

#include <stdexcept>

namespace tributary {
namespace {

/// Returns the content of a row, or the reason for which it is no entry.
std::string text_of(const EntryCode& code) {
  try {
    return describe(decode(code));
  } catch (const std::invalid_argument& error) {
    return std::string("no entry (") + error.what() + ")";
  }
}

}  // namespace

void WrittenRows::write(std::uint32_t row, const EntryCode& code) {
  if (row >= rows_.size()) rows_.resize(std::size_t{row} + 1);
  rows_[row] = code;
}

std::optional<std::string> WrittenRows::breach(std::uint32_t row, const EntryCode& read) const {
  if (row >= rows_.size() || !rows_[row] || *rows_[row] == read) return std::nullopt;
  return "row " + std::to_string(row) + " was written as " + text_of(*rows_[row]) + " and is read as " + text_of(read);
}

}  // namespace tributary
