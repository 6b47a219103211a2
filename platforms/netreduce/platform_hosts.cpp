// Hosts of a NetReducePlatform: what drives them, their memory, and the connections among their endpoints.

#include <algorithm>
#include <utility>

#include "platforms/netreduce/netreduce_platform.h"

namespace tributary {

void NetReducePlatform::add_hosts(CompletionListener& listener) {
  const NetReducePlatformParams& p = config_.params;
  const auto hosts = static_cast<unsigned>(racks_.all_hosts());
  flows_.resize(hosts), commands_.resize(hosts), machines_.resize(hosts), servers_.resize(hosts);
  ways_.resize(endpoints());
  for (unsigned h = 0; h < hosts; ++h) {
    EthernetHost::Config c;
    c.nic = p.nic;
    c.port = port(false);
    c.station = static_cast<std::uint16_t>(h);
    c.pausable = p.ethernet_switch.pfc.on;
    c.with_data = config_.with_data;
    c.feed = p.host.inter_rate;
    c.checking = p.link.check;
    c.format = frame_format();
    c.datagrams = datagrams_of(h);
    c.arena = arena();
    HostRole role = h < config_.roles.size() ? config_.roles[h] : HostRole::commands;
    if (gpus() > 1 && role != HostRole::server) role = HostRole::machine;
    if (role == HostRole::flow_control || role == HostRole::machine)
      c.queue_pairs = 2 * gpus();  // of each GPU: to its successor, from its predecessor
    hosts_.push_back(&add_device<EthernetHost>(
        c, [&](const char* name) { return make_engine(name, h, role, listener); }, pool()));
  }
}

std::unique_ptr<HostEngineModule> NetReducePlatform::make_engine(const char* name, unsigned h, HostRole role,
                                                                 CompletionListener& listener) {
  const NetReducePlatformParams& p = config_.params;
  const auto mtu = static_cast<unsigned>(p.nic.mtu.value);
  const auto keep = [&](auto engine, auto& engines) -> std::unique_ptr<HostEngineModule> {
    engines[h] = engine.get();
    return engine;
  };
  switch (role) {
    case HostRole::flow_control:
      return keep(std::make_unique<FlowControlModule>(name, p.flow_control, mtu, h, listener), flows_);
    case HostRole::machine:
      return keep(std::make_unique<MachineHost>(name, MachineHostCore::Config{p.host, p.flow_control, mtu, gpus()},
                                                h * gpus(), listener),
                  machines_);
    case HostRole::server:
      return keep(std::make_unique<ServerHost>(name, p.host, h * gpus(), listener), servers_);
    case HostRole::commands:
      break;
  }
  return keep(std::make_unique<CommandHost>(name, p.host, h, listener), commands_);
}

// ---- memory

std::byte* NetReducePlatform::memory_of(unsigned end) {
  std::byte* const memory = hosts_.at(host_of(end))->memory().data();
  return memory == nullptr ? nullptr : memory + base_of(end);
}

void NetReducePlatform::reserve(std::uint64_t bytes) {
  stride_ = std::max(stride_, bytes);
  for (MachineHost* machine : machines_)
    if (machine != nullptr) machine->core().set_stride(stride_);
}

void NetReducePlatform::resize_memory(unsigned end, std::uint64_t bytes) {
  EthernetHost& h = *hosts_.at(host_of(end));
  const std::uint64_t all = gpus() == 1 ? bytes : gpus() * stride_;
  if (gpus() == 1 || h.memory().size() != all) h.resize_memory(all);
}

void NetReducePlatform::resize_server_memory(unsigned host, std::uint64_t bytes) {
  EthernetHost& h = *hosts_.at(host);
  if (h.memory().size() != bytes) h.resize_memory(bytes);
}

// ---- connections

void NetReducePlatform::join(const HostConnection& c) {
  const auto pair = [](unsigned mine, std::uint32_t psn, int peer, unsigned theirs, std::uint32_t their_psn,
                       std::uint16_t udp_port) {
    QueuePairConfig q;
    q.number = RingManager::pair_number(mine);
    q.peer = static_cast<std::uint16_t>(peer);
    q.peer_number = RingManager::pair_number(theirs);
    q.send_psn = psn;
    q.receive_psn = their_psn;
    q.udp_port = udp_port;
    return q;
  };
  EthernetHost &from = host(static_cast<unsigned>(c.from)), &to = host(static_cast<unsigned>(c.to));
  from.nic().core().add_queue_pair(pair(c.from_pair, c.psn, c.to, c.to_pair, c.answer_psn, c.udp_port));
  to.nic().core().add_queue_pair(pair(c.to_pair, c.answer_psn, c.from, c.from_pair, c.psn, c.udp_port));
}

NetReducePlatform::Ways NetReducePlatform::connect(unsigned from, unsigned to) {
  if (host_of(from) != host_of(to)) {
    const HostConnection c = rings_.connect(static_cast<int>(host_of(from)), static_cast<int>(host_of(to)));
    join(c);
    return connect(from, to, c, false);
  }
  std::vector<GpuConnection>&here = ways_.at(from), &there = ways_.at(to);
  const Ways made{static_cast<unsigned>(here.size()), static_cast<unsigned>(there.size())};
  here.push_back({static_cast<int>(to % gpus()), made.to, base_of(to)});
  there.push_back({static_cast<int>(from % gpus()), made.from, base_of(from)});
  return made;
}

NetReducePlatform::Ways NetReducePlatform::connect(unsigned from, unsigned to, const HostConnection& c, bool of_ring) {
  const auto add = [&](unsigned end, unsigned pair, unsigned other) {
    if (machines_[host_of(end)] == nullptr) return pair;
    ways_[end].push_back({GpuConnection::by_nic, pair, base_of(other), of_ring});
    return static_cast<unsigned>(ways_[end].size() - 1);
  };
  return {add(from, c.from_pair, to), add(to, c.to_pair, from)};
}

void NetReducePlatform::post(unsigned end, const std::vector<RingPlan>& plans, Tick t0) {
  if (machines_.at(host_of(end)) != nullptr) return post(end, {}, plans, {}, t0);
  flows_.at(host_of(end))->post(plans, t0);
}

void NetReducePlatform::post(unsigned end, HostCommands program, Tick t0) {
  if (machines_.at(host_of(end)) != nullptr) return post(end, std::move(program), {}, {}, t0);
  commands_.at(host_of(end))->post(std::move(program), t0);
}

void NetReducePlatform::post(unsigned end, HostCommands before, std::vector<RingPlan> rings, HostCommands after, Tick t0) {
  machines_.at(host_of(end))->post(end % gpus(), {ways_[end], std::move(before), std::move(rings), std::move(after)}, t0);
}

}  // namespace tributary
