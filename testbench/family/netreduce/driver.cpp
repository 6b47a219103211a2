#include "testbench/family/netreduce/driver.h"

#include <algorithm>
#include <set>

#include "modules/netreduce/core/chunker.h"
#include "platforms/netreduce/blocks.h"
#include "testbench/family/netreduce/methods.h"
#include "testbench/family/netreduce/slot_trace.h"
#include "testbench/workload/job_group.h"

namespace tributary {
namespace {

std::string module_name(const std::string& platform) { return platform.substr(0, platform.find(':')); }

std::vector<HostRole> roles_of(const RunSpec& spec) {
  std::vector<HostRole> roles;
  for (const JobSpec& job : spec.jobs)
    for (const int host : job.ranks) {
      if (static_cast<std::size_t>(host) >= roles.size())
        roles.resize(static_cast<std::size_t>(host) + 1, HostRole::commands);
      roles[static_cast<std::size_t>(host)] = netreduce_method(job).role;
    }
  return roles;
}

/// By host. A host that has no job keeps its own number.
std::vector<std::uint16_t> ranks_of(const RunSpec& spec) {
  std::vector<std::uint16_t> ranks;
  for (const JobSpec& job : spec.jobs)
    for (std::size_t r = 0; r < job.ranks.size(); ++r) {
      const auto host = static_cast<std::size_t>(job.ranks[r]);
      while (ranks.size() <= host) ranks.push_back(static_cast<std::uint16_t>(ranks.size()));
      ranks[host] = static_cast<std::uint16_t>(r);
    }
  return ranks;
}

NetReducePlatform::Config config_of(const RunSpec& spec, const NetReducePlatformParams& params) {
  NetReducePlatform::Config c;
  c.params = params;
  c.roles = roles_of(spec);
  c.with_data = spec.data != DataMode::none;
  c.windowed = spec.engine == EngineMode::windowed;
  c.seed = spec.seed;
  replace_blocks(c, spec.blocks);
  if (spec.background_load > 0) c.background = {spec.background_load, spec.background_target};
  c.faults = spec.frame_faults;
  c.rank_of = ranks_of(spec);
  return c;
}

}  // namespace

topology::Racks racks_of(const std::string& platform, const NetReducePlatformParams& params) {
  return topology::racks(platform, static_cast<int>(params.accelerator.ports.value_or(0)), static_cast<int>(params.spines));
}

NetReduceDriver::NetReduceDriver(const RunSpec& spec, const NetReducePlatformParams& params, CompletionListener& listener)
    : params_(params),
      system_(module_name(spec.platform).c_str(), racks_of(spec.platform, params), config_of(spec, params), listener) {}

std::unique_ptr<LifeTrace> NetReduceDriver::follow(const BlockQuery& query, const ProbeDirectory& probes) {
  return std::make_unique<SlotTrace>(system_, probes, query);
}

std::uint64_t NetReduceDriver::memory_bytes(const JobSpec& job, Bytes message) {
  if (netreduce_method(job).role == HostRole::flow_control) return NetReduceLayout::of(message, params_).bytes;
  return software_commands(job, message, params_.host.slice).memory_bytes();
}

void NetReduceDriver::post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) {
  if (netreduce_method(job).role == HostRole::flow_control) return post_ring(job, message, start);
  post_commands(job, message, start);
}

void NetReduceDriver::post_ring(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) {
  RingManager& rings = system_.rings();
  const std::uint16_t number = rings.add_ring(job.ranks, job.type, job.op);
  const std::vector<HostConnection>& connections = rings.connections(number);
  for (const HostConnection& c : connections) system_.join(c);
  system_.set_rings();
  const NetReduceLayout layout = NetReduceLayout::of(message, params_);
  for (std::size_t r = 0; r < job.ranks.size(); ++r) {
    RingPlan plan;
    plan.ring = number;
    plan.rank = static_cast<std::uint16_t>(r);
    plan.send_pair = connections[r].from_pair;
    plan.receive_pair = connections[(r + job.ranks.size() - 1) % job.ranks.size()].to_pair;
    plan.bytes = message.value;
    plan.result = layout.result;
    plan.receive_buffers = plan.remote_buffers = layout.receive_buffers;
    plan.staging = layout.staging;
    system_.post(static_cast<unsigned>(job.ranks[r]), {plan}, start(r));
  }
}

void NetReduceDriver::post_commands(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) {
  const ChunkCommands commands = software_commands(job, message, params_.host.slice);
  const std::vector<int> hosts = gpus_of(job, group_of(job));
  for (std::size_t r = 0; r < job.ranks.size(); ++r)  // a multicast does not reach all
    if (std::find(hosts.begin(), hosts.end(), job.ranks[r]) == hosts.end())
      system_.post(static_cast<unsigned>(job.ranks[r]), HostCommands{}, start(r));
  std::map<std::pair<int, int>, unsigned> pairs;  // a connection for each pair of hosts, for either direction
  for (std::size_t r = 0; r < hosts.size(); ++r)
    for (const ChunkCommand& c : commands.of_rank(static_cast<int>(r))) {
      if (!c.send) continue;
      const int from = hosts[r], to = hosts[static_cast<std::size_t>(c.send->rank)];
      if (pairs.count({from, to}) != 0) continue;
      const HostConnection made = system_.rings().connect(from, to);
      system_.join(made);
      pairs[{from, to}] = made.from_pair;
      pairs[{to, from}] = made.to_pair;
    }
  std::vector<HostCommands> programs = host_commands(job, commands);
  for (std::size_t r = 0; r < hosts.size(); ++r) {
    for (const auto& [ends, pair] : pairs)
      if (ends.first == hosts[r]) programs[r].pairs[static_cast<std::uint16_t>(ends.second)] = pair;
    system_.post(static_cast<unsigned>(hosts[r]), std::move(programs[r]), start(r));
  }
}

/// What the busiest port of a host sends or receives, as if that were all.
double NetReduceDriver::bound(const JobSpec& job, Bytes message) {
  std::uint64_t busiest = 0;
  if (netreduce_method(job).role == HostRole::flow_control) {
    const Chunker chunks(message.value, params_.flow_control.messages.message_packets, mtu());
    busiest = chunks.messages() * write_wire_bytes(chunks.message_bytes(), mtu());
  } else {
    const ChunkCommands commands = software_commands(job, message, params_.host.slice);
    std::vector<std::uint64_t> sent(group_of(job).size()), received(sent);
    for (std::size_t r = 0; r < sent.size(); ++r)
      for (const ChunkCommand& c : commands.of_rank(static_cast<int>(r))) {
        if (!c.send) continue;
        const std::uint64_t bytes = write_wire_bytes(c.bytes, mtu());
        sent[r] += bytes;
        received[static_cast<std::size_t>(c.send->rank)] += bytes;
      }
    busiest = std::max(*std::max_element(sent.begin(), sent.end()), *std::max_element(received.begin(), received.end()));
  }
  if (busiest == 0) return 0;
  return static_cast<double>(message.value) / static_cast<double>(busiest) * static_cast<double>(params_.link.rate.value) *
         1e-9;
}

std::vector<Piece> NetReduceDriver::results(const JobSpec& job, Bytes message) const {
  std::vector<Piece> pieces = Driver::results(job, message);
  if (netreduce_method(job).role == HostRole::flow_control)
    for (Piece& piece : pieces) piece.address += NetReduceLayout::of(message, params_).result;
  return pieces;
}

}  // namespace tributary
