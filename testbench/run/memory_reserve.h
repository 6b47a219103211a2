#pragma once
/// Memory reserve: kept until an allocation fails, so that the report of the failure finds room.

#include <string>

namespace tributary {

/// Reserves memory, and releases it when an allocation fails. The allocation still throws std::bad_alloc. Limits the data of
/// this process to the memory that is free now, with swap: beyond it the system would end the process without a word.
void install_memory_reserve();
/// True if an allocation has failed. A SystemC process hides the type of its exceptions, so callers ask here.
bool memory_ran_out();
/// Returns the cause in reports of runs whose memory has run out.
std::string memory_shortage();

}  // namespace tributary
