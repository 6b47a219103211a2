#pragma once
/// Keys of what a driver keeps for each job, and for each message size of a job.

#include <string>
#include <tuple>
#include <vector>

#include "testbench/workload/job.h"

namespace tributary {

/// Jobs with equal keys have equal plans for messages of one size.
struct JobKey {
  explicit JobKey(const JobSpec& job)
      : collective(job.collective), algorithm(job.algorithm), root(job.root), ranks(job.ranks), type(job.type), op(job.op) {}
  bool operator<(const JobKey& other) const { return fields() < other.fields(); }

  std::string collective, algorithm;
  int root;
  std::vector<int> ranks;
  ElementType type;
  ReduceOp op;

 private:
  using Fields = std::tuple<const std::string&, const std::string&, const int&, const std::vector<int>&, const ElementType&,
                            const ReduceOp&>;
  Fields fields() const { return {collective, algorithm, root, ranks, type, op}; }
};

struct MessageKey {
  MessageKey(const JobSpec& of_job, Bytes size) : job(of_job), message(size) {}
  bool operator<(const MessageKey& other) const {
    return std::tie(message.value, job) < std::tie(other.message.value, other.job);
  }

  JobKey job;
  Bytes message;
};

}  // namespace tributary
