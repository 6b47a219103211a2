#pragma once
/// A software schedule of a message as commands of endpoints that have a memory, receive chunks, add them and send them on.

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

/// value = what arrives at `from`, or that added to the own chunk (`reduce`), or the own chunk (nothing received); then it
/// goes to `send`.
struct ChunkCommand {
  struct Target {
    int rank = 0;
    std::uint16_t command = 0;  ///< of that rank, which waits for it
    std::uint64_t address = 0;
  };
  bool receives = false, reduce = false;
  std::uint64_t address = 0;  ///< of the own chunk
  std::uint64_t from = 0;     ///< where the received one lies; the own place, if it overwrites that
  std::uint64_t bytes = 0;
  std::optional<Target> send;
  std::vector<std::uint32_t> after = {};  ///< commands of this rank that end before this one begins
  int chunk = 0;                          ///< its number in the schedule
  int peer = 0;                           ///< rank that it receives from
};

/// Mailboxes hold what is reduced or passed on; what only overwrites a chunk is written to its place.
class ChunkCommands {
 public:
  /// `sized` has been proved. Throws ScheduleError on more than 65535 commands of a rank.
  ChunkCommands(const JobSpec& job, Bytes message, SizedSchedule sized);

  const collective::FusedProgram& program() const { return program_; }
  std::vector<ChunkCommand> of_rank(int rank) const;
  /// That each rank needs.
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

/// That schedule for a message, proved again where operations of empty chunks are gone, for they no longer order anything.
SizedSchedule proved_for(const collective::Schedule& schedule, const JobSpec& job, Bytes message);

}  // namespace tributary
