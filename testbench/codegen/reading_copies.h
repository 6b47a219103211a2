#pragma once
/// reading_copies: programs whose copies are carried out by the GPU that receives the data (docs/systems/blink.md#codegen).

#include <vector>

#include "modules/streams/core/stream_program.h"

namespace tributary {

/// Returns the programs with the engines of receivers in place of those of senders. A sender's copies up to a record become
/// this record alone, for a semaphore of its own. The receiver waits for it in a stream of its own (one for each sender if a
/// GPU would have more streams than `queues`), reads the data of these copies, and records the former semaphore. These
/// commands precede the first command that waits for them, so an order of commands in which the former programs end is one
/// for the new programs, too. Copies that no record follows stay as they are. `endpoints`: number of each program's GPU, by
/// which peers are named.
std::vector<StreamProgram> reading_copies(std::vector<StreamProgram> programs, const std::vector<int>& endpoints,
                                          unsigned queues);

}  // namespace tributary
