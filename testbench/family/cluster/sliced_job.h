#pragma once
/// SlicedJob: a reduce-scatter, all-gather or broadcast of servers in stages by packets.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "testbench/collective/staged/staged_schedule.h"
#include "testbench/family/cluster/rail_commands.h"
#include "testbench/family/cluster/staged_work.h"

namespace tributary {

/// All stages work in place, on one slice of the message after another. A slice of a reduce-scatter or an all-gather is a
/// piece of equal address of the parts of all ranks: the GPUs of place g exchange the pieces of the parts i q + g of all
/// servers i. A slice of a broadcast is contiguous, and GPU g of each server carries the g-th part of it. A group with one
/// GPU in each server has the exchange alone.
class SlicedJob : public StagedWork {
 public:
  /// Names of the algorithms in the family of the servers, and of software between servers.
  struct Names {
    std::string reduce_scatter, allgather, between;
    bool pulls = false;  ///< switches add in a reduce-scatter, and multicast in an all-gather
    unsigned lanes = 1;  ///< slices that are in the rings of a server at once
  };
  /// `window`: slices that are between the servers at once. Throws ScheduleError or SetupError (one line).
  SlicedJob(const JobSpec& job, Bytes message, const collective::StagedSchedule& schedule, const Names& names,
            unsigned window);

  bool has_operations() const override { return each_ > 1; }
  std::uint64_t buffer_bytes() const override { return buffer_bytes_; }
  std::uint64_t mailbox_bytes() const override { return slices_.size() * mailbox_of_slice_; }
  void add_rails(std::vector<GpuProgram>& programs, std::uint64_t mailboxes, const Pair& pair) const override;

 private:
  /// Bytes that a GPU carries of a slice of a broadcast, or the bytes of a piece.
  struct Slice {
    std::uint64_t first = 0, bytes = 0;
  };
  enum class Start : std::uint8_t { at_once, exchanged, scattered };
  /// Operations of a slice at a rank, in order of their queues.
  struct Tasks {
    std::vector<DeviceTask> before;                   ///< the exchange waits for them, except at the root of a broadcast
    std::vector<std::pair<DeviceTask, Start>> after;  ///< scattered: begins after the operations of `before`
  };
  void cut(const collective::StagedSchedule& schedule, Bytes message);
  void make_rails(const std::string& algorithm);
  JobStep::Part operation(const std::string& collective, const std::string& algorithm, std::size_t server,
                          std::uint64_t first, std::uint64_t bytes) const;
  void add(JobStep::Part part, const std::function<void(std::size_t rank, DeviceTask task)>& to);
  /// Returns the queue of a ring of the GPUs of a server on the parts of server `of_server`.
  std::uint32_t ring_queue(std::size_t slice, std::size_t of_server) const;
  void scatter_sums(std::size_t slice, const Names& names);
  void gather_parts(std::size_t slice, const Names& names);
  void multicast_parts(std::size_t slice, const std::string& algorithm, std::size_t server, std::size_t of_server);
  void scatter_from_root(std::size_t slice, const std::string& algorithm);
  void gather_slice(std::size_t slice, const Names& names);
  TaskProgram program(std::size_t rank, unsigned window) const;
  std::size_t server_of(std::size_t rank) const { return rank / each_; }
  std::size_t place_of(std::size_t rank) const { return rank % each_; }
  std::size_t root_server() const { return static_cast<std::size_t>(operations_.root) / each_; }
  bool spreads() const { return work_ == collective::StageWork::broadcast; }
  /// Returns the address of what a rank exchanges of a slice.
  std::uint64_t exchanged(std::size_t rank, const Slice& slice) const {
    return slice.first + place_of(rank) * (spreads() ? slice.bytes : stride_);
  }

  std::size_t servers_, each_;
  unsigned lanes_;
  collective::StageWork work_;
  std::uint64_t stride_ = 0;  ///< bytes from the part of a rank to the next one; broadcast: 0
  std::uint64_t buffer_bytes_ = 0, mailbox_of_slice_ = 0;
  std::vector<Slice> slices_;
  std::map<std::uint64_t, RailCommands> rails_;  ///< by bytes of a slice
  std::vector<std::vector<Tasks>> tasks_;        ///< [rank][slice]
  JobStep step_;
  std::vector<std::uint32_t> numbers_;  ///< by rank: number of its operations
};

}  // namespace tributary
