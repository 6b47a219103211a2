#include "platforms/schedule_nic/network_node.h"

#include <algorithm>
#include <stdexcept>

namespace tributary {

NetworkNode::NetworkNode(const sc_core::sc_module_name& name, const Config& config, PacketPool& pool, PayloadViews& loans,
                         NicHost& host)
    : CoreDevice(name, config.router.latency, config.link) {
  std::vector<LinkPort*> links;
  for (unsigned p = 0; p < config.router.ports; ++p) {
    // two packets of a VC may stand between crossbar and wire
    const LinkTransmitter::Config link{config.link, config.buffer_flits, 2 * config.max_flits, config.max_flits};
    ports_.push_back(std::make_unique<LinkPort>(config.router.port_names.at(p).c_str(),
                                                static_cast<LinkPortListener&>(*this), activation(), p, link));
    links.push_back(ports_.back().get());
  }
  if (config.nic) nic_ = std::make_unique<NicCore>(*config.nic, pool, loans, host);
  RouterHost& beside = nic_ ? static_cast<RouterHost&>(*nic_) : *this;
  core_ = std::make_unique<RouterCore>(config.router, beside, static_cast<LinkOutput&>(*this), set_ports(links));
  if (nic_) nic_->set_router(*core_);
}

// At one instant the NIC comes first: what it decides then, the router may send on at once.
Tick NetworkNode::run_core(Inbox& inbox, Tick horizon) {
  inbox.take_packets(
      horizon, [this](unsigned port, Packet* packet, Tick head, Tick tail) { core_->accept(port, packet, head, tail); });
  for (;;) {
    const Tick nic = nic_ ? nic_->next() : never;
    const Tick now = std::min(nic, core_->next());
    if (now > horizon || now == never) break;
    if (nic == now) nic_->run_until(now);
    if (core_->next() == now) core_->handle(now);
  }
  const Tick next = core_->finish(horizon);
  return nic_ ? std::min(next, nic_->next()) : next;
}

void NetworkNode::eject(unsigned, Packet* packet, Tick) {
  packet->release();
  throw std::logic_error(std::string(name()) + ": a packet is for this switch");
}

void NetworkNode::add_waiting(std::vector<std::string>& lines) const {
  if (nic_)
    for (std::string& line : nic_->waiting()) lines.push_back(std::move(line));
}

void NetworkNode::reset() {
  CoreDevice::reset();
  if (nic_) nic_->reset();
}

void NetworkNode::describe(ProbeDirectory& directory) {
  CoreDevice::describe(directory);
  if (nic_) nic_->describe(directory, name());
}

}  // namespace tributary
