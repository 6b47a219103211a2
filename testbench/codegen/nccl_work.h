#pragma once
/// The division of a message among channels, threads, chunks and slices, as NCCL makes it (enqueue.cc of NCCL 2.21 to 2.29).

#include <cstdint>

#include "modules/base/units.h"
#include "testbench/codegen/nccl_system.h"

namespace tributary::nccl {

struct Work {
  unsigned channels = 1;  ///< thread blocks
  unsigned threads = 0;   ///< threads of a block that move data
  Bytes chunk{};          ///< bytes of data that a channel handles for one rank or head in a loop
  Bytes slice{};          ///< bytes of a chunk that are announced together
};

/// Threads of a block at most by which NCCL divides a message, and bytes of data in a slot of a connection (tuning.cc,
/// init.cc, device.h). A tree has more threads than it counts.
unsigned most_threads(Algorithm algorithm, Protocol protocol);
Bytes slot_data(Protocol protocol);
/// Returns the data that a thread moves at once with LL or LL128: 8 B of a line of 16 B; 15 of 16 words in 64 B of LL128.
Bytes line_data(Protocol protocol);

/// Returns the division of a message of `size`. A channel of a ring or tree is left out while the others have less than
/// their threads can move at once; NVLS always uses all.
Work work_of(const System& system, Collective collective, Algorithm algorithm, Protocol protocol, Bytes size);

/// Returns the threads of a tree's block that reduce up its tree; the others broadcast down it at the same time
/// (runTreeSplit in all_reduce.h). The root does not divide its threads.
unsigned threads_up(Protocol protocol, unsigned threads);

}  // namespace tributary::nccl
