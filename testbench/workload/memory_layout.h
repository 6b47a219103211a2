#pragma once
/// Addresses of a collective's buffers in the memory of each endpoint.

#include <cstdint>

#include "modules/base/units.h"
#include "testbench/collective/schedule/chunking.h"
#include "testbench/collective/schedule/parts.h"
#include "testbench/workload/job.h"

namespace tributary {

/// Memory from address 0 on: the message, whose slices begin at whole blocks; for an all-to-all or send/receive, the
/// received data; then memory of the algorithm: mailboxes of a software schedule, or blocks of a barrier. Kernels that run
/// back to back have such buffers each, before the memory of the algorithm.
struct MemoryLayout {
  std::uint64_t received = 0;
  std::uint64_t mailboxes = 0;
  std::uint64_t of_kernel = 0;  ///< bytes of the buffers of a kernel: those of kernel k begin at k x of_kernel

  static MemoryLayout of(const JobSpec& job, Bytes message);
};

collective::Parts parts_of(const JobSpec& job, Bytes message);

/// Addresses of the chunks of a software schedule in the memory of its ranks.
class ChunkPlaces {
 public:
  ChunkPlaces(const JobSpec& job, Bytes message, const collective::Schedule& schedule);
  /// True if a chunk of an all-to-all or send/receive is neither from nor to this rank, whose buffers have no address for
  /// it.
  bool relayed(int rank, int chunk) const;
  /// Returns the address of the first block of a chunk that is not relayed.
  std::uint64_t address(int rank, int chunk) const;

 private:
  collective::Chunking chunking_;
  collective::Parts parts_;
  std::uint64_t message_bytes_, received_;
  int ranks_, chunks_;
};

}  // namespace tributary
