#pragma once
/// StepPlan: the operations of a training step on hosts with one GPU: their rings, and their places in memory.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "testbench/family/netreduce/lowering.h"
#include "testbench/workload/step_operations.h"
#include "testbench/workload/step_places.h"

namespace tributary {

/// A ring of NetReduce: of all all-reduces of a group, whose messages continue, or of one other operation, whose messages
/// are numbered from 0.
struct StepRing {
  JobSpec job;  ///< its first operation
  std::size_t operation = 0;
};
std::vector<StepRing> rings_of_step(const JobSpec& job);

/// Throws SetupError on a step that hosts do not support: several operations at a time, sends, hosts of several GPUs, or
/// software between two hosts of a ring, if the switch cannot distinguish its packets from those of the ring.
void check_step(const JobSpec& job, const NetReducePlatformParams& params, int gpus);

/// Memory of a rank: the buffer of the step; results of NetReduce, unless they are in place; messages of each ring, and
/// copies of sent messages; mailboxes of operations by software.
class StepPlan {
 public:
  StepPlan(const JobSpec& job, const NetReducePlatformParams& params);

  /// Memory that each rank needs.
  std::uint64_t memory_bytes() const { return places_.bytes(); }
  /// Distance of the results of an operation from its operands.
  static std::uint64_t result_distance(const JobSpec& job, const JobStep::Part& part, const NetReducePlatformParams& params);
  const std::vector<StepRing>& rings() const { return rings_; }
  /// Number of an operation's ring; empty: by software.
  std::optional<std::size_t> ring_of(std::size_t operation) const { return ring_of_.at(operation); }
  /// Returns the operation on its ring, without rank and connections.
  RingPlan ring_plan(std::size_t operation) const;
  /// Returns the commands of an operation by software, with addresses of the operation alone.
  const ChunkCommands& commands(std::size_t operation) const;
  /// Moves the commands of a member to the place of the operation.
  void place(std::size_t operation, HostCommands& commands) const;
  /// Returns the operation as a job of its own.
  JobSpec job_of(std::size_t operation) const { return operation_of(job_, job_.step->operations[operation]); }

 private:
  void add_ring(std::size_t operation);
  void add_software(std::size_t operation);

  const JobSpec& job_;
  const NetReducePlatformParams& params_;
  StepPlaces places_;
  std::vector<StepRing> rings_;
  std::vector<std::uint64_t> buffers_;       // by ring: address of its messages, or of its header
  std::vector<std::uint32_t> next_message_;  // by ring
  std::vector<std::optional<std::size_t>> ring_of_;
  std::vector<std::uint32_t> first_message_;  // by operation
  std::map<OperationKey, ChunkCommands> known_;
  std::vector<OperationPlace> place_of_;  // by operation
};

}  // namespace tributary
