#pragma once
/// The collectives: what the ranks hold before and after, and what follows from that. Algorithms know how it is done.

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/collective/schedule/chunking.h"
#include "testbench/workload/job.h"

namespace tributary {

/// Bytes at one place in the memory of some ranks: elements `first_element` ... of the sum over `operands`.
struct Piece {
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
  bool reduces;           ///< adds operands up
  unsigned passes;        ///< over the message, as busbw counts them: 2 of an all-reduce
  bool own_part_remains;  ///< of each rank, and crosses no link
  /// What every rank holds of its own operand at the start. Where something is to arrive, it holds what is wrong there.
  std::vector<Piece> (*initial)(const JobSpec& job, Bytes message);
  /// What the collective defines. What a reduce or a gather leaves beyond the root is not defined.
  std::vector<Piece> (*result)(const JobSpec& job, Bytes message);

  /// busbw = algbw x this (nccl-tests): 2(n-1)/n for an all-reduce; (n-1)/n for what leaves each rank its own part:
  /// all-gather, gather, reduce-scatter, all-to-all; else 1.
  double bus_factor(std::size_t ranks) const;
  /// Moves no message, so that its size is that of a packet: a barrier.
  bool signals() const { return chunking == collective::Chunking::signal; }
};

const std::vector<Collective>& collectives();
/// Throws std::invalid_argument, one line, with the nearest names.
const Collective& collective_of(const std::string& name);

}  // namespace tributary
