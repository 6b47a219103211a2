#include "testbench/family/tofino/algorithms.h"

#include <stdexcept>

namespace tributary {

const std::vector<TofinoAlgorithm>& tofino_algorithms() {
  static const std::vector<TofinoAlgorithm> rows{
      {"allreduce", "switchml", "a pool of slots in the switch adds packets of 128 B as int32", AggregationScheme::switchml},
      {"allreduce", "switchml_rdma", "switchml with WRITEs of 1024 B; the pipelines are chained",
       AggregationScheme::switchml_rdma},
      {"allreduce", "atp", "aggregators of the switch add; a parameter server adds packets without an aggregator",
       AggregationScheme::atp},
  };
  return rows;
}

const TofinoAlgorithm& tofino_algorithm(const JobSpec& job) {
  for (const TofinoAlgorithm& row : tofino_algorithms())
    if (job.collective == row.collective && job.algorithm == row.name) return row;
  throw std::invalid_argument(job.collective + " by " + job.algorithm + " is no algorithm of a programmable switch");
}

}  // namespace tributary
