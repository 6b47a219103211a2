#pragma once
/// StageFlows: the activities of one stage of one chunk.

#include <cstdint>
#include <vector>

#include "testbench/family/cluster/flows/cluster_links.h"
#include "testbench/family/cluster/flows/shared_links.h"

namespace tributary {

class StageFlows {
 public:
  using Graph = collective::ActivityGraph;
  using Ids = std::vector<Graph::Id>;

  /// `slice`: bytes that a chain forwards at once.
  StageFlows(const ClusterModel& model, const ClusterLinks& links, const TreeClasses& trees,
             const collective::StagedAlgorithm& algorithm, Graph& graph, const LinkMap& map, std::uint32_t first_lane,
             double slice);

  /// Adds a stage of a chunk of `bytes`, no earlier than `start`. `before`: the ends of the stage before it, after whose
  /// arrival it starts if it needs their data; `room`: the ends of the chunk that leaves room for this one. `alone`: the
  /// collective has no other stage. Returns its last activities.
  Ids add(const collective::Stage& stage, bool alone, double bytes, const Ids& before, const Ids& room, double start);
  /// Adds the barrier of GPUs whose first stage loads the operands of others. Returns nothing if it loads none.
  Ids barrier(const collective::Stage& first, double start);
  /// Returns the number of chunks of `bytes` that may be in this stage at once.
  unsigned at_once(const collective::Stage& stage, double bytes) const;
  /// Returns the number of operations of a stage in a server on a chunk of `bytes`.
  unsigned operations(const collective::Stage& stage, double bytes) const;

 private:
  using Uses = std::vector<collective::FluidUse>;
  /// Load-reduces or steps of rings, multicasts or writes of a chain in a server, and WRITEs to other servers, which a NIC
  /// sends in their order; those of the second tree have queue pairs of their own.
  enum Lane : std::uint32_t { loads_lane, multicasts_lane, next_server, second_tree };
  // Classes of LinkClasses in a broadcast.
  static constexpr std::size_t root_gpu = 0, mates = 1, first_server = 0, last_server = 1, middle_servers = 2;
  /// Classes of servers at both ends of a rail, and the share of the members whose frames cross a spine.
  struct Ends {
    ClassShares from = {{0, 1}}, to = {{0, 1}};
    double spine = 0;
  };
  struct Send {
    double bytes = 0, latency = 0;
    Uses uses = {};
    double members = 1;
    double cap = collective::no_cap;
    std::uint32_t lane = collective::no_lane;
  };
  static unsigned passes(collective::StageWork work) { return work == collective::StageWork::allreduce ? 2 : 1; }
  /// Returns true if pass `pass` of the work adds what arrives.
  static bool adds(collective::StageWork work, unsigned pass) {
    return work == collective::StageWork::reduce_scatter || (work == collective::StageWork::allreduce && pass == 0);
  }
  Graph::Id send(const Send& send, const Ids& earlier);
  Ids inside(collective::StageWork work, bool alone, double bytes, const Ids& earlier);
  bool in_parts(const collective::Stage& stage) const;
  Ids parts_inside(collective::StageWork work, double bytes, const Ids& before, const Ids& room);
  Ids parts_multicast(double bytes, const Ids& before);
  Ids between(collective::StageWork work, double bytes, const Ids& earlier);
  Ids pulled(collective::StageWork work, double bytes, const Ids& earlier);
  double wave_cap(bool loads, double latency) const;
  Ids ring_inside(collective::StageWork work, double bytes, const Ids& earlier);
  Ids root_multicasts(double bytes, const Ids& earlier);
  Ids root_scatters(double bytes, const Ids& earlier);
  Ids chain_inside(double bytes, const Ids& earlier);
  Ids exchange_inside(double bytes, const Ids& earlier);
  Ids shift_inside(double bytes, bool alone, const Ids& earlier);
  Ids ring_between(collective::StageWork work, double part, const Ids& earlier);
  Ids chain_between(double part, const Ids& earlier);
  Ids exchange_between(double bytes, const Ids& earlier);
  Ids shift_between(double bytes, const Ids& earlier);
  Ids trees(double part, const Ids& earlier);
  Ids accelerators(double part, const Ids& earlier);
  Ids flat(collective::StageWork work, double bytes, const Ids& earlier);
  Send rail_send(double bytes, const Ends& ends, double members) const;
  void cross_server(double bytes, Send& send) const;
  double chain_latency(double bytes) const;
  double tree_latency(double bytes) const;
  double round_trip(collective::StageWork work, double part) const;
  double part_between(collective::StageWork work, double bytes) const;
  double crossing(bool ring) const;
  bool returns_to_rail() const;
  double inside_latency() const;
  double pull_latency(bool loads, bool stores) const;
  double hop_latency() const;
  double adding(double bytes) const { return 1e12 * bytes / model_.local_rate; }
  double groups() const { return links_.group().groups(); }
  double servers() const { return links_.group().shape.servers; }
  double each() const { return links_.group().shape.ranks_each; }
  double members() const { return groups() * servers() * each(); }

  const ClusterModel& model_;
  const ClusterLinks& links_;
  const TreeClasses& trees_;
  const collective::StagedAlgorithm& algorithm_;
  Graph& graph_;
  const LinkMap& map_;
  std::uint32_t first_lane_;
  double slice_;
  double start_ = 0;
  Ids multicast_;  ///< the last multicast of parts of other servers
};

}  // namespace tributary
