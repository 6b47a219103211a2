#include "testbench/collective/schedule/schedule.h"

#include <algorithm>

namespace tributary::collective {

ChunkRange chunk_range(int chunk, int chunks, std::uint64_t message_bytes) {
  if (chunks < 1 || chunk < 0 || chunk >= chunks)
    throw ScheduleError("no chunk " + std::to_string(chunk) + " among " + std::to_string(chunks) + " chunks");
  const std::uint64_t blocks = message_bytes / block_bytes + (message_bytes % block_bytes != 0);
  const auto n = static_cast<std::uint64_t>(chunks), i = static_cast<std::uint64_t>(chunk);
  const std::uint64_t share = blocks / n, longer = blocks % n;  // the first `longer` chunks have one more block

  ChunkRange range;
  range.first_block = i * share + std::min(i, longer);
  range.blocks = share + (i < longer ? 1 : 0);
  range.offset = std::min(range.first_block * block_bytes, message_bytes);
  range.bytes = std::min(range.blocks * block_bytes, message_bytes - range.offset);
  return range;
}

ChunkRange Schedule::chunk_range(int chunk, std::uint64_t message_bytes) const {
  return collective::chunk_range(chunk, chunks, message_bytes);
}

const char* name(OperationKind kind) {
  switch (kind) {
    case OperationKind::send:
      return "send";
    case OperationKind::receive:
      return "receive";
    case OperationKind::reduce:
      return "reduce";
    case OperationKind::copy:
      return "copy";
  }
  return "unknown operation";
}

std::string describe(int rank, const Operation& o) {
  return "rank " + std::to_string(rank) + " " + name(o.kind) + " #" + std::to_string(o.id) + " (chunk " +
         std::to_string(o.chunk) + (o.kind == OperationKind::send ? " to" : " from") + " rank " + std::to_string(o.peer) +
         ", slot " + std::to_string(o.slot) + ", step " + std::to_string(o.step) + ")";
}

}  // namespace tributary::collective
