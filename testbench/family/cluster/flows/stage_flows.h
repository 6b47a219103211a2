#pragma once
/// StageFlows: the activities of one stage of one chunk.

#include <cstdint>
#include <vector>

#include "testbench/family/cluster/flows/cluster_links.h"

namespace tributary {

class StageFlows {
 public:
  using Graph = collective::ActivityGraph;
  using Ids = std::vector<Graph::Id>;

  StageFlows(const ClusterModel& model, const ClusterLinks& links, const TreeClasses& trees,
             const collective::StagedMethod& method, Graph& graph, std::uint32_t first_link, std::uint32_t first_lane);

  /// Adds a stage of a chunk of `bytes`, after all of `earlier` have arrived, and no earlier than `start`. Returns its last
  /// activities.
  Ids add(const collective::Stage& stage, double bytes, const Ids& earlier, double start);
  /// Returns the number of chunks of `bytes` that may be in this stage at once.
  unsigned at_once(const collective::Stage& stage, double bytes) const;

 private:
  using Uses = std::vector<collective::FluidUse>;

  struct Send {
    double bytes = 0, latency = 0;
    Uses uses = {};
    double members = 1;
    double cap = collective::no_cap;
    std::uint32_t lane = collective::no_lane;
  };
  Graph::Id send(const Send& send, const Ids& earlier);
  Ids pulled(collective::StageWork work, double bytes, const Ids& earlier);
  Ids ring_inside(collective::StageWork work, double bytes, const Ids& earlier);
  Ids ring_between(collective::StageWork work, double part, const Ids& earlier);
  Ids trees(double part, const Ids& earlier);
  Ids accelerators(double part, const Ids& earlier);
  Ids flat(collective::StageWork work, double bytes, const Ids& earlier);
  Send rail_send(double bytes, int from, int to, double servers) const;
  void cross_server(double bytes, Send& send) const;
  double inside_latency() const;
  double adding(double bytes) const { return 1e12 * bytes / model_.local_rate; }
  double servers() const { return links_.group().shape.servers; }
  double each() const { return links_.group().shape.ranks_each; }

  const ClusterModel& model_;
  const ClusterLinks& links_;
  const TreeClasses& trees_;
  const collective::StagedMethod& method_;
  Graph& graph_;
  std::uint32_t first_link_, first_lane_;
  double start_ = 0;
};

}  // namespace tributary
