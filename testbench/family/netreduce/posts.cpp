// The programs of the hosts of a job: how NetReduceDriver posts a message.

#include <algorithm>
#include <utility>

#include "platforms/netreduce/host_program.h"
#include "testbench/family/netreduce/algorithms.h"
#include "testbench/family/netreduce/driver.h"
#include "testbench/family/netreduce/ring_job.h"
#include "testbench/family/netreduce/server_job.h"
#include "testbench/family/netreduce/step_plan.h"
#include "testbench/workload/job_group.h"

namespace tributary {

void NetReduceDriver::post(const JobSpec& job, Bytes message, const Start& start) {
  if (job.step) return post_step(job, start);
  switch (netreduce_algorithm(job).role) {
    case HostRole::flow_control:
      return post_ring(job, message, start);
    case HostRole::machine:
      return post_machines(job, message, start);
    case HostRole::server:
      return post_servers(job, message, start);
    case HostRole::step:
    case HostRole::commands:
      return post_commands(job, message, start);
  }
}

std::vector<RingPlan> NetReduceDriver::make_ring(const JobSpec& job, const std::vector<int>& ends, const RingPlan& plan) {
  std::vector<int> hosts;
  hosts.reserve(ends.size());
  for (const int end : ends) hosts.push_back(end / gpus());
  RingManager& rings = system_.rings();
  const std::uint16_t number = rings.add_ring(hosts, job.type, job.op, plan.pattern);
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
  const std::vector<RingPlan> plans = make_ring(job, job.ranks, RingJob(job, message, params_).ring_plan());
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

void NetReduceDriver::post_step(const JobSpec& job, const Start& start) {
  const StepPlan lowered(job, params_);
  std::vector<std::vector<RingPlan>> rings;  // by ring, then by member
  for (const StepRing& ring : lowered.rings())
    rings.push_back(make_ring(ring.job, ring.job.ranks, lowered.ring_plan(ring.operation)));
  system_.set_rings();
  std::vector<HostStep> steps(job.ranks.size());
  Pairs pairs;
  for (std::size_t i = 0; i < job.step->operations.size(); ++i) {
    const JobStep::Part& part = job.step->operations[i];
    const JobSpec one = lowered.job_of(i);
    std::vector<HostStep::Operation> made(part.members.size());
    if (const std::optional<std::size_t> ring = lowered.ring_of(i)) {
      for (std::size_t m = 0; m < made.size(); ++m) {
        const RingPlan& member = rings[*ring][m];
        RingPlan& p = made[m].ring.emplace(lowered.ring_plan(i));
        p.ring = member.ring, p.rank = member.rank;
        p.send_pair = member.send_pair, p.receive_pair = member.receive_pair;
      }
    } else {
      const std::vector<int> ends = gpus_of(one, group_of(one));
      connect(lowered.commands(i), ends, pairs);
      std::vector<HostCommands> commands = programs(one, lowered.commands(i), pairs);
      for (std::size_t r = 0; r < ends.size(); ++r) {
        const auto member = std::find(one.ranks.begin(), one.ranks.end(), ends[r]) - one.ranks.begin();
        lowered.place(i, commands[r]);
        made[static_cast<std::size_t>(member)].commands = std::move(commands[r]);
      }
    }
    for (std::size_t m = 0; m < made.size(); ++m)
      steps[static_cast<std::size_t>(part.members[m])].operations.push_back(std::move(made[m]));
  }
  for (std::size_t r = 0; r < steps.size(); ++r) {
    steps[r].tasks = job.step->programs[r];
    HostProgram program;
    program.step = std::move(steps[r]);
    system_.post(static_cast<unsigned>(job.ranks[r]), std::move(program), start(r));
  }
}

}  // namespace tributary
