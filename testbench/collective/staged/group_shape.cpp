#include "testbench/collective/staged/group_shape.h"

#include <cstddef>
#include <set>

namespace tributary::collective {
namespace {

/// Returns the number of ranks in the first server.
std::size_t ranks_of_first(const std::vector<int>& gpus, int gpus_of_server) {
  std::size_t count = 1;
  while (count < gpus.size() && gpus[count] / gpus_of_server == gpus.front() / gpus_of_server) ++count;
  return count;
}

}  // namespace

std::optional<GroupShape> shape_of(const std::vector<int>& gpus, int gpus_of_server) {
  if (gpus.empty() || gpus_of_server < 1 || std::set<int>(gpus.begin(), gpus.end()).size() != gpus.size())
    return std::nullopt;
  const std::size_t each = ranks_of_first(gpus, gpus_of_server);
  if (gpus.size() % each != 0) return std::nullopt;
  GroupShape shape;
  shape.ranks_each = static_cast<int>(each);
  shape.servers = static_cast<int>(gpus.size() / each);
  shape.first_server = gpus.front() / gpus_of_server;
  shape.local.clear();
  for (std::size_t j = 0; j < each; ++j) shape.local.push_back(gpus[j] % gpus_of_server);
  if (shape.servers > 1) shape.server_stride = gpus[each] / gpus_of_server - shape.first_server;
  if (shape.server_stride == 0) return std::nullopt;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const int server = shape.first_server + static_cast<int>(i / each) * shape.server_stride;
    if (gpus[i] != server * gpus_of_server + shape.local[i % each]) return std::nullopt;
  }
  return shape;
}

std::string legal_groups(int gpus_of_server) {
  const std::string gpus = std::to_string(gpus_of_server);
  return "equal GPUs of servers at equal distances: --ranks of such GPUs, or --gpus of whole servers; in a step, tensor=N "
         "that divides the " +
         gpus +
         " GPUs of a server or is a multiple of them, and pipeline=N whose stages are whole servers or are all in one";
}

}  // namespace tributary::collective
