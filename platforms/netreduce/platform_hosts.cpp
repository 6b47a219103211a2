// Hosts of a NetReducePlatform: their agents, their memory, and the connections among their endpoints.

#include <algorithm>
#include <utility>

#include "platforms/netreduce/command_agent.h"
#include "platforms/netreduce/flow_control_agent.h"
#include "platforms/netreduce/machine_agent.h"
#include "platforms/netreduce/netreduce_platform.h"
#include "platforms/netreduce/server_agent.h"

namespace tributary {

void NetReducePlatform::add_hosts(CompletionListener& listener) {
  const NetReducePlatformParams& p = config_.params;
  const auto hosts = static_cast<unsigned>(racks_.all_hosts());
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
      c.queue_pairs = 2 * gpus();  // each GPU: one to its successor, one from its predecessor
    hosts_.push_back(&add_device<EthernetHost>(
        c, [&](const char* name) { return make_agent(name, h, role, listener); }, pool()));
  }
}

std::unique_ptr<HostAgentModule> NetReducePlatform::make_agent(const char* name, unsigned h, HostRole role,
                                                               CompletionListener& listener) {
  const NetReducePlatformParams& p = config_.params;
  const auto mtu = static_cast<unsigned>(p.nic.mtu.value);
  const auto keep = [this](auto agent) -> std::unique_ptr<HostAgentModule> {
    agents_.push_back(agent.get());
    return agent;
  };
  switch (role) {
    case HostRole::flow_control:
      return keep(std::make_unique<FlowControlAgent>(name, p.flow_control, mtu, h, listener));
    case HostRole::machine:
      return keep(std::make_unique<MachineAgent>(name, MachineAgentCore::Config{p.host, p.flow_control, mtu, gpus()},
                                                 h * gpus(), listener));
    case HostRole::server:
      return keep(std::make_unique<ServerAgent>(name, p.host, h * gpus(), listener));
    case HostRole::commands:
      break;
  }
  return keep(std::make_unique<CommandAgent>(name, p.host, h, listener));
}

// ---- memory

std::byte* NetReducePlatform::memory_of(unsigned end) {
  std::byte* const memory = hosts_.at(host_of(end))->memory().data();
  return memory == nullptr ? nullptr : memory + base_of(end);
}

void NetReducePlatform::reserve(std::uint64_t bytes) {
  stride_ = std::max(stride_, bytes);
  for (ProgramAgent* agent : agents_) agent->set_stride(stride_);
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

NetReducePlatform::ConnectionNumbers NetReducePlatform::connect(unsigned from, unsigned to) {
  const unsigned host = host_of(from);
  if (host != host_of(to)) {
    const HostConnection c = rings_.connect(static_cast<int>(host), static_cast<int>(host_of(to)));
    join(c);
    return connect(from, to, c, false);
  }
  const auto [at_from, at_to] = agents_.at(host)->connect_gpus(from % gpus(), to % gpus());
  return {at_from, at_to};
}

NetReducePlatform::ConnectionNumbers NetReducePlatform::connect(unsigned from, unsigned to, const HostConnection& c,
                                                                bool of_ring) {
  const auto add = [&](unsigned end, unsigned pair, unsigned other) {
    return agents_.at(host_of(end))->add_connection(end % gpus(), {GpuConnection::by_nic, pair, base_of(other), of_ring});
  };
  return {add(from, c.from_pair, to), add(to, c.to_pair, from)};
}

void NetReducePlatform::post(unsigned end, HostProgram program, Tick t0) {
  agents_.at(host_of(end))->post(end % gpus(), std::move(program), t0);
}

}  // namespace tributary
