#include "testbench/workload/step_operations.h"

#include <set>

#include "modules/base/index.h"

namespace tributary {
namespace {

/// Maps ranks of an operation to ranks of the job, and addresses to the job's buffer, so that no two operations hold the
/// same values.
std::vector<OperandRange> in_step(std::vector<OperandRange> ranges, const JobSpec& job, const JobStep::Part& part) {
  const auto ranks_of = [&](std::vector<int>& ranks) {
    for (int& rank : ranks) rank = part.members[at(rank)];
  };
  for (OperandRange& range : ranges) {
    ranks_of(range.at), ranks_of(range.operands);
    range.address += part.first;
    range.first_element += part.first / element_size(job.type);
  }
  return ranges;
}

}  // namespace

JobSpec operation_of(const JobSpec& job, const JobStep::Part& part) {
  JobSpec one;
  one.collective = part.collective;
  one.algorithm = part.algorithm;
  one.root = part.root;
  one.type = job.type;
  one.op = job.op;
  one.part_stride = part.part_stride;
  for (const int member : part.members) one.ranks.push_back(job.ranks[at(member)]);
  return one;
}

std::vector<JobSpec> operations_of(const JobSpec& job) {
  if (!job.step) return {job};
  std::set<OperationKey> known;
  std::vector<JobSpec> all;
  for (JobStep::Part part : job.step->operations) {
    part.bytes = 0;
    if (known.insert(key_of(part)).second) all.push_back(operation_of(job, part));
  }
  return all;
}

bool alike(const JobSpec& job) {
  if (!job.step) return true;
  const std::vector<JobSpec> all = operations_of(job);
  return all.size() == 1 && all.front().ranks == job.ranks && all.front().collective == job.collective &&
         all.front().algorithm == job.algorithm;
}

void fill_step(const JobSpec& job, const workload::DataSpec& data, const MemoryOfRank& memory, unsigned threads) {
  for (const JobStep::Part& part : job.step->operations) {
    const JobSpec one = operation_of(job, part);
    fill_ranges(in_step(collective_of(one.collective).initial(one, bytes(part.bytes)), job, part), data, memory, threads);
  }
}

std::uint64_t count_wrong_in_step(const JobSpec& job, const workload::DataSpec& data, const MemoryOfRank& memory,
                                  const ResultDistance& distance, unsigned threads) {
  std::uint64_t wrong = 0;
  for (const JobStep::Part& part : job.step->operations) {
    const JobSpec one = operation_of(job, part);
    std::vector<OperandRange> ranges = in_step(collective_of(one.collective).result(one, bytes(part.bytes)), job, part);
    for (OperandRange& range : ranges) range.address += distance(part);
    wrong += count_wrong(ranges, data, memory, threads);
  }
  return wrong;
}

}  // namespace tributary
