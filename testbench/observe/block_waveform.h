#pragma once
/// Writes the waveform of a traced block.

#include <string>
#include <vector>

#include "testbench/observe/block_trace.h"

namespace tributary {

/// Writes the life of one block as a value change dump FILE and a save file FILE.gtkw. In temporal order they show
/// every link that carried the block (opcode and source while it is on the wire), every entry that reduced it, and
/// every endpoint that it reached. The view spans all events; markers A, B, ... name the first and last operand,
/// completion, and the first and last arrival. Throws OutputError.
void write_block_waveform(const std::string& file, const BlockQuery& query, const std::vector<BlockEvent>& events);

}  // namespace tributary
