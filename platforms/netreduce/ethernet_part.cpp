#include "platforms/netreduce/ethernet_part.h"

#include <algorithm>
#include <utility>

#include "platforms/netreduce/rack_routes.h"

namespace tributary {
namespace {

using Racks = topology::Racks;

std::uint16_t station(int of) { return static_cast<std::uint16_t>(of); }

bool in_switch(const NetReducePlatformParams& p) { return p.accelerator.placement == AcceleratorPlacement::in_switch; }

/// Latency of the link between a switch and its accelerator: within a chip, one cycle.
Time accelerator_link(const NetReducePlatformParams& p) { return in_switch(p) ? p.accelerator.clock : p.link.latency; }

/// Time of a frame from an accelerator in its switch: within a chip, one cycle.
Time second_pass(const NetReducePlatformParams& p) {
  return in_switch(p) ? std::min(p.accelerator.clock, p.ethernet_switch.latency) : p.ethernet_switch.latency;
}

/// Time of a frame's head on a link: no effect of a device on another one is faster.
Tick shortest_hop(const NetReducePlatformParams& p) {
  Serializer wire(p.link.rate, EthernetLink::flit_bytes);
  return std::min({p.link.latency, p.link.uplink_latency, accelerator_link(p)}).value +
         wire.serve(0, EthernetLink::header_bytes);
}

Tick switch_delay(const NetReducePlatformParams& p) {
  const PfcParams& pfc = p.ethernet_switch.pfc;
  const Tick delay = std::min(p.ethernet_switch.latency, second_pass(p)).value;
  return pfc.on ? std::min(delay, pfc.reaction.value) : delay;
}

}  // namespace

PartTiming EthernetPart::timing(const NetReducePlatformParams& p) {
  return {shortest_hop(p), switch_delay(p), command_latency(p)};
}

EthernetPart::EthernetPart(topology::Racks racks, const Config& config, const PartDevices& devices)
    : racks_(std::move(racks)),
      config_(config),
      rings_(racks_,
             {config.params.flow_control.messages.window, config.params.flow_control.messages.message_packets,
              static_cast<unsigned>(config.params.nic.mtu.value), config.params.nic.ack_interval.value_or(256),
              config.params.nic.first_psn},
             config.seed),
      injectors_({config.faults, config.seed, config.params.flow_control.messages.message_packets, config.rank_of}) {
  add_hosts(devices);
  add_switches(devices);
  add_accelerators(devices);
}

EthernetDevice::PortConfig EthernetPart::port(Time latency) const {
  const NetReducePlatformParams& p = config_.params;
  return {p.link.rate, latency, p.ethernet_switch.pfc.on ? p.ethernet_switch.pfc.reaction.value : 0};
}

/// Ports and latencies of a switch: a leaf has hosts, its accelerator and spines, a spine has leaves and its accelerator.
void EthernetPart::add_ports(EthernetSwitch::Config& c, bool leaf, int ports) const {
  const NetReducePlatformParams& p = config_.params;
  for (int i = 0; i < ports; ++i) {
    const bool uplink = leaf ? i >= racks_.spine_port(0) : i < racks_.racks;
    const bool accelerator = !uplink && (!leaf || i >= racks_.accelerator_port(0));
    c.ports.push_back(port(uplink ? p.link.uplink_latency : accelerator ? accelerator_link(p) : p.link.latency));
    if (in_switch(p)) c.latencies.push_back((accelerator ? second_pass(p) : p.ethernet_switch.latency).value);
  }
}

FrameFormat EthernetPart::frame_format(const topology::Racks& racks, const NetReducePlatformParams& params) {
  FrameFormat format;
  format.addresses = AddressPlan(static_cast<unsigned>(racks.racks), static_cast<unsigned>(racks.hosts));
  format.message_packets = static_cast<std::uint16_t>(params.flow_control.messages.message_packets);
  return format;
}

// ---- hosts

void EthernetPart::add_hosts(const PartDevices& devices) {
  const NetReducePlatformParams& p = config_.params;
  for (unsigned h = 0; h < static_cast<unsigned>(racks_.all_hosts()); ++h) {
    const HostParts parts = config_.parts_of_host ? config_.parts_of_host(h) : HostParts();
    EthernetHost::Config c;
    c.nic = p.nic;
    c.port = port(p.link.latency);
    c.station = static_cast<std::uint16_t>(h);
    c.pausable = p.ethernet_switch.pfc.on;
    c.with_data = config_.with_data;
    c.feed = p.host.inter_rate;
    c.checking = p.link.check;
    c.format = frame_format();
    c.datagrams = parts.datagrams;
    c.queue_pairs = parts.queue_pairs;
    const int of = node(static_cast<int>(h));
    c.arena = devices.arena(of);
    hosts_.push_back(&devices.add<EthernetHost>(of, c, parts.make_agent, devices.pool(of)));
  }
}

void EthernetPart::join(const HostConnection& c) {
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

// ---- switches

std::bitset<max_ethernet_ports> EthernetPart::accelerator_ports(int first, int count) const {
  std::bitset<max_ethernet_ports> ports;
  for (int p = first; p < first + count; ++p) ports.set(static_cast<std::size_t>(p));
  return ports;
}

void EthernetPart::add_switches(const PartDevices& devices) {
  for (int i = 0; i < racks_.racks + racks_.spines; ++i) {
    const bool leaf = i < racks_.racks;
    const int node = leaf ? racks_.leaf(i) : racks_.spine(i - racks_.racks);
    EthernetSwitch::Config c;
    c.params = config_.params.ethernet_switch;
    add_ports(c, leaf, devices.graph().node(this->node(node)).ports);
    c.routes = leaf ? leaf_routes(racks_, i, config_.seed) : spine_routes(racks_, i - racks_.racks, config_.seed);
    c.largest_frame = largest_frame();
    c.seed = config_.seed + static_cast<std::uint64_t>(i);
    c.make_router = config_.make_router;
    c.make_access_list = config_.make_access_list;
    if (!c.make_access_list)
      c.make_access_list = [rules = c.params.access_rules](const char* list) {
        return std::make_unique<AccessList>(list, rules);
      };
    c.arena = devices.arena(this->node(node));
    switches_.push_back(&devices.add<EthernetSwitch>(this->node(node), c, devices.pool(this->node(node))));
  }
}

// ---- accelerators, and their job initialisation

void EthernetPart::add_accelerators(const PartDevices& devices) {
  for (int i = 0; i < racks_.accelerators(); ++i) {
    const int of = node(racks_.leaf_accelerator(i));
    Accelerator::Config c;
    c.params = config_.params.accelerator;
    if (in_switch(config_.params)) c.params.mac_cycles = 0;
    c.rules = config_.params.aggregation;
    c.shares = config_.params.admission == JobAdmission::share;
    c.window = config_.params.flow_control.messages.window;
    c.checking = config_.params.link.check;
    c.format = frame_format();
    c.ports.assign(static_cast<std::size_t>(devices.graph().node(of).ports), port(accelerator_link(config_.params)));
    if (config_.params.ethernet_switch.pfc.on) {
      c.pausing = AcceleratorCore::Pausing{
          accelerator_headroom(config_.params, largest_frame()), config_.params.ethernet_switch.pfc.resume.value, {}};
      c.pausing->quantum.assign(c.ports.size(), pause_quantum(config_.params.link.rate));
    }
    c.arena = devices.arena(of);
    accelerators_.push_back(&devices.add<Accelerator>(of, c, config_.accelerator_parts, devices.pool(of)));
  }
}

std::uint64_t EthernetPart::accelerator_headroom(const NetReducePlatformParams& p, unsigned largest_frame) {
  PfcPath path;
  path.rate = p.link.rate;
  path.link_latency = p.link.latency.value;
  path.reaction = p.ethernet_switch.pfc.reaction.value;
  path.switch_latency = AcceleratorCore::delay(p.accelerator) + p.accelerator.mac_cycles * p.accelerator.clock.value;
  path.largest_frame = largest_frame;
  path.cut_through = false;
  return pfc_headroom(path);
}

void EthernetPart::set_rings() {
  for (int r = 0; r < racks_.racks && racks_.accelerators() != 0; ++r) {
    EthernetSwitch& leaf = ethernet_switch(static_cast<unsigned>(r));
    leaf.clear_rules();
    const auto from = accelerator_ports(racks_.accelerator_port(0), racks_.accelerator_ports);
    const bool of_pairs = config_.params.access == AccessMatch::queue_pairs;
    const std::vector<AggregationRing> rings = rings_.rings_of_leaf(r);
    accelerator(static_cast<unsigned>(r)).begin(rings, config_.with_data);
    const bool answers = accelerator(static_cast<unsigned>(r)).core().pool() != nullptr;
    for (const RingManager::Detour& d : rings_.detours(r, of_pairs, answers)) {
      AccessRule rule = detour_rule(station(d.connection.from), station(d.connection.to), from, d.port);
      if (of_pairs) rule.queue_pair = RingManager::pair_number(d.connection.to_pair);
      leaf.add_rule(rule);
    }
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

unsigned EthernetPart::largest_frame(const NetReducePlatformParams& params, bool with_background) {
  const auto wire = [](FrameKind kind, Bytes payload) {
    return EthernetFrame::wire_bytes(kind, static_cast<unsigned>(payload.value));
  };
  const unsigned write = wire(FrameKind::write_only_immediate, params.nic.mtu);
  return with_background ? std::max(write, wire(FrameKind::datagram, params.background.payload)) : write;
}

// ---- runs

void EthernetPart::reseed(std::uint64_t seed) {
  injectors_.reseed(seed);
  rings_.reseed(seed);
  for (EthernetHost* h : hosts_)
    if (h->datagrams() != nullptr) h->datagrams()->reseed(seed);
}

void EthernetPart::reset() {
  for (EthernetHost* h : hosts_) h->nic().core().clear_queue_pairs();
  rings_.clear();
}

void EthernetPart::start_background(Tick t0) {
  for (EthernetHost* h : hosts_) {
    if (h->datagrams() == nullptr) continue;
    h->start_datagrams(t0);
    if (const auto& duration = config_.params.background.duration) h->datagrams()->stop(t0 + duration->value);
  }
}

void EthernetPart::stop_background(Tick end) {
  for (EthernetHost* h : hosts_)
    if (h->datagrams() != nullptr) h->datagrams()->stop(end);
}

// ---- faults of frames on links

EthernetDevice& EthernetPart::device(int node) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  if (node < racks_.leaf(0)) return *hosts_[at(node)];
  if (node < racks_.leaf_accelerator(0)) return *switches_[at(node - racks_.leaf(0))];
  return *accelerators_[at(node - racks_.leaf_accelerator(0))];
}

void EthernetPart::add_faults(const topology::Graph& graph) {
  const auto in_racks = [&](int node) { return node - config_.first_node; };
  const auto is_host = [&](int node) { return in_racks(node) < racks_.leaf(0); };
  for (const topology::Link& link : graph.links()) {
    if (!owns(link.a.node) || !owns(link.b.node)) continue;
    for (const auto& [from, to] : {std::pair{link.a, link.b}, std::pair{link.b, link.a}}) {
      FaultInjector::Config c;
      c.link = graph.name(from) + ">" + graph.name(to);
      c.index = injectors_.links();
      c.from_host = is_host(from.node);
      c.to_host = is_host(to.node);
      c.from_accelerator = in_racks(from.node) >= racks_.leaf_accelerator(0);
      c.loss_rate = config_.params.link.loss_rate;
      c.answer_loss_rate = config_.params.link.answer_loss_rate;
      c.bit_error_rate = config_.params.link.bit_error_rate;
      injectors_.add(device(in_racks(from.node)).links(), static_cast<unsigned>(from.port), c);
    }
  }
}

}  // namespace tributary
