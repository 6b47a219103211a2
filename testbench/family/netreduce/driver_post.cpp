// Lowering of jobs to programs of hosts on Ethernet.

#include <algorithm>
#include <utility>

#include "testbench/family/netreduce/algorithms.h"
#include "testbench/family/netreduce/driver.h"
#include "testbench/family/netreduce/server_job.h"
#include "testbench/workload/job_group.h"

namespace tributary {

void NetReduceDriver::post(const JobSpec& job, Bytes message, const Start& start) {
  switch (netreduce_algorithm(job).role) {
    case HostRole::flow_control:
      return post_ring(job, message, start);
    case HostRole::machine:
      return post_machines(job, message, start);
    case HostRole::server:
      return post_servers(job, message, start);
    case HostRole::commands:
      return post_commands(job, message, start);
  }
}

std::vector<RingPlan> NetReduceDriver::make_ring(const JobSpec& job, const std::vector<int>& ends, const RingPlan& plan) {
  std::vector<int> hosts;
  for (const int end : ends) hosts.push_back(end / gpus());
  RingManager& rings = system_.rings();
  const std::uint16_t number = rings.add_ring(hosts, job.type, job.op);
  const std::size_t size = ends.size();
  std::vector<RingPlan> plans(size, plan);
  for (std::size_t r = 0; r < size; ++r) {
    const HostConnection& c = rings.connections(number)[r];
    system_.join(c);
    const NetReducePlatform::ConnectionNumbers numbers =
        system_.connect(static_cast<unsigned>(ends[r]), static_cast<unsigned>(ends[(r + 1) % size]), c, true);
    plans[r].ring = number;
    plans[r].rank = static_cast<std::uint16_t>(r);
    plans[r].send_pair = numbers.from;
    plans[(r + 1) % size].receive_pair = numbers.to;
  }
  flows_.learn(rings);
  if (entries_) entries_->reset();
  return plans;
}

void NetReduceDriver::post_ring(const JobSpec& job, Bytes message, const Start& start) {
  const NetReduceLayout layout = NetReduceLayout::of(message, params_);
  RingPlan plan;
  plan.bytes = message.value;
  plan.result = layout.result;
  plan.receive_buffers = plan.remote_buffers = layout.receive_buffers;
  plan.staging = layout.staging;
  const std::vector<RingPlan> plans = make_ring(job, job.ranks, plan);
  system_.set_rings();
  for (std::size_t r = 0; r < plans.size(); ++r)
    system_.post(static_cast<unsigned>(job.ranks[r]), {{}, {plans[r]}}, start(r));
}

void NetReduceDriver::post_machines(const JobSpec& job, Bytes message, const Start& start) {
  const HostShape shape = host_shape(job, gpus());
  const auto n = static_cast<std::size_t>(shape.gpus);
  const MachinePlan first = machine_plan(job, message, 0);
  std::vector<std::vector<RingPlan>> rings;  // by GPU of a host, then by host
  for (std::size_t g = 0; g < n; ++g) {
    std::vector<int> ends;
    for (std::size_t h = 0; h < shape.hosts.size(); ++h) ends.push_back(job.ranks[h * n + g]);
    rings.push_back(make_ring(job, ends, first.ring(static_cast<int>(g))));
  }
  system_.set_rings();
  for (std::size_t h = 0; h < shape.hosts.size(); ++h) {
    const MachinePlan plan = machine_plan(job, message, h);
    Pairs pairs;
    connect(plan.before(), plan.job().ranks, pairs);
    connect(plan.after(), plan.job().ranks, pairs);
    std::vector<HostCommands> before = programs(plan.job(), plan.before(), pairs);
    std::vector<HostCommands> after = programs(plan.job(), plan.after(), pairs);
    for (std::size_t g = 0; g < n; ++g)
      system_.post(static_cast<unsigned>(plan.job().ranks[g]),
                   {std::move(before[g]), {rings[g][h]}, plan.moved(std::move(after[g]))}, start(h * n + g));
  }
}

/// Makes one connection for each pair of endpoints, for both directions.
void NetReduceDriver::connect(const ChunkCommands& commands, const std::vector<int>& ends, Pairs& pairs) {
  for (std::size_t r = 0; r < ends.size(); ++r)
    for (const ChunkCommand& c : commands.of_rank(static_cast<int>(r))) {
      if (!c.send) continue;
      const int from = ends[r], to = ends[static_cast<std::size_t>(c.send->rank)];
      if (pairs.count({from, to}) != 0) continue;
      const NetReducePlatform::ConnectionNumbers numbers =
          system_.connect(static_cast<unsigned>(from), static_cast<unsigned>(to));
      pairs[{from, to}] = numbers.from;
      pairs[{to, from}] = numbers.to;
    }
}

std::vector<HostCommands> NetReduceDriver::programs(const JobSpec& job, const ChunkCommands& commands,
                                                    const Pairs& pairs) const {
  const std::vector<int> ends = gpus_of(job, group_of(job));
  std::vector<HostCommands> made = host_commands(job, commands);
  for (std::size_t r = 0; r < ends.size(); ++r)
    for (const auto& [between, pair] : pairs) {
      if (between.first != ends[r]) continue;
      made[r].pairs[static_cast<std::uint16_t>(between.second)] = pair;
      if (between.second / gpus() == ends[r] / gpus())
        made[r].local_peers.insert(static_cast<std::uint16_t>(between.second));
    }
  return made;
}

void NetReduceDriver::post_commands(const JobSpec& job, Bytes message, const Start& start) {
  const ChunkCommands commands = software(job, message);
  const std::vector<int> ends = gpus_of(job, group_of(job));
  for (std::size_t r = 0; r < job.ranks.size(); ++r)  // a multicast does not reach all ranks
    if (std::find(ends.begin(), ends.end(), job.ranks[r]) == ends.end())
      system_.post(static_cast<unsigned>(job.ranks[r]), HostProgram{}, start(r));
  Pairs pairs;
  connect(commands, ends, pairs);
  std::vector<HostCommands> made = programs(job, commands, pairs);
  for (std::size_t r = 0; r < ends.size(); ++r) system_.post(static_cast<unsigned>(ends[r]), {std::move(made[r])}, start(r));
}

void NetReduceDriver::post_servers(const JobSpec& job, Bytes message, const Start& start) {
  const ServerJob served(job, message, params_);
  const std::vector<int> hosts = server_hosts(system_.racks(), params_);
  std::vector<std::uint16_t> ends;
  std::vector<std::map<std::uint16_t, unsigned>> pairs(job.ranks.size());
  for (unsigned s = 0; s < hosts.size(); ++s) {
    ServerPlan plan = served.server(s);
    ends.push_back(static_cast<std::uint16_t>(hosts[s] * gpus()));
    for (std::size_t r = 0; r < job.ranks.size(); ++r) {
      const auto worker = static_cast<unsigned>(job.ranks[r]);
      const NetReducePlatform::ConnectionNumbers numbers = system_.connect(worker, ends.back());
      pairs[r][ends.back()] = numbers.from;
      plan.workers[r] = {numbers.to, system_.base_of(worker)};
    }
    if (with_data_) system_.resize_server_memory(static_cast<unsigned>(hosts[s]), plan.memory_bytes());
    HostProgram program;
    program.server = std::move(plan);
    system_.post(ends.back(), std::move(program), 0);
  }
  for (std::size_t r = 0; r < job.ranks.size(); ++r)
    system_.post(static_cast<unsigned>(job.ranks[r]), {served.worker(r, ends, pairs[r])}, start(r));
}

}  // namespace tributary
