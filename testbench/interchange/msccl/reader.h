#pragma once
/// Reads MSCCL XML.

#include <string>
#include <vector>

#include "testbench/interchange/msccl/algorithm.h"

namespace tributary::msccl {

/// Limits of a file, which bound the time and memory of the reader and the proof.
struct Limits {
  static constexpr std::size_t bytes = std::size_t{256} << 20;
  static constexpr int gpus = 1'024, channels = 128, chunks = 65'536;
  static constexpr std::size_t thread_blocks = 65'536, steps = std::size_t{1} << 20;
  static constexpr int count = 71;                                   ///< chunks of a step, the limit of RCCL
  static constexpr std::size_t usual_blocks = 64, usual_steps = 64;  ///< per GPU and per thread block; RCCL accepts no more
};

struct ReadAlgorithm {
  Algorithm algorithm;
  std::vector<std::string> warnings;  ///< `PATH:LINE: warning`: legal, but without effect here or not legal everywhere
};

/// Reads an algorithm from XML. Throws InputError, `PATH:LINE: error (legal: ...)`: the text is not XML, attributes are
/// missing or out of range, ids do not count from 0, peers, thread blocks or steps do not exist, or a step sends or receives
/// without a peer.
ReadAlgorithm read_algorithm(const std::string& text, const std::string& path);
/// Reads an algorithm from a file.
ReadAlgorithm read_algorithm_file(const std::string& path);

}  // namespace tributary::msccl
