#pragma once
/// Ranks of recorded processes and of the communicators of their calls.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "testbench/workload/training/read/recorded_calls.h"

namespace tributary::training {

class RecordedRanks {
 public:
  /// `ranks`: ranks of the run. The arguments must outlive this object.
  RecordedRanks(const std::vector<RecordedProcess>& processes, const std::string& path, int ranks)
      : processes_(processes), path_(path), all_(static_cast<std::uint64_t>(ranks)) {}

  /// Finds the rank of each process and the members of all communicators: as several processes state them, or in the
  /// communicators that they join. Returns false if one process represents all. To be called once. Throws InputError if
  /// stated ranks are not those of the run.
  bool find();

  /// Returns the rank of a process in the run.
  int of(std::size_t process) const { return static_cast<int>(rank_[process]); }
  /// Returns the name of the communicator of a call, equal on all its ranks.
  static std::string id_of(const RecordedCall& call, const RecordedProcess& process);
  /// Returns the ranks of the run by the ranks of a communicator.
  const std::map<std::uint64_t, int>& places(const std::string& id) const { return ranks_of_.at(id); }
  /// Bytes of an all-to-all on the rank that sends most, and on the rank that sends least.
  struct Sent {
    std::uint64_t most = 0, least = ~std::uint64_t{0};
  };
  /// Returns the bytes of all-to-all number `k` of a communicator.
  const Sent& sent(const std::string& id, std::size_t k) const { return sent_.at(id).at(k); }

 private:
  bool take_stated();
  void take_members(const RecordedCall& call, const RecordedProcess& process);
  bool find_joined();
  void find_sent();

  const std::vector<RecordedProcess>& processes_;
  const std::string& path_;
  std::uint64_t all_;
  std::vector<std::uint64_t> rank_;                               ///< by process
  std::map<std::string, std::map<std::uint64_t, int>> ranks_of_;  ///< by communicator
  std::map<std::string, std::vector<Sent>> sent_;                 ///< by communicator
};

}  // namespace tributary::training
