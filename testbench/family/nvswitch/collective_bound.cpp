#include "testbench/family/nvswitch/collective_bound.h"

#include <algorithm>
#include <stdexcept>

#include "testbench/family/nvswitch/traffic_load.h"

namespace tributary::collective {
namespace {

constexpr std::uint64_t flag_bytes = 16;

int ranks_of(const BoundInput& in) { return static_cast<int>(in.boards.size()); }

void check_root(const BoundInput& in, int root) {
  if (root < 0 || root >= ranks_of(in)) throw std::invalid_argument("bound: no root rank " + std::to_string(root));
}

}  // namespace

double allgather_multicast_bound_GBps(const BoundInput& in, const Parts& parts) {
  TrafficLoad load(in);
  for (int r = 0; r < ranks_of(in); ++r) load.multicast(r, parts.bytes(static_cast<std::uint64_t>(r)));
  return load.bound_GBps();
}

double reduce_push_bound_GBps(const BoundInput& in, int root) {
  check_root(in, root);
  TrafficLoad load(in);
  load.push(root, in.message.value);
  return load.bound_GBps();
}

double reduce_pull_bound_GBps(const BoundInput& in, int root) {
  check_root(in, root);
  TrafficLoad load(in);
  load.pull(root, in.message.value);
  return load.bound_GBps();
}

double reduce_scatter_pull_bound_GBps(const BoundInput& in, const Parts& parts) {
  TrafficLoad load(in);
  for (int r = 0; r < ranks_of(in); ++r) load.pull(r, parts.bytes(static_cast<std::uint64_t>(r)));
  return load.bound_GBps();
}

double barrier_pull_bound_GBps(const BoundInput& in) {
  TrafficLoad load(in);
  for (int r = 0; r < ranks_of(in); ++r) {
    load.pull(r, in.message.value);
    load.multicast(r, in.message.value);
  }
  return load.bound_GBps();
}

double barrier_multicast_bound_GBps(const BoundInput& in) {
  TrafficLoad load(in);
  for (int r = 0; r < ranks_of(in); ++r) load.multicast(r, flag_bytes);
  return load.bound_GBps();
}

double schedule_bound_GBps(const BoundInput& in, const Schedule& schedule, const std::vector<std::uint64_t>& chunk_bytes) {
  TrafficLoad load(in);
  for (int r = 0; r < schedule.ranks; ++r)
    for (const Operation& o : schedule.programs[static_cast<std::size_t>(r)])
      if (o.kind == OperationKind::send) load.write(r, o.peer, chunk_bytes.at(static_cast<std::size_t>(o.chunk)));
  return load.bound_GBps();
}

double streams_bound_GBps(const BoundInput& in, const JobSpec& job, const std::vector<StreamProgram>& programs) {
  TrafficLoad load(in);
  const auto write = [&](std::size_t from, int gpu, std::uint64_t bytes) {
    const auto to = std::find(job.ranks.begin(), job.ranks.end(), gpu) - job.ranks.begin();
    load.write(static_cast<int>(from), static_cast<int>(to), bytes);
  };
  for (std::size_t r = 0; r < programs.size(); ++r) {
    for (const StreamCommand& c : programs[r].commands)
      if (c.kind == StreamCommand::Kind::copy) write(r, c.peer, c.bytes);
    for (const ChannelStep& s : programs[r].steps)
      if (s.peer != ChannelStep::none) write(r, s.peer, s.bytes);
  }
  return load.bound_GBps() * job.back_to_back;
}

}  // namespace tributary::collective
