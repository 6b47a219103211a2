#pragma once
/// A collective as data: chunk operations with dependencies for every rank. Verified by symbolic.h before simulation.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "modules/base/units.h"

namespace tributary::collective {

/// Chunks of the message move through mailboxes: each rank has `Schedule::slots` slots for every peer, each as large as the
/// largest chunk.
enum class OperationKind : std::uint8_t {
  send,     ///< own chunk -> mailbox slot at `peer`; done when the chunk has been read
  receive,  ///< waits until the message from `peer` has arrived in its slot
  reduce,   ///< own chunk += mailbox slot
  copy      ///< own chunk = mailbox slot
};

/// A send of rank a (peer b, slot s, step t) matches the receive, reduce or copy of rank b (peer a, slot s, step t).
struct Operation {
  OperationKind kind = OperationKind::send;
  int id = 0;  ///< unique within the rank
  int peer = 0;
  int chunk = 0;
  int slot = 0;
  int step = 0;           ///< step of the algorithm; distinguishes messages that use one slot in turn
  std::vector<int> deps;  ///< ids of operations of the same rank that must be done before this one starts
};

/// Range of a message that forms one chunk: whole blocks of 128 B, except for a partly filled last block of the message.
struct ChunkRange {
  std::uint64_t first_block = 0, blocks = 0;
  std::uint64_t offset = 0, bytes = 0;
};

inline constexpr int every_rank = -1, no_rank = -2;

/// Goal of a chunk: rank `to` finally holds the operand of rank `from`; `from` every_rank means the sum
/// of all operands. `no_rank` means that the chunk is empty and no rank needs it.
struct Goal {
  int from = every_rank;
  int to = every_rank;

  bool starts_at(int rank) const { return from == every_rank || from == rank; }
  bool ends_at(int rank) const { return to == every_rank || to == rank; }
};

struct Schedule {
  std::string algorithm;
  int ranks = 0, chunks = 0, slots = 0;
  std::vector<std::vector<Operation>> programs;  ///< [rank]
  std::vector<Goal> goals = {};                  ///< [chunk]; empty: an all-reduce, every chunk from all to all
  bool barrier = false;                          ///< no data moves, and no rank ends before every rank has begun

  ChunkRange chunk_range(int chunk, std::uint64_t message_bytes) const;
};

/// An invalid schedule: one line that names the rank, the operation and the reason.
class ScheduleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Splits a message into `chunks` contiguous ranges whose block counts differ by at most one; some are empty when the
/// message has fewer blocks than chunks.
ChunkRange chunk_range(int chunk, int chunks, std::uint64_t message_bytes);

/// `send` `receive` `reduce` `copy`
const char* name(OperationKind kind);
/// `rank 3 send #5 (chunk 1 to rank 4, slot 2, step 2)`
std::string describe(int rank, const Operation& operation);

}  // namespace tributary::collective
