#include "testbench/workload/memory_layout.h"

#include "testbench/workload/collective.h"

namespace tributary {

collective::Parts parts_of(const JobSpec& job, Bytes message) {
  return {message.value, element_size(job.type), job.ranks.size(), job.part_stride};
}

MemoryLayout MemoryLayout::of(const JobSpec& job, Bytes message) {
  using collective::Chunking;
  const std::uint64_t ranks = job.ranks.size(), parts = parts_of(job, message).all_bytes();
  MemoryLayout layout;
  switch (collective_of(job.collective).chunking) {
    case Chunking::even:
      layout.received = layout.mailboxes = blocks_of(message.value) * block_bytes;
      break;
    case Chunking::parts:
      layout.received = layout.mailboxes = parts;
      break;
    case Chunking::pairs:
      layout.received = parts;
      layout.mailboxes = 2 * parts;
      break;
    case Chunking::neighbors:
      layout.received = blocks_of(message.value) * block_bytes;
      layout.mailboxes = 2 * layout.received;
      break;
    case Chunking::signal:  // one block per rank
      layout.received = layout.mailboxes = ranks * block_bytes;
      break;
  }
  layout.of_kernel = layout.mailboxes;
  layout.mailboxes *= job.back_to_back;
  return layout;
}

ChunkPlaces::ChunkPlaces(const JobSpec& job, Bytes message, const collective::Schedule& schedule)
    : chunking_(collective_of(job.collective).chunking),
      parts_(parts_of(job, message)),
      message_bytes_(message.value),
      received_(MemoryLayout::of(job, message).received),
      ranks_(schedule.ranks),
      chunks_(schedule.chunks) {}

bool ChunkPlaces::relayed(int rank, int chunk) const {
  if (chunking_ == collective::Chunking::neighbors) {
    const int from = chunk / (chunks_ / ranks_);
    return from != rank && (from + 1) % ranks_ != rank;
  }
  if (chunking_ != collective::Chunking::pairs) return false;
  const int pair = chunk / (chunks_ / (ranks_ * ranks_));
  return pair / ranks_ != rank && pair % ranks_ != rank;
}

std::uint64_t ChunkPlaces::address(int rank, int chunk) const {
  using collective::Chunking;
  const bool pairs = chunking_ == Chunking::pairs;
  if (chunking_ == Chunking::signal) return 0;
  if (chunking_ == Chunking::even) return collective::chunk_range(chunk, chunks_, message_bytes_).first_block * block_bytes;
  if (chunking_ == Chunking::neighbors) {
    const int chunks = chunks_ / ranks_;
    return (chunk / chunks == rank ? 0 : received_) + collective::chunk_range(chunk % chunks, chunks, message_bytes_).offset;
  }
  // A chunk is the part of a rank, or one of several chunks of that part.
  const int chunks_of_part = chunks_ / (pairs ? ranks_ * ranks_ : ranks_), part = chunk / chunks_of_part;
  const int place = !pairs ? part : part / ranks_ == rank ? part % ranks_ : part / ranks_;
  const auto size = static_cast<std::uint64_t>(pairs ? (part / ranks_ + part % ranks_) % ranks_ : part);
  const std::uint64_t before =
      collective::chunk_range(chunk % chunks_of_part, chunks_of_part, parts_.bytes(size)).first_block * block_bytes;
  return (pairs && part / ranks_ != rank ? received_ : 0) + parts_.address(static_cast<std::uint64_t>(place)) + before;
}

}  // namespace tributary
