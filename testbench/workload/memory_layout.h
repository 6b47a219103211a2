#pragma once
/// Where a collective's buffers lie in the memory of each of its endpoints.

#include <cstdint>

#include "modules/base/units.h"
#include "testbench/collective/schedule/chunking.h"
#include "testbench/collective/schedule/parts.h"
#include "testbench/workload/job.h"

namespace tributary {

/// From address 0 on: the message, of which parts begin at whole blocks; for an all-to-all the parts that are received; what
/// the method needs besides: the mailboxes of a software schedule, the blocks of a barrier.
struct MemoryLayout {
  std::uint64_t received = 0;
  std::uint64_t mailboxes = 0;

  static MemoryLayout of(const JobSpec& job, Bytes message);
};

collective::Parts parts_of(const JobSpec& job, Bytes message);

/// Where the chunks of a software schedule lie in the memory of its ranks.
class ChunkPlaces {
 public:
  ChunkPlaces(const JobSpec& job, Bytes message, const collective::Schedule& schedule);
  /// Of an all-to-all: neither from nor to this rank, which has no place for it among its buffers.
  bool relayed(int rank, int chunk) const;
  /// Of a chunk that is not relayed: where its first block begins.
  std::uint64_t address(int rank, int chunk) const;

 private:
  collective::Chunking chunking_;
  collective::Parts parts_;
  std::uint64_t message_bytes_, received_;
  int ranks_, chunks_;
};

}  // namespace tributary
