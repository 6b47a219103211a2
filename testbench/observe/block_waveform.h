#pragma once

#include <string>
#include <vector>

#include "testbench/observe/block_trace.h"

namespace tributary {

/// Writes the life of one block as a value change dump FILE and, beside it, FILE.gtkw: every link that carried it (opcode
/// and source while it is on the wire), every entry that reduced it, every endpoint that it reached, in the order of its
/// life. The view opens at the first event and shows up to the last; markers A, B, ... name first and last operand,
/// completion, first and last arrival. Throws OutputError.
void write_block_waveform(const std::string& file, const BlockQuery& query, const std::vector<BlockEvent>& events);

}  // namespace tributary
