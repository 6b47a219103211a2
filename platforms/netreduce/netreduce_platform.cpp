#include "platforms/netreduce/netreduce_platform.h"

#include <algorithm>
#include <utility>

namespace tributary {
namespace {

using Racks = topology::Racks;

std::uint16_t station(int of) { return static_cast<std::uint16_t>(of); }

/// Time of a frame's head on a link: no effect of a device on another one is faster.
Tick shortest_hop(const NetReducePlatformParams& p) {
  Serializer wire(p.link.rate, EthernetLink::flit_bytes);
  return std::min(p.link.latency, p.link.uplink_latency).value + wire.serve(0, EthernetLink::header_bytes);
}

Tick switch_delay(const EthernetSwitchParams& p) {
  return p.pfc.on ? std::min(p.latency.value, p.pfc.reaction.value) : p.latency.value;
}

Platform::Timing timing(const NetReducePlatformParams& p) {
  return {shortest_hop(p), switch_delay(p.ethernet_switch), NetReducePlatform::command_latency(p)};
}

}  // namespace

NetReducePlatform::NetReducePlatform(const sc_core::sc_module_name& name, Racks racks, const Config& config,
                                     CompletionListener& listener)
    : Platform(name, racks.graph, timing(config.params),
               framing_of<EthernetLink>(static_cast<unsigned>(config.params.nic.mtu.value))),
      racks_(std::move(racks)),
      config_(config),
      rings_(racks_,
             {config.params.flow_control.messages.window, config.params.flow_control.messages.message_packets,
              static_cast<unsigned>(config.params.nic.mtu.value), config.params.nic.first_psn},
             config.seed),
      injectors_({config.faults, config.seed, config.params.flow_control.messages.message_packets, config.rank_of}) {
  add_hosts(listener);
  add_switches();
  add_accelerators();
  wire(config.windowed);
  add_faults();
}

NetReducePlatform::~NetReducePlatform() { NetReducePlatform::reset(); }

EthernetDevice::PortConfig NetReducePlatform::port(bool uplink) const {
  const NetReducePlatformParams& p = config_.params;
  return {p.link.rate, uplink ? p.link.uplink_latency : p.link.latency,
          p.ethernet_switch.pfc.on ? p.ethernet_switch.pfc.reaction.value : 0};
}

FrameFormat NetReducePlatform::frame_format(const topology::Racks& racks, const NetReducePlatformParams& params) {
  FrameFormat format;
  format.addresses = AddressPlan(static_cast<unsigned>(racks.racks), static_cast<unsigned>(racks.hosts));
  format.message_packets = static_cast<std::uint16_t>(params.flow_control.messages.message_packets);
  return format;
}

// ---- switches

std::bitset<max_ethernet_ports> NetReducePlatform::accelerator_ports(int first, int count) const {
  std::bitset<max_ethernet_ports> ports;
  for (int p = first; p < first + count; ++p) ports.set(static_cast<std::size_t>(p));
  return ports;
}

EthernetRoutes NetReducePlatform::leaf_routes(int rack) const {
  EthernetRoutes routes(config_.seed);
  std::vector<unsigned> up;
  for (int s = 0; s < racks_.spines; ++s) up.push_back(static_cast<unsigned>(racks_.spine_port(s)));
  for (int h = 0; h < racks_.all_hosts(); ++h)
    routes.set(station(h), racks_.rack_of(h) == rack ? std::vector<unsigned>{static_cast<unsigned>(h % racks_.hosts)} : up);
  if (racks_.accelerators() == 0) return routes;
  const auto uplink = static_cast<unsigned>(racks_.accelerator_port(racks_.accelerator_ports - 1));
  for (int r = 0; r < racks_.racks; ++r)
    routes.set(station(racks_.leaf_station(r)), r == rack ? std::vector<unsigned>{uplink} : up);
  for (int s = 0; s < racks_.spines; ++s)
    routes.set(station(racks_.spine_station(s)), {static_cast<unsigned>(racks_.spine_port(s))});
  return routes;
}

/// Sums of a rack go to that port of the spine's accelerator which represents the rack. A rule selects it, because the
/// accelerator's station has many ports.
EthernetRoutes NetReducePlatform::spine_routes(int spine) const {
  EthernetRoutes routes(config_.seed);
  for (int h = 0; h < racks_.all_hosts(); ++h) routes.set(station(h), {static_cast<unsigned>(racks_.rack_of(h))});
  if (racks_.accelerators() == 0) return routes;
  for (int r = 0; r < racks_.racks; ++r) routes.set(station(racks_.leaf_station(r)), {static_cast<unsigned>(r)});
  routes.set(station(racks_.spine_station(spine)), {static_cast<unsigned>(racks_.spine_accelerator_port(0))});
  return routes;
}

void NetReducePlatform::add_switches() {
  for (int i = 0; i < racks_.racks + racks_.spines; ++i) {
    const bool leaf = i < racks_.racks;
    const int node = leaf ? racks_.leaf(i) : racks_.spine(i - racks_.racks);
    EthernetSwitch::Config c;
    c.params = config_.params.ethernet_switch;
    for (int p = 0; p < graph().node(node).ports; ++p)
      c.ports.push_back(port(leaf ? p >= racks_.spine_port(0) : p < racks_.racks));
    c.routes = leaf ? leaf_routes(i) : spine_routes(i - racks_.racks);
    c.largest_frame = largest_frame();
    c.seed = config_.seed + static_cast<std::uint64_t>(i);
    c.make_access_list = config_.make_access_list;
    c.arena = arena();
    switches_.push_back(&add_device<EthernetSwitch>(c, pool()));
  }
}

// ---- accelerators, and their job initialisation

void NetReducePlatform::add_accelerators() {
  for (int i = 0; i < racks_.accelerators(); ++i) {
    Accelerator::Config c;
    c.params = config_.params.accelerator;
    c.rules = config_.params.aggregation;
    c.window = config_.params.flow_control.messages.window;
    c.checking = config_.params.link.check;
    c.format = frame_format();
    c.ports.assign(static_cast<std::size_t>(graph().node(racks_.leaf_accelerator(i)).ports), port(false));
    c.arena = arena();
    accelerators_.push_back(&add_device<Accelerator>(c, config_.accelerator_parts, pool()));
  }
}

void NetReducePlatform::set_rings() {
  for (int r = 0; r < racks_.racks && racks_.accelerators() != 0; ++r) {
    EthernetSwitch& leaf = ethernet_switch(static_cast<unsigned>(r));
    leaf.clear_rules();
    const auto from = accelerator_ports(racks_.accelerator_port(0), racks_.accelerator_ports);
    for (const RingManager::Detour& d : rings_.detours(r))
      leaf.add_rule(detour_rule(station(d.connection.from), station(d.connection.to), from, d.port));
    accelerator(static_cast<unsigned>(r)).begin(rings_.rings_of_leaf(r), config_.with_data);
  }
  for (int s = 0; s < racks_.spines && racks_.accelerators() != 0; ++s) {
    EthernetSwitch& spine = ethernet_switch(static_cast<unsigned>(racks_.racks + s));
    spine.clear_rules();
    for (int r = 0; r < racks_.racks; ++r) {
      AccessRule sums;  // sums of a rack, to the port that represents it
      sums.ports.reset().set(static_cast<std::size_t>(r));
      sums.destination = station(racks_.spine_station(s));
      sums.redirect = static_cast<unsigned>(racks_.spine_accelerator_port(r));
      spine.add_rule(sums);
    }
    accelerator(static_cast<unsigned>(racks_.racks + s)).begin(rings_.rings_of_spine(s), config_.with_data);
  }
}

// ---- overrides of Platform

void NetReducePlatform::reseed(std::uint64_t seed) {
  injectors_.reseed(seed);
  rings_.reseed(seed);
  for (EthernetHost* h : hosts_)
    if (h->datagrams() != nullptr) h->datagrams()->reseed(seed);
}

// A host waits at most for all frames of a job on the slowest link, each lost and sent again after as many timeouts as the
// NIC allows; for the additions of all operands at a server; and for transfers inside of another host.
Tick NetReducePlatform::longest_silence(std::uint64_t bytes) const {
  const NetReducePlatformParams& p = config_.params;
  const double hop =
      static_cast<double>(p.link.latency.value + p.link.uplink_latency.value + p.ethernet_switch.latency.value);
  const double host = static_cast<double>(p.nic.tx_latency.value + p.nic.rx_latency.value + p.nic.completion_latency.value +
                                          p.flow_control.turnaround.value);
  const double timeouts = static_cast<double>(p.nic.rto.value) * (p.nic.retry_count == 0 ? 3 : p.nic.retry_count + 1);
  const double all = static_cast<double>(bytes) * gpus();
  const double wire = service_time(2 * all, std::min(p.link.rate, p.host.inter_rate.value_or(p.link.rate)));
  const bool served = std::count(config_.roles.begin(), config_.roles.end(), HostRole::server) != 0;
  const double reduction = service_time(served ? static_cast<double>(bytes) * endpoints() : all, p.host.reduction_rate);
  const double hops = 2.0 * endpoints() * static_cast<double>(p.host.hop.value);  // twice round a ring
  const double inside = gpus() == 1 ? 0 : hops + service_time(all, p.host.intra_rate);
  return clamped(4 * hop + host + timeouts + wire + reduction + inside);
}

void NetReducePlatform::reset() {
  Platform::reset();
  for (EthernetHost* h : hosts_) h->nic().core().clear_queue_pairs();
  rings_.clear();
}

}  // namespace tributary
