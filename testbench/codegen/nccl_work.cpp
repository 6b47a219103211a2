#include "testbench/codegen/nccl_work.h"

#include <algorithm>

#include "testbench/codegen/nccl_generations.h"
#include "testbench/codegen/nvls_plan.h"

namespace tributary::nccl {
namespace {

constexpr unsigned slots = 8;
constexpr std::uint64_t simple_buffer = 4 << 20;
constexpr unsigned warp = 32, fewest_threads = 3 * warp, halved_threads = 4 * warp;
constexpr unsigned tree_threads = 20 * warp, more_of_a_tree = 4 * warp;

/// Returns the bytes of a thread below which fewer channels or threads suffice.
std::uint64_t bytes_of_thread(const System& system, Algorithm algorithm, Protocol protocol) {
  if (protocol == Protocol::simple) return 64;
  return protocol == Protocol::ll && algorithm == Algorithm::ring ? std::uint64_t{8} * system.gpus : 8;
}

/// Returns the chunk of a tree with LL128: it is halved while the pipeline of the tree would hold too few of them.
std::uint64_t tree_ll128_chunk(const System& system, std::uint64_t size, unsigned channels, std::uint64_t chunk) {
  const std::uint64_t local = system.gpus / system.servers;
  std::uint64_t tenths = 10 + local;  // tenths of 1 + log2(servers) + 0.1 x local
  for (unsigned n = system.servers; n > 1; n /= 2) tenths += 10;
  const auto halve = [&](std::uint64_t factor, std::uint64_t least) {
    while (size / (channels * chunk) * 10 * local < tenths * factor && chunk > least) chunk /= 2;
  };
  halve(64, 128 << 10);
  halve(16, 32 << 10);
  return chunk;
}

/// Returns the threads of a tree's block that counts `counted` of them: with plain data it has four warps more, and
/// from 2.27 on always all.
unsigned threads_of_tree(Version version, Protocol protocol, unsigned counted) {
  if (version >= Version::v2_27) return tree_threads;
  return std::max(counted + (protocol == Protocol::simple ? more_of_a_tree : 0), fewest_threads);
}

}  // namespace

unsigned most_threads(Algorithm algorithm, Protocol protocol) {
  if (protocol == Protocol::ll) return 512;
  return protocol == Protocol::simple && algorithm != Algorithm::nvls ? 512 : 640;
}

Bytes slot_data(Protocol protocol) {
  if (protocol == Protocol::simple) return bytes(simple_buffer / slots);
  // 8 lines of 16 B for each of 512 threads, half of each data; 120 words of 8 B for each of 640, 15 of 16 of them data.
  return protocol == Protocol::ll ? 32_KiB : bytes(std::uint64_t{120} * 640 * 8 / 16 * 15);
}

Bytes line_data(Protocol protocol) { return protocol == Protocol::ll ? 8_B : 60_B; }

Work work_of(const System& system, Collective collective, Algorithm algorithm, Protocol protocol, Bytes size) {
  if (algorithm == Algorithm::nvls) {
    const unsigned channels = generation(system.capability).nvls_channels;
    const Bytes chunk = bytes(nvls_chunk(size.value, system.gpus, channels));
    return {channels, most_threads(algorithm, protocol), chunk, chunk};
  }
  Work work{ring_channels(system).channels, most_threads(algorithm, protocol)};
  const std::uint64_t each = bytes_of_thread(system, algorithm, protocol);
  while (work.channels > 1 && size.value < work.channels * work.threads * each) --work.channels;
  while (size.value < work.threads * each && work.threads % halved_threads == 0) work.threads /= 2;
  work.threads = algorithm == Algorithm::tree ? threads_of_tree(system.version, protocol, work.threads)
                                              : std::max(work.threads, fewest_threads);
  const Bytes slot = slot_data(protocol);
  const bool paired = algorithm == Algorithm::ring && protocol == Protocol::simple && !from_root(collective);
  work.chunk = paired ? slot * 4 : slot;
  work.slice = paired ? slot * 2 : slot;
  if (algorithm == Algorithm::tree && protocol == Protocol::ll128)
    work.chunk = work.slice = bytes(tree_ll128_chunk(system, size.value, work.channels, slot.value));
  return work;
}

unsigned threads_up(Protocol protocol, unsigned threads) {
  if (protocol != Protocol::simple) return threads * 7 / 10 / warp * warp;
  const unsigned half = threads / 2;
  return half >= 8 * warp ? half + 2 * warp : half;
}

}  // namespace tributary::nccl
