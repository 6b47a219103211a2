#pragma once
/// FluidSends: the work of the NICs of one job, as activities: chunks over links, rows of tables, steps in lockstep.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "modules/nic/core/lockstep_timer.h"
#include "modules/nic/core/reduction_core.h"
#include "platforms/schedule_nic/schedule_nic_platform.h"
#include "testbench/collective/fluid/activity_graph.h"

namespace tributary {

/// Kinds of the delays between activities.
enum NicDelay : collective::DelayKind {
  nic_step = 1,  ///< a step in lockstep lasts at least as long as its chunks are on a link
  nic_issue,     ///< the decoder reads an entry
  nic_memory,    ///< the memory answers
  nic_table,     ///< the rows of a step are read
  nic_sum        ///< a sum passes the pipeline of the adders
};
/// `serial`: a NIC adds its chunks one after another, in a lane of its own; otherwise each after the time of its addition.
enum class NicAdding : std::uint8_t { concurrent, serial };

/// Numbers of the directed links of a graph by their first ends: Platform::links() in its order.
class LinkNumbers {
 public:
  explicit LinkNumbers(const topology::Graph& graph);
  std::uint32_t operator()(topology::PortRef from) const {
    return of_.at(static_cast<std::size_t>(from.node)).at(static_cast<std::size_t>(from.port));
  }

 private:
  std::vector<std::vector<std::uint32_t>> of_;  ///< by node, then by port
};

class FluidSends {
 public:
  using Id = collective::ActivityGraph::Id;

  FluidSends(const ScheduleNicPlatform& system, collective::ActivityGraph& graph, double start, std::size_t element_bytes,
             NicAdding adding);

  /// Puts the chunks sent from now on, on other links: `like[l]` in place of link l. Chunks wait for each other as before.
  void represent(std::vector<std::uint32_t> like) { like_ = std::move(like); }
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
    std::uint32_t link = 0;
    std::uint64_t bytes = 0;
    int to = 0;                    // node
    std::optional<Id> added = {};  // addition of the chunk
  };
  Id addition(Id send);
  double estimate(const Row* first, const Row* last) const;
  double read_time(const std::vector<Row>& rows, std::size_t step) const;
  Bandwidth rate(std::uint32_t link) const { return system_.links()[link].transmitter->rate(); }

  const ScheduleNicPlatform& system_;
  const NetworkParams& params_;
  collective::ActivityGraph& graph_;
  double start_;
  std::size_t element_bytes_;
  NicAdding adding_;
  Segmentation segmentation_;
  StepEstimate estimate_;
  ReductionCore reduction_;
  LinkNumbers link_of_;
  std::vector<std::uint32_t> like_;  ///< by link; empty: itself
  std::vector<Sent> sent_;           ///< by activity; others than sends are empty
};

}  // namespace tributary
