#pragma once
/// The begin of a file, which shows its format.

#include <cstddef>
#include <istream>
#include <string>

namespace tributary::training {

inline constexpr std::size_t begin_of_format = 1024;                 ///< bytes that show most formats
inline constexpr std::size_t begin_of_trace = std::size_t{1} << 20;  ///< bytes with the first node, or first line of NCCL

/// Returns up to `bytes` bytes from the begin of the file, which is then at its begin again.
std::string begin_of(std::istream& file, std::size_t bytes);

/// True for Chakra traces in Protocol Buffers, which have control characters from the first message on; texts have none.
bool is_binary(const std::string& begin);

}  // namespace tributary::training
