#pragma once
/// Symbolic proof of an MSCCL algorithm for any timing and any message.

#include <string>
#include <vector>

#include "testbench/interchange/msccl/algorithm.h"

namespace tributary::msccl {

struct Proof {
  bool proved = false;
  std::string reason;             ///< why it is not proved: one line; further lines hold the steps of a deadlock
  int root = 0;                   ///< root of a broadcast, reduce, gather or scatter, derived from the data
  std::size_t longest_chain = 0;  ///< number of steps that wait for each other in turn
};

/// Executes the algorithm on buffers that hold sums of input chunks with their counts. Proves that
///   - no steps wait for each other, each message is received once with the number of chunks that was sent, and queues are
///   empty
///     at the end;
///   - no place is read before it is written;
///   - each output chunk holds the result of the collective, in two opposite orders of thread blocks;
///   - if two steps of different thread blocks of a GPU touch a chunk and one of them writes it, one happens before the
///   other.
///     This follows only from the order within thread blocks, dependencies and messages, so it holds in every execution.
/// The proof covers each placement (in place, out of place) that the file supports. Throws InputError, one line: an unknown
/// collective, chunk counts of GPUs that do not match it, or more steps than can be proved.
Proof prove(const Algorithm& algorithm);

}  // namespace tributary::msccl
