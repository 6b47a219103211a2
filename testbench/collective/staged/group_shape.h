#pragma once
/// GroupShape: places of the ranks of a collective in equal servers of GPUs.

#include <optional>
#include <string>
#include <vector>

namespace tributary::collective {

/// A group has `servers` servers with `ranks_each` ranks each, on the same GPUs of each server. Rank i q + j of a group with
/// q ranks in each server is GPU `local[j]` of its i-th server.
struct GroupShape {
  int servers = 1, ranks_each = 1;
  std::vector<int> local = {0};  ///< GPUs of a server, by place
  int first_server = 0, server_stride = 1;
  int groups = 1;  ///< equal groups that run at once

  int ranks() const { return servers * ranks_each; }
  int rank(int server, int place) const { return server * ranks_each + place; }
  /// Returns the number of the i-th server.
  int server(int i) const { return first_server + i * server_stride; }
};

/// Returns the shape of a group of GPUs, in the order of its ranks, where GPU g of server s has number s x
/// `gpus_of_server` + g. Servers may follow one another in descending order. Nothing if they have unlike GPUs or unlike
/// distances, or do not have ranks of their own one after another: staged_algorithms() do not serve such groups.
std::optional<GroupShape> shape_of(const std::vector<int>& gpus, int gpus_of_server);

/// Returns the groups that have a shape, for messages: of a run, and of a training step.
std::string legal_groups(int gpus_of_server);

}  // namespace tributary::collective
