#pragma once
/// Reads MSCCL XML.

#include <string>
#include <vector>

#include "testbench/interchange/msccl/algorithm.h"

namespace tributary::msccl {

/// What a file may hold: time and memory of reader and proof are bounded by these.
struct Limits {
  static constexpr std::size_t bytes = std::size_t{256} << 20;
  static constexpr int gpus = 1'024, channels = 128, chunks = 65'536;
  static constexpr std::size_t thread_blocks = 65'536, steps = std::size_t{1} << 20;
  static constexpr int count = 71;                                   ///< chunks of a step, as RCCL has it
  static constexpr std::size_t usual_blocks = 64, usual_steps = 64;  ///< of a GPU, of a thread block; RCCL takes no more
};

struct ReadAlgorithm {
  Algorithm algorithm;
  std::vector<std::string> warnings;  ///< `PATH:LINE: what`: legal, but without effect here, or not legal everywhere
};

/// Throws InputError, `PATH:LINE: what (legal: ...)`: no XML, attributes that are missing or out of range, ids that do not
/// count from 0, peers, thread blocks or steps that do not exist, steps that send or receive without a peer.
ReadAlgorithm read_algorithm(const std::string& text, const std::string& path);
/// The same of a file.
ReadAlgorithm read_algorithm_file(const std::string& path);

}  // namespace tributary::msccl
