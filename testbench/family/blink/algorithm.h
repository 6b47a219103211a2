#pragma once
/// BlinkAlgorithm: plans, memory, tuning and bottlenecks of the jobs that use one kind of schedule on the GPUs of servers.

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "platforms/blink/blink_platform.h"
#include "testbench/codegen/stream_lowering.h"
#include "testbench/collective/packing/kept_trees.h"
#include "testbench/family/blink/bottlenecks.h"
#include "testbench/family/blink/job_key.h"
#include "testbench/family/blink/parameters.h"
#include "testbench/run/run_spec.h"

namespace tributary {

class BlinkAlgorithm {
 public:
  /// `params` without automatic values. Both must outlive the algorithm.
  BlinkAlgorithm(const BlinkPlatform& platform, const BlinkParams& params) : platform_(platform), params_(params) {}
  BlinkAlgorithm(const BlinkAlgorithm&) = delete;
  BlinkAlgorithm& operator=(const BlinkAlgorithm&) = delete;
  virtual ~BlinkAlgorithm() = default;

  /// Returns the proved programs of the job's next message. The reference is valid until the job's next call.
  /// Throws ScheduleError, InputError or TopologyError.
  const StreamPlan& next_plan(const JobSpec& job, Bytes message);
  /// Returns the memory that each rank needs for a message after any later tuning. Throws as next_plan() does.
  virtual std::uint64_t memory_bytes(const JobSpec& job, Bytes message);
  /// Returns what the algorithm has chosen for the next message. Call after next_plan() or memory_bytes().
  virtual std::vector<Choice> choices(const JobSpec& job, Bytes message) const;
  /// Tunes the next message of the job and size. `start`: time of the job's first command in the measured iteration.
  virtual void measured(const JobSpec& /*job*/, const ResultRow& /*row*/, Tick /*start*/) {}
  /// Returns the time from the request of a copy engine to its data, over NVLinks if the data are a peer's.
  Time request_time() const;
  /// Adds the candidates that follow from how the algorithm uses the GPUs.
  virtual void add_bottlenecks(const JobSpec& job, const CopyUse& use, BottleneckAccount& account) const = 0;
  /// True if the sizes of chunks follow the rates of links and the times of commands.
  virtual bool predicts_chunks() const { return false; }

 protected:
  /// A change of any of these values requires a new plan.
  struct PlanKey {
    Bytes message;
    Bytes chunk = {};
    std::uint64_t pcie_bytes = 0;  ///< part of a hybrid that measures its rates
  };

  const BlinkPlatform& platform() const { return platform_; }
  const BlinkParams& params() const { return params_; }
  StreamOptions options(Bytes chunk) const;
  /// Returns the bytes of the message that cross PCIe inside servers.
  virtual std::uint64_t pcie_bytes(const JobSpec& job, Bytes message) const;

 private:
  struct KeptPlan {
    PlanKey key;
    StreamPlan plan;
  };
  virtual PlanKey plan_key(const JobSpec& job, Bytes message) = 0;
  virtual StreamPlan make_plan(const JobSpec& job, const PlanKey& key) = 0;

  const BlinkPlatform& platform_;
  const BlinkParams& params_;
  std::map<JobKey, KeptPlan> plans_;  ///< latest plan of each job
};

/// Packed trees, and hybrids of trees over NVLinks and PCIe. `iterates`: iterations of a message tune its chunks, or the
/// rates by which a hybrid splits it. `kept`: trees of other runs too; null: none.
std::unique_ptr<BlinkAlgorithm> make_tree_algorithm(const BlinkPlatform& platform, const BlinkParams& params, bool iterates,
                                                    std::shared_ptr<collective::KeptTrees> kept);
/// NCCL's rings (docs/blocks/nccl_channels.md).
std::unique_ptr<BlinkAlgorithm> make_channel_algorithm(const BlinkPlatform& platform, const BlinkParams& params);
/// Schedules of MSCCL files (docs/schedules.md#msccl-files).
std::unique_ptr<BlinkAlgorithm> make_file_algorithm(const BlinkPlatform& platform, const BlinkParams& params);

/// Returns the largest memory of a rank.
std::uint64_t most_memory(const StreamPlan& plan);

}  // namespace tributary
