#include "modules/roce/ethernet_host.h"

#include <algorithm>

namespace tributary {
namespace {

RoceNicCore::Config nic_of(const EthernetHost::Config& host) {
  RoceNicCore::Config c;
  c.params = host.nic;
  c.station = host.station;
  c.rate = host.port.rate;
  c.feed = host.feed;
  c.pausable = host.pausable;
  c.checking = host.checking;
  c.format = host.format;
  c.queue_pairs = host.queue_pairs;
  return c;
}

}  // namespace

EthernetHost::EthernetHost(const sc_core::sc_module_name& name, const Config& config, const AgentFactory& make_agent,
                           PacketPool& pool, const MemoryFactory& make_memory)
    : EthernetDevice(name, soonest_effect(config.nic, config.pausable, config.port.pause_reaction), {config.port}, pool,
                     config.arena),
      nic_("nic", nic_of(config), config.with_data, links(), pool),
      memory_(make_memory ? make_memory("memory") : std::make_unique<DirectMemory>("memory", Time{}, config.station)),
      agent_(make_agent ? make_agent("agent") : nullptr) {
  nic_.memory_socket.bind(memory_->socket);
  nic_.on_wake([this](Tick when) { wake(when); });
  if (config.datagrams) datagrams_ = std::make_unique<DatagramSource>(*config.datagrams, links(), 0, pool);
  if (agent_ == nullptr) return;
  core_ = &agent_->agent();
  if (auto* const path = dynamic_cast<NicDataPath*>(agent_.get())) nic_.connect(*path);
  agent_->verbs.bind(nic_.verbs);
  agent_->on_wake([this](Tick when) { wake(when); });
}

void EthernetHost::resize_memory(std::uint64_t bytes) {
  memory_->resize(bytes);
  nic_.find_memory(bytes);
  if (agent_ != nullptr) agent_->set_memory(memory_->data());
}

void EthernetHost::start_datagrams(Tick t0) {
  datagrams_->start(t0);
  wake(datagrams_->next());
}

// At one instant the NIC runs first, so the agent may react immediately to its reports. Datagrams are last.
Tick EthernetHost::run_core(Inbox& inbox, Tick horizon) {
  RoceNicCore& nic = nic_.core();
  inbox.take_packets(horizon, [&](unsigned, Packet* packet, Tick, Tick tail) { nic.receive(packet, tail); });
  for (;;) {
    const Tick nic_next = nic.run_until(std::min({horizon, agent_next(), datagrams_next()})), next = agent_next();
    const Tick datagram = datagrams_next();
    if (next <= horizon && next < nic_next && next <= datagram)
      core_->run_until(next);
    else if (datagram <= horizon && datagram < nic_next && datagram < next)
      datagrams_->run(datagram);
    else if (nic_next > horizon)
      break;
  }
  const Tick sent = links().finish(horizon, safe_times(), [](unsigned, const EthernetLinks::Sent&) {});
  return std::min({sent, nic.next(), agent_next(), datagrams_next()});
}

std::vector<std::string> EthernetHost::core_waiting() const {
  std::vector<std::string> lines;
  if (core_ != nullptr)
    for (const std::string& line : core_->waiting()) lines.push_back("agent." + line);
  for (const std::string& line : nic_.core().waiting()) lines.push_back("nic." + line);
  return lines;
}

void EthernetHost::reset_core() {
  if (core_ != nullptr) core_->reset();
  if (datagrams_ != nullptr) datagrams_->reset();
  memory_->reset();
  nic_.core().reset();
}

void EthernetHost::describe_core(ProbeDirectory& directory) {
  nic_.describe(directory);
  memory_->describe(directory);
  if (core_ != nullptr) core_->describe(directory, std::string(agent_->name()) + ".");
}

}  // namespace tributary
