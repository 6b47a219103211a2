#pragma once
/// StagedJob: an all-reduce of servers in stages by packets: the operations of the servers, and the work of the NICs
/// between them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "modules/gpu/core/gpu_program.h"
#include "testbench/collective/staged/staged_schedule.h"
#include "testbench/family/cluster/rail_commands.h"
#include "testbench/family/cluster/staged_work.h"

namespace tributary {

/// Chunk c passes three tasks at each GPU: a reduce-scatter in its server, an exchange among the GPUs of equal place of all
/// servers, and an all-gather in its server. A group with one GPU in each server has the exchange alone. All work in place.
/// Each GPU has the same number of blocks of a chunk, so the last chunk may end after the message.
class StagedJob : public StagedWork {
 public:
  /// Names of the algorithms: within a server in the family of the servers, between servers of software.
  struct Names {
    std::string reduce_scatter, allgather, between;  ///< `between` empty: accelerators add
    unsigned lanes = 1;                              ///< chunks of either operation of a server that may be at once
  };
  /// Messages of NetReduce.
  struct Messages {
    unsigned packets = 0, window = 2, mtu = 4096, ack_interval = 256;
  };
  /// Returns the bytes of a chunk at each GPU.
  static std::uint64_t part_bytes(const collective::StagedSchedule& schedule, Bytes message);

  /// `window`: chunks that are between the servers at once. Throws ScheduleError or SetupError (one line).
  StagedJob(const JobSpec& job, Bytes message, const collective::StagedSchedule& schedule, const Names& names,
            const Messages& messages, unsigned window);

  bool has_operations() const override { return each_ > 1; }
  std::uint64_t buffer_bytes() const override { return chunks_ * chunk_bytes_; }
  std::uint64_t mailbox_bytes() const override;
  std::size_t rings() const override { return accelerated_ ? each_ : 0; }
  void add_rails(std::vector<GpuProgram>& programs, std::uint64_t mailboxes, const Pair& pair) const override;
  void add_rings(std::vector<GpuProgram>& programs, std::uint64_t mailboxes, const std::vector<Ring>& rings) const override;

 private:
  void add_operations(const Names& names);
  void add_tasks(unsigned window, unsigned lanes);
  std::uint64_t part_bytes() const { return chunk_bytes_ / each_; }
  /// Returns the address of the part of a rank in a chunk.
  std::uint64_t part_of(std::size_t rank, std::uint64_t chunk) const {
    return chunk * chunk_bytes_ + rank % each_ * part_bytes();
  }

  std::size_t servers_, each_;
  bool accelerated_;
  Messages messages_;
  std::uint64_t chunk_bytes_ = 0, chunks_ = 0;
  std::optional<RailCommands> rail_;  ///< commands of one part; empty: accelerators add
};

}  // namespace tributary
