#pragma once
/// Sends random transactions to two beat tables and compares every answer and every byte.

#include <cstdint>
#include <string>

#include "modules/nvswitch/core/beat_table.h"

namespace tributary {

struct Score {
  std::uint64_t transactions = 0, completions = 0, evictions = 0, timeouts = 0, refusals = 0;
  std::string difference;  ///< the first difference; empty if there is none
};

/// Both tables have the same entries and timeout. Operands are whole and partial blocks.
Score compare(BeatTable& a, BeatTable& b, std::uint64_t transactions, std::uint64_t seed);

}  // namespace tributary
