#pragma once
/// Definition of the collectives: the data of the ranks before and after. Algorithms define the steps between.

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/collective/schedule/chunking.h"
#include "testbench/workload/job.h"

namespace tributary {

/// A range at one address in the memory of some ranks: elements from `first_element` on of the sum over `operands`.
struct OperandRange {
  std::vector<int> at;
  std::uint64_t address = 0, bytes = 0;
  std::uint64_t first_element = 0;
  std::vector<int> operands;
};

struct Collective {
  const char* name;
  const char* about;
  collective::Chunking chunking;
  bool rooted;            ///< has a root: `--root`
  bool targeted;          ///< reaches some ranks only: `--targets`
  bool reduces;           ///< adds operands
  unsigned passes;        ///< passes over the message in busbw: 2 for an all-reduce
  bool own_part_remains;  ///< each rank keeps its own slice, which crosses no link
  /// Ranges of its own operand that every rank holds at the start. A range that is to be received holds wrong values.
  std::vector<OperandRange> (*initial)(const JobSpec& job, Bytes message);
  /// Ranges that the collective defines. A reduce or gather defines no result beyond the root.
  std::vector<OperandRange> (*result)(const JobSpec& job, Bytes message);

  /// Returns busbw / algbw (nccl-tests): 2(n-1)/n for an all-reduce; (n-1)/n for collectives in which each rank keeps its
  /// own slice (all-gather, gather, reduce-scatter, all-to-all); else 1.
  double bus_factor(std::size_t ranks) const;
  /// True for a barrier: it moves no message, and its size is that of a packet.
  bool signals() const { return chunking == collective::Chunking::signal; }
};

const std::vector<Collective>& collectives();
/// Finds a collective by name. Throws std::invalid_argument (one line) with the nearest names.
const Collective& collective_of(const std::string& name);

}  // namespace tributary
