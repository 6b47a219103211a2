#include "modules/ethernet/ethernet_device.h"

#include <algorithm>
#include <stdexcept>

#include "modules/protocol/chunk_bits.h"
#include "modules/timing/early_arrival.h"

namespace tributary {
namespace {

LinkParams link_of(const std::vector<EthernetDevice::PortConfig>& ports) {
  LinkParams link;
  if (!ports.empty()) link.rate = ports.front().rate, link.latency = ports.front().latency;
  return link;
}

}  // namespace

EthernetDevice::EthernetDevice(const sc_core::sc_module_name& name, Tick delay, const std::vector<PortConfig>& ports,
                               PacketPool& pool, const Arena& arena)
    : Device(name), delay_(delay), safe_until_(ports.size()), inbox_(delay, link_of(ports), arena) {
  std::vector<EthernetTransmitter*> transmitters;
  for (const PortConfig& p : ports) {
    EthernetTransmitter::Config config;
    config.link.rate = p.rate;
    config.link.latency = p.latency;
    config.flow_control = {p.pause_reaction, pause_quantum(p.rate)};
    config.arena = arena;
    const auto index = static_cast<unsigned>(ports_.size());
    ports_.push_back(std::make_unique<EthernetPort>(("port" + std::to_string(index)).c_str(),
                                                    static_cast<LinkPortListener&>(*this), activation(), index, config));
    transmitters.push_back(&ports_.back()->transmitter());
  }
  links_ = std::make_unique<EthernetLinks>(transmitters, static_cast<LinkOutput&>(*this), pool);
}

void EthernetDevice::on_packets(unsigned port, Tick first, const LinkArrival* packets, unsigned count, Tick safe_until) {
  Tick& safe = safe_until_[port];
  if (__builtin_expect(count != 0 && first < safe, 0)) refuse_early("frame", ports_[port]->incoming_name(), first, safe);
  safe = std::max(safe, safe_until);
  if (count != 0) wake(inbox_.put_packets(port, first, packets, count));
}

void EthernetDevice::on_credits(unsigned, Tick, const LinkCredit*, unsigned, Tick) {
  throw std::logic_error("Ethernet links do not use credits");
}

LinkEnd EthernetDevice::link_end(unsigned port) {
  if (port >= ports_.size()) return side_ports_[port - static_cast<unsigned>(ports_.size())].end();
  return {ports_[port]->out, ports_[port]->in, ports_[port]->transmitter(), ports_[port].get()};
}

Tick EthernetDevice::run_with_sides(Tick horizon) {
  side_ports_.take(horizon);
  const Tick next = run_core(inbox_, horizon);
  return std::min(next, side_ports_.finish(horizon));
}

Tick EthernetDevice::run_until(Tick horizon) {
  windowed_ = false;
  const Tick next = side_ports_.empty() ? run_core(inbox_, horizon) : run_with_sides(horizon);
  return std::min(next, inbox_.next());
}

Tick EthernetDevice::run_ahead(Tick limit) {
  windowed_ = true;
  const Tick at_least = now() + lookahead();
  Tick horizon = limit;
  for (Tick& safe : safe_until_) {
    safe = std::max(safe, at_least);
    horizon = std::min(horizon, safe + delay_ - 1);
  }
  const bool alone = side_ports_.empty();
  if (!alone) horizon = side_ports_.horizon(now(), at_least, horizon);
  const Tick next = alone ? run_core(inbox_, horizon) : run_with_sides(horizon);
  return std::min(next, inbox_.next());
}

void EthernetDevice::cross_lane(unsigned port) {
  if (crossing_.empty()) join_lane();
  crossing_.push_back(port);
}

Tick EthernetDevice::unaffected_until() const {
  Tick until = crossing_.empty() ? 0 : never;
  for (const unsigned p : crossing_) until = std::min(until, p < safe_until_.size() ? safe_until_[p] + delay_ : 0);
  return until;
}

bool EthernetDevice::informed(Tick now) const {
  const Tick least = now + lookahead(), end = window_end(now);
  return std::all_of(crossing_.begin(), crossing_.end(), [&](unsigned p) {
    return p < safe_until_.size() && safe_until_[p] >= least && safe_until_[p] + delay_ > end;
  });
}

std::vector<std::string> EthernetDevice::waiting() const {
  std::vector<std::string> lines = core_waiting();
  for (std::string& line : lines) line = std::string(name()) + "." + line;
  for (const std::string& line : links_->waiting()) lines.push_back(std::string(name()) + "." + line);
  if (inbox_.packets() != 0)
    lines.push_back(std::string(name()) + ".inbox: " + std::to_string(inbox_.packets()) + " packets");
  side_ports_.add_waiting(lines);
  return lines;
}

void EthernetDevice::reset() {
  reset_core();
  links_->reset();
  inbox_.reset();
  side_ports_.reset();
  std::fill(safe_until_.begin(), safe_until_.end(), 0);
}

void EthernetDevice::describe(ProbeDirectory& directory) {
  describe_core(directory);
  for (auto& port : ports_) {
    port->transmitter().describe(directory, std::string(port->name()) + ".");
    directory.add(std::string(port->name()) + ".input.arrived", port->arrived, "packet whose head arrives",
                  chunk_bits<EthernetLink>, EthernetLink::opcode_names);
    directory.add(std::string(port->name()) + ".link.fate", links_->fate(static_cast<unsigned>(&port - ports_.data())),
                  "frame that is lost, damaged or duplicated on the link");
  }
  side_ports_.describe(directory);
}

}  // namespace tributary
