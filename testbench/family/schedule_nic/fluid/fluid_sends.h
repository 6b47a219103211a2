#pragma once
/// What the NICs of one job do, as activities: chunks over links, rows of tables, steps in lockstep.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "modules/nic/core/lockstep_timer.h"
#include "modules/nic/core/reduction_core.h"
#include "platforms/schedule_nic/schedule_nic_platform.h"
#include "testbench/collective/fluid/activity_graph.h"

namespace tributary {

class FluidSends {
 public:
  using Id = collective::ActivityGraph::Id;

  FluidSends(const ScheduleNicPlatform& system, collective::ActivityGraph& graph, double start, std::size_t element_bytes);

  /// A chunk over these ports of the platform's graph. What leaves by one port goes one after another.
  Id send(const std::vector<topology::PortRef>& way, std::uint64_t bytes);
  Id point();
  /// The receiver has the chunk; with `added`: and has added it to its own.
  void after_arrival(Id later, Id send, bool added);
  void after(Id later, Id earlier) { graph_.after(later, earlier, collective::Moment::sent); }
  collective::ActivityGraph& graph() { return graph_; }

  /// A row of a NIC's table, issued when all before it are, in lockstep; its sends wait for it. What it waits for beside
  /// that is the caller's. Rows of a NIC come in the order of its table.
  struct Row {
    std::uint16_t step = 0;
    bool nop = false;
    std::uint64_t bytes = 0;  ///< of the chunk
    std::vector<Id> sends;
  };
  /// The points in time of the rows.
  std::vector<Id> issue(const std::vector<Row>& rows);

 private:
  struct Sent {
    std::uint32_t link;
    std::uint64_t bytes;
  };
  double estimate(const Row* first, const Row* last) const;
  Bandwidth rate(std::uint32_t link) const { return system_.links()[link].transmitter->rate(); }

  const ScheduleNicPlatform& system_;
  const NetworkParams& params_;
  collective::ActivityGraph& graph_;
  double start_;
  std::size_t element_bytes_;
  Segmentation segmentation_;
  StepEstimate estimate_;
  ReductionCore reduction_;
  std::map<std::pair<int, int>, std::uint32_t> link_of_;  ///< (node, port)
  std::map<Id, Sent> sent_;
};

}  // namespace tributary
