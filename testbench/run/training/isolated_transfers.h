#pragma once
/// IsolatedTransfers: the times of the transfers of a graph. Each distinct transfer is measured by one run of packets, or of
/// flows, on an idle platform (fidelity `isolated`).

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbench/run/runner.h"
#include "testbench/run/training/graph_algorithms.h"
#include "testbench/run/training/isolated_groups.h"
#include "testbench/workload/training/compute/software_collective.h"
#include "testbench/workload/training/ideal_run.h"

namespace tributary {

/// A transfer that is simulated once.
struct IsolatedTransfer {
  JobSpec job;  ///< with ranks, without messages
  Bytes size;
  std::size_t operations = 0;  ///< number of operations of the graph with this time
  std::size_t together = 1;    ///< groups that were measured concurrently, including this one
  Tick time = 0;               ///< without software
  Tick software = 0;           ///< launch and steps of software, in addition to `time`
  double bound_GBps = 0;
  std::uint64_t wire_bytes = 0;
  std::vector<LinkUse> links;             ///< links that the transfer crosses
  std::vector<training::LinkLoad> loads;  ///< loads of these links, numbered over all transfers; with the time of software
  std::optional<Bottleneck> bottleneck = {};  ///< bottleneck, without software
  std::size_t represented = 1;                ///< operations of the machine for each of the graph
  std::string ranks = {};  ///< endpoints of all groups together, in the names of classes of their links; empty: all
};

/// A collective of a group takes the time that it takes alone on the machine, or together with the collectives that groups
/// without common ranks have at the same place of the graph (same name, layer, pass and size), which then run concurrently.
/// This is exact if all ranks are alike, no other operation is in flight, and the previous operation has left no state. The
/// load of its links limits other operations. A send is a broadcast between two ranks.
class IsolatedTransfers {
 public:
  /// Elaborates a platform for each kind of collective and group; nothing runs yet. `base`: platform and parameters, and in
  /// its first job the endpoints of the ranks, the element type and the algorithm of collectives without one. Throws
  /// SetupError; throws InputError if the platform does not have a collective.
  IsolatedTransfers(const RunSpec& base, const training::TaskGraph& graph, const training::SoftwareCollectiveParams& ring);
  ~IsolatedTransfers();

  std::size_t count() const { return transfers_.size(); }
  /// Runs transfer i. Returns a row whose status is not done if the run failed, which ends all.
  ResultRow run(std::size_t i, const Runner::Progress& progress = nullptr);

  training::TransferTime time_of(const training::Task& task) const;
  /// Returns false if groups that a graph represents by one have unlike times, or cannot run concurrently: the graph of all
  /// ranks is needed then. Known for certain after all transfers have run.
  bool alike() const { return alike_; }
  /// Returns the number of links that any transfer crosses.
  std::size_t links() const { return link_number_.size(); }
  const std::vector<IsolatedTransfer>& transfers() const { return transfers_; }
  const GraphAlgorithms& algorithms() const { return algorithms_; }
  KernelUse kernel() const;
  const RunParameters& parameters() const;
  /// Returns the first reason of a runner (Runner::one_lane_because); empty if there is none.
  std::string one_lane_because() const;

 private:
  struct Kind;  // a runner for one collective and its ranks
  struct Set;   // groups that run concurrently, and their jobs
  struct Place {
    std::size_t kind = 0, message = 0, job = 0;
  };
  Set set_of(const training::Task& task, const std::vector<IsolatedGroups::Ranks>& groups, const training::TaskGraph& graph);
  void add(const training::Task& task, std::size_t represented, const Set& set, std::size_t job);
  void make_runners();
  std::unique_ptr<Runner> runner_of(std::size_t kind) const;
  void part(std::size_t kind);
  void measure(std::size_t kind, std::size_t message, const Runner::Progress& progress);
  void keep_loads(IsolatedTransfer& transfer, const ResultRow& row, Tick until);

  RunSpec base_;
  training::SoftwareCollectiveParams ring_;
  GraphAlgorithms algorithms_;
  RunParameters unused_;  ///< parameters of the run if nothing is transferred
  std::vector<IsolatedTransfer> transfers_;
  std::map<IsolatedGroups::Key, std::size_t> by_key_;  ///< index in transfers_
  std::map<std::string, std::uint32_t> link_number_;
  std::vector<std::unique_ptr<Kind>> kinds_;
  std::map<std::string, std::size_t> kind_named_;
  std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> messages_;  ///< by kind and size
  std::vector<Place> place_;                                               ///< by transfer
  bool alike_ = true;
};

}  // namespace tributary
