#pragma once
/// Process groups of a trace of PyTorch.

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "testbench/workload/training/read/pytorch_values.h"
#include "testbench/workload/training/read/recorded_calls.h"

namespace tributary::training {

class TorchGroups {
 public:
  explicit TorchGroups(std::string path) : path_(std::move(path)) {}

  /// Adds a list of groups: [{"pg_name": "0", "ranks": [0, 1]}, ...]. A group without ranks has those from 0 to its size.
  /// Throws InputError for a list of ranks that is not one of different ranks.
  void add(const nlohmann::json& groups);
  /// Takes the number of ranks that the trace states; other values than numbers are ignored.
  void add_world(const nlohmann::json& ranks);

  /// Returns the number of ranks that the groups name; 0: unknown.
  std::uint64_t ranks() const { return ranks_; }

  /// Returns the ranks of the group of a call: those of the list, those that the call lists, or those with its first rank
  /// and stride. Empty: unknown, or all ranks. Throws InputError, also for a group that the list of the trace does not have.
  std::vector<int> members(const RecordedCall& call, const nlohmann::json& values, const TorchKeys& keys) const;

 private:
  [[noreturn]] static void fail(const RecordedCall& call, const std::string& what);
  std::vector<int> even_members(std::uint64_t ranks, const nlohmann::json& values, const TorchKeys& keys) const;

  std::string path_;
  std::uint64_t ranks_ = 0;
  std::map<std::string, std::vector<int>> ranks_of_;  ///< by name
};

}  // namespace tributary::training
