#include "testbench/family/netreduce/algorithms.h"

#include <stdexcept>

#include "testbench/collective/algorithm/machines.h"
#include "testbench/interchange/msccl/import.h"

namespace tributary {

const std::vector<NetReduceAlgorithm>& netreduce_algorithms() {
  constexpr HostRole flow = HostRole::flow_control, commands = HostRole::commands;
  static const char* const pipeline = "over RDMA: segments from neighbour to neighbour";
  static const char* const trees = "over RDMA: two pipelined binary trees, each rank inner in at most one";
  static const std::vector<NetReduceAlgorithm> rows{
      {"allreduce", "netreduce", "accelerators at the switches add the data that NICs send on a ring", flow, true,
       RankPlaces::one_of_a_host, nullptr, "ring"},
      {"allreduce", "parallel_netreduce",
       "each GPU of a host adds one part, a ring of netreduce adds each part, then the GPUs gather", HostRole::machine, true,
       RankPlaces::by_host, nullptr, "parallel_ring"},
      {"allreduce", "ring", "over RDMA: parts go round between neighbours, and grow, then once more", commands, false,
       RankPlaces::anywhere, nullptr, nullptr, RingCollective::allreduce, true},
      {"allreduce", "halving_doubling", "over RDMA: halves, quarters ... exchanged, and back", commands},
      {"allreduce", "double_binary_tree", "over RDMA: up and down two pipelined binary trees", commands},
      {"allreduce", "parallel_ring", "as parallel_netreduce, with rings over RDMA", commands, false, RankPlaces::by_host,
       collective::parallel_ring_allreduce},
      {"allreduce", "tencent",
       "one GPU of each host adds for all of them, a ring over RDMA joins these, then they broadcast", commands, false,
       RankPlaces::by_halves, collective::tencent_allreduce},
      {"allreduce", "parameter_server", "over RDMA: the last hosts add what all ranks write to them", HostRole::server},
      {"broadcast", "ring", pipeline, commands},
      {"broadcast", "double_binary_tree", trees, commands},
      {"broadcast", "netreduce", "accelerators at the switches copy the root's packets to all ranks", flow, true,
       RankPlaces::one_of_a_host, nullptr, "ring", RingCollective::broadcast},
      {"multicast", "ring", pipeline, commands},
      {"multicast", "double_binary_tree", trees, commands},
      {"reduce", "ring", pipeline, commands},
      {"reduce", "double_binary_tree", trees, commands},
      {"reduce", "netreduce", "accelerators at the switches add the data of all ranks, and send the sum to the root", flow,
       true, RankPlaces::one_of_a_host, nullptr, "ring", RingCollective::reduce},
      {"reduce_scatter", "ring", "over RDMA: parts go round between neighbours, and grow", commands, false,
       RankPlaces::anywhere, nullptr, nullptr, RingCollective::allreduce, true},
      {"reduce_scatter", "netreduce", "accelerators at the switches add the data of all ranks, and send each rank its part",
       flow, true, RankPlaces::one_of_a_host, nullptr, "ring", RingCollective::reduce_scatter},
      {"allgather", "ring", "over RDMA: parts go round between neighbours", commands, false, RankPlaces::anywhere, nullptr,
       nullptr, RingCollective::allreduce, true},
      {"allgather", "netreduce", "accelerators at the switches copy each rank's packets to all other ranks", flow, true,
       RankPlaces::one_of_a_host, nullptr, "ring", RingCollective::allgather},
      {"gather", "direct", "over RDMA: every rank writes its part to the root", commands},
      {"alltoall", "direct", "over RDMA: in step s every rank writes to the s-th after it", commands},
      {"barrier", "dissemination", "over RDMA: flags to the ranks at distance 1, 2, 4 ...", commands},
  };
  return rows;
}

const NetReduceAlgorithm& netreduce_algorithm(const JobSpec& job) {
  static const NetReduceAlgorithm file{"any", "msccl:FILE", "over RDMA: the schedule of an MSCCL file", HostRole::commands};
  if (msccl::names_file(job.algorithm)) return file;
  for (const NetReduceAlgorithm& row : netreduce_algorithms())
    if (job.collective == row.collective && job.algorithm == row.name) return row;
  throw std::invalid_argument(job.collective + " by " + job.algorithm + " is no algorithm of hosts on Ethernet");
}

}  // namespace tributary
