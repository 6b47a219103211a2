#pragma once
/// Lowers a software schedule of a message to commands of endpoints that have a memory and receive, add and send chunks.

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "testbench/collective/schedule/fused.h"
#include "testbench/workload/memory_layout.h"
#include "testbench/workload/sized_schedule.h"

namespace tributary {

/// value = the data received at `from`, the received data plus the own chunk (`reduce`), or the own chunk (nothing
/// received). The value is then sent to `send`.
struct ChunkCommand {
  struct Target {
    int rank = 0;
    std::uint16_t command = 0;  ///< command of that rank that waits for the data
    std::uint64_t address = 0;
  };
  bool receives = false, reduce = false;
  std::uint64_t address = 0;  ///< address of the own chunk
  std::uint64_t from = 0;     ///< address of the received chunk; that of the own chunk if it overwrites it
  std::uint64_t bytes = 0;
  std::optional<Target> send;
  std::vector<std::uint32_t> after = {};  ///< commands of this rank that end before this one begins
  int chunk = 0;                          ///< chunk number in the schedule
  int peer = 0;                           ///< rank that it receives from
};

/// Mailboxes hold chunks that are reduced or forwarded; a chunk that only overwrites is written to its final address.
class ChunkCommands {
 public:
  /// `sized` must have been proved. Throws ScheduleError if a rank has more than 65535 commands.
  ChunkCommands(const JobSpec& job, Bytes message, SizedSchedule sized);

  const collective::FusedProgram& program() const { return program_; }
  std::vector<ChunkCommand> of_rank(int rank) const;
  /// Returns the memory that each rank needs.
  std::uint64_t memory_bytes() const { return layout_.mailboxes + mailbox_bytes_; }

 private:
  void index_rank(int rank);
  std::uint64_t landing(int rank, const collective::FusedStep& step) const;
  std::uint64_t place(int rank, int chunk) const;

  MemoryLayout layout_;
  SizedSchedule sized_;
  ChunkPlaces places_;
  std::uint64_t slot_bytes_;
  collective::FusedProgram program_;
  std::vector<std::map<std::pair<int, int>, std::uint64_t>> boxes_;   // [rank] (peer, slot) -> offset among the mailboxes
  std::map<std::tuple<int, int, int, int>, std::uint16_t> receiver_;  // (rank, peer, slot, step) -> command
  std::uint64_t mailbox_bytes_ = 0;
};

/// Returns the schedule for a message, proved again if operations of empty chunks were removed, since they no longer order
/// anything.
SizedSchedule proved_for(const collective::Schedule& schedule, const JobSpec& job, Bytes message);

}  // namespace tributary
