#pragma once
/// A collective in the form of an MSCCL XML file: each GPU has thread blocks, and each thread block executes steps in order.
/// Format and meaning: ROCm/rccl src/misc/msccl/msccl_parser.cc, microsoft/msccl-tools.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tributary::msccl {

enum class StepType : std::uint8_t {
  send,                      ///< `s`: sends the source
  receive,                   ///< `r`: receives to the destination
  receive_copy_send,         ///< `rcs`: receives to the destination and sends the data on
  receive_reduce_send,       ///< `rrs`: sends received + source, and stores nothing
  receive_reduce_copy,       ///< `rrc`: destination = received + source
  receive_reduce_copy_send,  ///< `rrcs`: destination = received + source, and sends the sum on
  copy,                      ///< `cpy`: destination = source
  reduce,                    ///< `re`: destination += source
  nop                        ///< `nop`: only waits for another step
};

struct StepTraits {
  StepType type;
  const char* name;  ///< name in a file
  bool sends, receives;
  bool reads_source, writes;  ///< `writes` refers to the destination
  bool adds_destination;      ///< also reads the destination
};
/// Returns the traits of all types, in the order of StepType.
const std::vector<StepTraits>& step_traits();
inline const StepTraits& traits(StepType type) { return step_traits()[static_cast<std::size_t>(type)]; }

enum class Buffer : std::uint8_t { input, output, scratch };

/// A chunk of a GPU's memory.
struct Place {
  Buffer buffer = Buffer::input;
  int offset = -1;  ///< in chunks; -1: none
};

struct Step {
  StepType type = StepType::nop;
  Place source, destination;
  int count = 0;        ///< number of chunks, from source and destination on
  int depends_tb = -1;  ///< thread block of the same GPU that the step waits for; -1: none
  int depends_step = -1;
  std::size_t line = 0;  ///< line of the file, from 1; 0: no file
};

struct ThreadBlock {
  int send = -1, receive = -1;  ///< peers, -1: none
  int channel = 0;
  std::vector<Step> steps;
  std::size_t line = 0;
};

struct Gpu {
  int input = 0, output = 0, scratch = 0;  ///< chunks
  std::vector<ThreadBlock> blocks;         ///< by id, from 0
};

struct Algorithm {
  std::string name, protocol, collective;
  int channels = 1;
  int chunks_per_loop = 1;                     ///< chunks of the larger of input and output
  bool inplace = false, out_of_place = true;   ///< supported placements, at least one
  std::uint64_t min_bytes = 0, max_bytes = 0;  ///< range of message sizes; max_bytes 0: unlimited
  std::vector<Gpu> gpus;                       ///< by id

  int ranks() const { return static_cast<int>(gpus.size()); }
};

/// Counts of an algorithm.
struct Size {
  std::size_t thread_blocks = 0, steps = 0;
  std::size_t messages = 0;    ///< steps that send
  std::size_t chunk_hops = 0;  ///< chunks that these steps send
};
Size size_of(const Algorithm& algorithm);

/// `gpu 3 tb 1 step 0 (rrs from 2 to 4, channel 0)`
std::string describe(const Algorithm& algorithm, int gpu, int thread_block, int step);

}  // namespace tributary::msccl
