#pragma once
/// Formats of training graphs and traces, detected from the content of a file.

#include <cstdint>
#include <istream>
#include <string>

namespace tributary::training {

enum class TraceFormat : std::uint8_t {
  unknown,
  graph,    ///< Tributary's YAML
  text,     ///< text workload of ASTRA-sim or SimAI
  nccl,     ///< debug log of NCCL
  pytorch,  ///< execution trace, or trace of the profiler
  chakra,   ///< Chakra trace, binary or JSON
  layers    ///< layer table of SCALE-Sim, a model
};

/// Returns the format of a file, which is then at its begin again. Throws InputError if the file is empty.
TraceFormat format_of_trace(std::istream& file, const std::string& path);

/// Throws InputError: the file has no graph; the formats that are legal.
[[noreturn]] void refuse_format(TraceFormat format, const std::string& path);

}  // namespace tributary::training
