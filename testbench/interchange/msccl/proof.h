#pragma once
/// Symbolic proof of an MSCCL algorithm, for any timing and any message.

#include <string>
#include <vector>

#include "testbench/interchange/msccl/algorithm.h"

namespace tributary::msccl {

struct Proof {
  bool proved = false;
  std::string reason;             ///< of what is not proved: a line, of a deadlock its steps in further lines
  int root = 0;                   ///< of a broadcast, reduce, gather, scatter, as the data tell
  std::size_t longest_chain = 0;  ///< steps, each of which waits for the one before
};

/// Buffers hold sums of input chunks, with how often each is in them. Proves that
///   - no steps wait for each other, each message is received once with as many chunks as were sent, and queues are empty at
///     the end;
///   - nothing is read before it is written;
///   - each output chunk holds what the collective says, in two opposite orders of thread blocks;
///   - of two steps of different thread blocks of a GPU that touch a chunk which one of them writes, one happens before the
///     other, by the order within thread blocks, dependencies and messages alone: so it holds in every order.
/// In place and out of place, as the file says it works. Throws InputError, one line: an unknown collective, chunk counts of
/// GPUs that do not fit it, more steps than can be proved.
Proof prove(const Algorithm& algorithm);

}  // namespace tributary::msccl
