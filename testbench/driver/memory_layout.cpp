#include "testbench/driver/memory_layout.h"

#include "testbench/collective/software.h"

namespace tributary {

collective::Parts parts_of(const JobSpec& job, Bytes message) {
  return {message.value, element_size(job.type), job.ranks.size()};
}

MemoryLayout MemoryLayout::of(const JobSpec& job, Bytes message) {
  using collective::Chunking;
  const std::uint64_t ranks = job.ranks.size(), parts = parts_of(job, message).all_bytes();
  MemoryLayout layout;
  switch (collective::chunking_of(job.collective)) {
    case Chunking::even:
      layout.received = layout.barrier = (message.value + 127) / 128 * 128;
      break;
    case Chunking::parts:
      layout.received = layout.barrier = parts;
      break;
    case Chunking::pairs:
      layout.received = parts;
      layout.barrier = 2 * parts;
      break;
    case Chunking::signal:  // a block for each rank
      layout.received = layout.barrier = ranks * 128;
      break;
  }
  layout.mailboxes = layout.barrier + (job.algorithm == "pull" ? ranks * 128 : 0);
  return layout;
}

}  // namespace tributary
