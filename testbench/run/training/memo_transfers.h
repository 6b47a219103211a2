#pragma once
/// Times of a graph's transfers, each distinct one by one run of packets (or flows) from rest: fidelity `memo`.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "testbench/run/training/graph_methods.h"
#include "testbench/run/training/memo_groups.h"
#include "testbench/run/runner.h"
#include "testbench/workload/training/compute/software_collective.h"
#include "testbench/workload/training/ideal_run.h"

namespace tributary {

/// A transfer that is simulated once.
struct MemoTransfer {
  JobSpec job;  ///< with its ranks, without messages
  Bytes size;
  std::size_t operations = 0;  ///< of the graph that take its time
  std::size_t together = 1;    ///< groups that were measured at once, this one among them
  Tick time = 0;               ///< of the packets
  Tick software = 0;           ///< launch and steps of software, added to it
  double bound_GBps = 0;
  std::uint64_t wire_bytes = 0;
  std::vector<LinkUse> links;             ///< that it crosses
  std::vector<training::LinkLoad> loads;  ///< of these, by their numbers for all transfers; software included
  std::optional<Limit> limit = {};        ///< of the packets
};

/// A collective of a group takes what the same takes alone on the machine, or beside those that groups without common ranks
/// have at the same place of the graph (same name, layer, pass and size), which then run by packets together. That is exact
/// when ranks are alike, no other operation is in flight, and the one before has left nothing behind. Its use of links says
/// what it leaves to others. A send is a broadcast between two ranks.
class MemoTransfers {
 public:
  /// Elaborates a platform for each kind of collective and group; nothing runs yet. `base`: platform and parameters, and in
  /// its first job the endpoints of the ranks, element type and method of what names none.
  /// Throws SetupError, and InputError where the platform has no such collective.
  MemoTransfers(const RunSpec& base, const training::TaskGraph& graph, const training::SoftwareCollectiveParams& ring);
  ~MemoTransfers();

  std::size_t count() const { return transfers_.size(); }
  /// Runs number i. A status other than done ends all: its row is the return value.
  ResultRow run(std::size_t i, const Runner::Progress& progress = nullptr);

  training::TransferTime time_of(const training::Task& task) const;
  /// That any has crossed.
  std::size_t links() const { return link_number_.size(); }
  const std::vector<MemoTransfer>& transfers() const { return transfers_; }
  /// Groups that run by another algorithm than the one asked for, a line each.
  const std::vector<std::string>& notes() const { return methods_.notes(); }
  KernelUse kernel() const;
  const RunParameters& parameters() const;

 private:
  struct Kind;  // of collective and ranks: a runner
  struct Place {
    std::size_t kind = 0, message = 0, job = 0;
  };
  void keep_loads(MemoTransfer& transfer, const ResultRow& row, Tick until);
  void part(std::size_t kind);

  training::SoftwareCollectiveParams ring_;
  GraphMethods methods_;
  RunParameters unused_;  ///< as asked for: when nothing is transferred
  std::vector<MemoTransfer> transfers_;
  std::map<MemoGroups::Key, std::size_t> by_key_;  ///< index in transfers_
  std::map<std::string, std::uint32_t> link_number_;
  std::vector<std::unique_ptr<Kind>> kinds_;
  std::vector<Place> place_;  ///< by transfer
};

}  // namespace tributary
