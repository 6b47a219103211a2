#pragma once
/// FluidSends: the work of the NICs of one job, as activities: chunks over links, rows of tables, steps in lockstep.

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

  /// Adds a chunk over these ports of the platform's graph. Chunks leave a port one after another.
  Id send(const std::vector<topology::PortRef>& route, std::uint64_t bytes);
  Id point();
  /// `later` waits until the receiver has the chunk; with `added`, until it has added the chunk to its own.
  void after_arrival(Id later, Id send, bool added);
  void after(Id later, Id earlier) { graph_.after(later, earlier, collective::Moment::sent); }
  collective::ActivityGraph& graph() { return graph_; }

  /// A row of a NIC's table. It is issued after all rows before it, in lockstep, and its sends wait for it. The caller adds
  /// other dependencies. Rows of a NIC follow the order of its table.
  struct Row {
    std::uint16_t step = 0;
    bool nop = false;
    std::uint64_t bytes = 0;  ///< bytes of the chunk
    std::vector<Id> sends;
  };
  /// Returns the points in time at which the rows are issued.
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
