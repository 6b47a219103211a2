#pragma once
/// JobSpec: one collective among some endpoints of a platform, and its messages.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/units.h"
#include "testbench/workload/job_step.h"
#include "testbench/workload/rank_skew.h"

namespace tributary {

namespace collective {
struct Schedule;
}

/// One message: a size of the sweep, or a layer of a DNN table (with its name).
struct WorkItem {
  std::string label;
  Bytes size;
};

/// One collective; it runs once for each of its messages.
struct JobSpec {
  std::string collective = "allreduce";
  std::string algorithm;
  std::vector<int> ranks;  ///< rank i is endpoint ranks[i]; unique, in the user's order
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
  int root = 0;                              ///< rank that sends (broadcast, multicast) or receives (reduce, gather)
  std::vector<int> targets = {};             ///< multicast: receiving ranks, possibly including the root
  Time start = {};                           ///< delay after t0; the job's time counts from here
  std::vector<WorkItem> items = {};          ///< messages, run one after another
  std::shared_ptr<const JobStep> step = {};  ///< replaces the collective; the item is the buffer of the step
  std::optional<int> withheld_rank = {};     ///< tests: rank whose command never arrives, so that the others wait for it
  std::shared_ptr<const collective::Schedule> imported = {};  ///< proved schedule of `msccl:FILE`; null: another algorithm
  RankSkew skew = {};                                         ///< delays of the ranks after the start
  unsigned back_to_back = 1;  ///< kernels of the collective that each rank runs one after another, each on its own buffers
  std::string asked_algorithm = {};  ///< replaced by `algorithm`, a fallback; empty: none
  std::uint64_t part_stride = 0;     ///< bytes from a slice of the message to the next one; 0: they follow one another
};

}  // namespace tributary
