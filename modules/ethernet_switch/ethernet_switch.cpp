#include "modules/ethernet_switch/ethernet_switch.h"

#include <algorithm>

namespace tributary {
namespace {

unsigned lossless_classes(const PfcParams& pfc) {
  if (!pfc.on) return 0;
  return pfc.classes == PfcClasses::roce ? 1u << roce_class : ((1u << EthernetLink::vcs) - 1) & ~(1u << control_class);
}

}  // namespace

std::vector<EthernetDevice::PortConfig> EthernetSwitch::ports_of(const Config& config) {
  std::vector<PortConfig> ports = config.ports;
  for (PortConfig& p : ports) p.pause_reaction = config.params.pfc.reaction.value;
  return ports;
}

EthernetSwitchConfig EthernetSwitch::core_of(const Config& config) const {
  const EthernetSwitchParams& params = config.params;
  EthernetSwitchConfig core;
  core.latency = params.latency.value;
  core.latencies = config.latencies;
  core.cut_through = params.forwarding == SwitchingMode::cut_through;
  core.buffer.bytes = params.buffer.value;
  core.buffer.alpha = params.alpha;
  core.buffer.pfc_alpha = params.pfc.alpha;
  core.buffer.reserve = params.pfc.reserve.value;
  core.buffer.resume = params.pfc.resume.value;
  core.ecn = {params.ecn.on, params.ecn.kmin.value, params.ecn.kmax.value, params.ecn.pmax, config.seed};
  core.lossless = lossless_classes(params.pfc);
  core.routes = config.routes;
  core.router = router_ ? &router_ : nullptr;
  for (const PortConfig& p : config.ports) {
    core.rates.push_back(p.rate);
    core.pfc.quantum.push_back(pause_quantum(p.rate));
    const PfcPath path{p.rate,       p.latency.value,      params.pfc.reaction.value,
                       core.latency, config.largest_frame, core.cut_through};
    core.buffer.headroom.push_back(params.pfc.headroom ? params.pfc.headroom->value : pfc_headroom(path));
  }
  return core;
}

// A pause takes effect after its reaction time, any other frame after the switch's latency.
Tick EthernetSwitch::delay_of(const Config& config) {
  Tick delay = config.params.latency.value;
  for (const Tick latency : config.latencies) delay = std::min(delay, latency);
  return config.params.pfc.on ? std::min(delay, config.params.pfc.reaction.value) : delay;
}

EthernetSwitch::EthernetSwitch(const sc_core::sc_module_name& name, const Config& config, PacketPool& pool)
    : EthernetDevice(name, delay_of(config), ports_of(config), pool, config.arena),
      list_(config.make_access_list("access_list")),
      router_(config.make_router, {this->name(), static_cast<unsigned>(config.ports.size())}),
      core_(std::make_unique<EthernetSwitchCore>(core_of(config), links(), pool, static_cast<AccessControl&>(*this))) {
  if (list_ != nullptr) access_socket.bind(list_->socket);
  for (const AccessRule& rule : config.rules) add_rule(rule);
}

void EthernetSwitch::add_rule(const AccessRule& rule) {
  if (list() == nullptr) {
    first_rules_.push_back(rule);
    return;
  }
  AccessTransaction t;
  t.command = AccessTransaction::Command::add;
  t.rule = &rule;
  program(t);
}

void EthernetSwitch::clear_rules() {
  first_rules_.clear();
  if (list() == nullptr) return;
  AccessTransaction t;
  t.command = AccessTransaction::Command::clear;
  program(t);
}

void EthernetSwitch::program(AccessTransaction& t) {
  sc_core::sc_time none = sc_core::SC_ZERO_TIME;
  list()->b_transport(t, none);
}

void EthernetSwitch::start_of_simulation() {
  for (const AccessRule& rule : first_rules_) add_rule(rule);
  first_rules_.clear();
}

Tick EthernetSwitch::run_core(Inbox& inbox, Tick horizon) {
  inbox.take_packets(horizon,
                     [this](unsigned port, Packet* frame, Tick head, Tick tail) { core_->accept(port, frame, head, tail); });
  return core_->run(horizon, safe_times());
}

std::vector<std::string> EthernetSwitch::core_waiting() const {
  std::vector<std::string> lines = core_->waiting();
  if (list() != nullptr)
    for (const std::string& line : list()->waiting()) lines.push_back("access_list: " + line);
  return lines;
}

void EthernetSwitch::reset_core() {
  core_->reset();
  if (list() != nullptr) list()->reset();
}

void EthernetSwitch::describe_core(ProbeDirectory& directory) {
  core_->describe(directory, name());
  if (list() != nullptr) list()->describe(directory, std::string(name()) + ".access_list.");
}

}  // namespace tributary
