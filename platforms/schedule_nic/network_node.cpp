#include "platforms/schedule_nic/network_node.h"

#include <algorithm>
#include <stdexcept>

namespace tributary {

NetworkNode::NetworkNode(const sc_core::sc_module_name& name, const Config& config, PacketPool& pool, PayloadViews& views,
                         CompletionListener& listener)
    : CoreDevice(name, config.router.core.latency, config.router.link, config.router.arena) {
  if (config.nic) nic_ = std::make_unique<Nic>("nic", *config.nic, config.parts, pool, views, listener);
  if (nic_) nic_->set_host(static_cast<AnswerHost&>(*this));
  RouterListener& beside = nic_ ? static_cast<RouterListener&>(nic_->core()) : *this;
  router_ = std::make_unique<Router>("router", config.router, static_cast<LinkPortListener&>(*this),
                                     static_cast<LinkOutput&>(*this), activation(), beside);
  core_ = &router_->core();
  set_ports(router_->ports());
  if (nic_) nic_->core().set_router(*core_);
}

// The NIC runs first at each instant, as the router may forward its packets immediately.
Tick NetworkNode::run_core(Inbox& inbox, Tick horizon) {
  return core_->with([&](auto& core) {
    inbox.take_packets(
        horizon, [&core](unsigned port, Packet* packet, Tick head, Tick tail) { core.accept(port, packet, head, tail); });
    NicCore* const nic = nic_ ? &nic_->core() : nullptr;
    for (;;) {
      const Tick nic_next = nic != nullptr ? nic->next() : never;
      const Tick now = std::min(nic_next, core.next());
      if (now > horizon || now == never) break;
      if (nic_next == now) nic->run_until(now);
      if (core.next() == now) core.handle(now);
    }
    const Tick next = core.finish(horizon);
    return nic != nullptr ? std::min(next, nic->next()) : next;
  });
}

void NetworkNode::eject(unsigned, Packet* packet, Tick) {
  packet->release();
  throw std::logic_error(std::string(name()) + ": a packet is addressed to this switch");
}

std::vector<std::string> NetworkNode::waiting() const {
  std::vector<std::string> all;
  const auto add = [&](const std::string& module, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) all.push_back(module + "." + line);
  };
  add(router_->name(), core_->waiting());
  if (const std::string inbox = waiting_in_inbox(); !inbox.empty()) add(name(), {inbox});
  if (nic_) add(nic_->name(), nic_->waiting());
  return all;
}

void NetworkNode::reset() {
  CoreDevice::reset();
  if (nic_) nic_->reset();
}

void NetworkNode::describe(ProbeDirectory& directory) {
  router_->describe(directory);
  if (nic_) nic_->describe(directory);
}

}  // namespace tributary
