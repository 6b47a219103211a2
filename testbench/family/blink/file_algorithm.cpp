/// Schedules of MSCCL files as plans of a BlinkDriver.

#include "testbench/family/blink/algorithm.h"
#include "testbench/family/blink/chunk_sizes.h"
#include "testbench/family/blink/job_schedule.h"

namespace tributary {
namespace {

class FileAlgorithm : public BlinkAlgorithm {
 public:
  FileAlgorithm(const BlinkPlatform& platform, const BlinkParams& params)
      : BlinkAlgorithm(platform, params), chunks_(params.codegen.chunk) {}

  std::vector<Choice> choices(const JobSpec& job, Bytes message) const override {
    std::vector<Choice> all = BlinkAlgorithm::choices(job, message);
    if (chunks_.automatic()) all.insert(all.begin(), chunks_.choice(job, message));
    return all;
  }
  void measured(const JobSpec& job, const ResultRow& row, Tick) override {
    if (chunks_.automatic()) chunks_.measured(job, row);
  }
  void add_bottlenecks(const JobSpec& job, const CopyUse& use, BottleneckAccount& account) const override {
    add_stream_limits(platform().params(), job, use, account);
  }

 private:
  PlanKey plan_key(const JobSpec& job, Bytes message) override { return {message, chunks_.chunk(job, message)}; }
  StreamPlan make_plan(const JobSpec& job, const PlanKey& key) override {
    return plan_of_schedule(job, key.message, platform().wires(), options(key.chunk));
  }

  ChunkSizes chunks_;
};

}  // namespace

std::unique_ptr<BlinkAlgorithm> make_file_algorithm(const BlinkPlatform& platform, const BlinkParams& params) {
  return std::make_unique<FileAlgorithm>(platform, params);
}

}  // namespace tributary
