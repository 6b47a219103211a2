#pragma once
/// A collective as an MSCCL XML file says it: for each GPU thread blocks, each with steps that it carries out in order.
/// Format and meaning: ROCm/rccl src/misc/msccl/msccl_parser.cc, microsoft/msccl-tools.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tributary::msccl {

enum class StepType : std::uint8_t {
  send,                      ///< `s`: sends the source
  receive,                   ///< `r`: receives to the destination
  receive_copy_send,         ///< `rcs`: the same, and sends it on
  receive_reduce_send,       ///< `rrs`: sends received + source, and stores nothing
  receive_reduce_copy,       ///< `rrc`: destination = received + source
  receive_reduce_copy_send,  ///< `rrcs`: the same, and sends it on
  copy,                      ///< `cpy`: destination = source
  reduce,                    ///< `re`: destination += source
  nop                        ///< `nop`: waits for one more step
};

struct StepTraits {
  StepType type;
  const char* name;  ///< as in a file
  bool sends, receives;
  bool reads_source, writes;  ///< `writes`: the destination
  bool adds_destination;      ///< reads it, too
};
/// One for each type, in their order.
const std::vector<StepTraits>& step_traits();
inline const StepTraits& traits(StepType type) { return step_traits()[static_cast<std::size_t>(type)]; }

enum class Buffer : std::uint8_t { input, output, scratch };

/// A chunk of a GPU's memory.
struct Place {
  Buffer buffer = Buffer::input;
  int offset = -1;  ///< chunks; -1: none
};

struct Step {
  StepType type = StepType::nop;
  Place source, destination;
  int count = 0;        ///< chunks, from source and destination on
  int depends_tb = -1;  ///< thread block of the same GPU; -1: the step waits for none
  int depends_step = -1;
  std::size_t line = 0;  ///< of the file, from 1; 0: of none
};

struct ThreadBlock {
  int send = -1, receive = -1;  ///< peers, -1: none
  int channel = 0;
  std::vector<Step> steps;
  std::size_t line = 0;
};

struct Gpu {
  int input = 0, output = 0, scratch = 0;  ///< chunks
  std::vector<ThreadBlock> blocks;         ///< by their ids, 0, 1 ...
};

struct Algorithm {
  std::string name, protocol, collective;
  int channels = 1;
  int chunks_per_loop = 1;                     ///< chunks of the larger of input and output
  bool inplace = false, out_of_place = true;   ///< works so; at least one holds
  std::uint64_t min_bytes = 0, max_bytes = 0;  ///< sizes that it is meant for; largest 0: unlimited
  std::vector<Gpu> gpus;                       ///< by their ids

  int ranks() const { return static_cast<int>(gpus.size()); }
};

/// What a file, or a schedule, says in numbers.
struct Size {
  std::size_t thread_blocks = 0, steps = 0;
  std::size_t messages = 0;    ///< steps that send
  std::size_t chunk_hops = 0;  ///< chunks that they send
};
Size size_of(const Algorithm& algorithm);

/// `gpu 3 tb 1 step 0 (rrs from 2 to 4, channel 0)`
std::string describe(const Algorithm& algorithm, int gpu, int thread_block, int step);

}  // namespace tributary::msccl
