#pragma once
/// StagedJob: an all-reduce of servers in stages by packets: the operations of the servers, and the work of the NICs
/// between them.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "modules/gpu/core/gpu_program.h"
#include "platforms/hosts/host_commands.h"
#include "testbench/collective/staged/staged_schedule.h"
#include "testbench/workload/job.h"

namespace tributary {

/// Chunk c passes three tasks at each GPU: a reduce-scatter in its server, an exchange among the GPUs of equal place of all
/// servers, and an all-gather in its server. A group with one GPU in each server has the exchange alone. All work in place.
/// Each GPU has the same number of blocks of a chunk, so the last chunk may end after the message.
class StagedJob {
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

  /// Returns the operations within the servers, with the tasks of each rank; without operations, the tasks alone.
  const JobSpec& operations() const { return operations_; }
  bool has_operations() const { return each_ > 1; }
  /// Returns the programs of a job without operations.
  std::vector<GpuProgram> programs() const;
  /// Returns the bytes of the message in the memory of each GPU.
  std::uint64_t buffer_bytes() const { return chunks_ * chunk_bytes_; }
  /// Returns the bytes that each GPU needs beside those of the operations.
  std::uint64_t mailbox_bytes() const;
  /// Returns the number of GPUs of a server, each with a ring of its own if accelerators add; else 0.
  std::size_t rings() const { return accelerated_ ? each_ : 0; }
  /// Returns the queue pair of a rank to another one.
  using Pair = std::function<std::uint32_t(std::size_t from, std::size_t to)>;
  /// Adds the work of the NIC of each rank to its program. `mailboxes`: address of the mailboxes in the memory of each GPU.
  void add_rails(std::vector<GpuProgram>& programs, std::uint64_t mailboxes, const Pair& pair) const;
  /// Number of a ring, and the queue pairs of its members to the next one and from the one before, by server.
  struct Ring {
    std::uint16_t number = 0;
    std::vector<std::uint32_t> send, receive;
  };
  /// As add_rails(); `rings`: by place in a server.
  void add_rings(std::vector<GpuProgram>& programs, std::uint64_t mailboxes, const std::vector<Ring>& rings) const;

 private:
  void add_operations(const Names& names);
  void add_tasks(unsigned window, unsigned lanes);
  void make_rail(const std::string& collective, const std::string& algorithm);
  HostCommands rail_of(std::size_t rank, std::size_t chunk, std::uint64_t mailboxes) const;
  std::uint64_t part_bytes() const { return chunk_bytes_ / each_; }
  /// Returns the address of the part of a rank in a chunk.
  std::uint64_t part_of(std::size_t rank, std::uint64_t chunk) const {
    return chunk * chunk_bytes_ + rank % each_ * part_bytes();
  }

  JobSpec operations_;
  std::size_t servers_, each_;
  bool accelerated_;
  Messages messages_;
  std::uint64_t chunk_bytes_ = 0, chunks_ = 0;
  std::uint64_t part_end_ = 0;  ///< addresses of a rail's commands from here on are those of mailboxes
  std::uint64_t mailbox_of_chunk_ = 0;
  std::vector<HostCommands> rail_;  ///< by server: commands of a part at address 0
};

}  // namespace tributary
