#include "platforms/schedule_nic/schedule_nic_platform.h"

#include <algorithm>
#include <stdexcept>

namespace tributary {
namespace {

using topology::Network;
using topology::PortRef;

/// True if the hop closes a ring, i.e. leads from one edge of the grid to the other.
bool wraps(const topology::Grid& grid, PortRef hop) {
  const int to = grid.neighbour(hop.node, grid.direction(hop.port));
  const int rows = std::abs(to / grid.columns - hop.node / grid.columns);
  const int columns = std::abs(to % grid.columns - hop.node % grid.columns);
  return rows > 1 || columns > 1;
}

std::uint8_t dateline_vc(const topology::Grid& grid, const std::vector<PortRef>& route) {
  if (!grid.wrap || route.size() < 2 || route[1].port != route[0].port) return RouterHop::any;
  if (wraps(grid, route[0])) return 1;
  for (std::size_t i = 1; i < route.size() && route[i].port == route[0].port; ++i)
    if (wraps(grid, route[i])) return 0;
  return 1;
}

/// Per port: mask of the ports from which packets enter that go straight on.
std::vector<std::uint64_t> straight_on(const topology::Grid& grid, const std::map<int, unsigned>& port) {
  const auto direction = [&](int in_graph) { return static_cast<unsigned>(grid.direction(in_graph)); };
  std::vector<std::uint64_t> pinned(port.size());
  for (const auto& [in_graph, output] : port)
    for (const auto& [other, input] : port)
      if (direction(in_graph) == (direction(other) ^ 1u)) pinned[output] |= port_bit(input);
  return pinned;
}

/// Per port: mask of the ports from which packets enter that go from switch to switch.
std::vector<std::uint64_t> from_switches(const std::map<int, unsigned>& port, int nics) {
  PortMask switches = 0;
  for (const auto& [in_graph, input] : port)
    if (in_graph >= nics) switches |= port_bit(input);
  std::vector<std::uint64_t> pinned(port.size());
  for (const auto& [in_graph, output] : port)
    if (in_graph >= nics) pinned[output] = switches;
  return pinned;
}

/// Returns the interfaces of a node with `links` links.
unsigned interfaces_of(const topology::Node& node, unsigned links, const NetworkParams& params) {
  if (node.kind == topology::NodeKind::switch_node) return 0;
  return std::min(params.nic.interfaces.count.value_or(links), links);
}

/// Throws std::invalid_argument if a node has more links and interfaces than a router has inputs.
void check_links(const Network& network, const NetworkParams& params) {
  for (int n = 0; n < static_cast<int>(network.graph.nodes().size()); ++n) {
    const topology::Node& node = network.graph.node(n);
    unsigned links = 0;
    for (int port = 0; port < node.ports; ++port) links += network.graph.peer({n, port}) ? 1 : 0;
    if (links + interfaces_of(node, links, params) > max_router_inputs)
      throw std::invalid_argument(network.name + ": " + node.name + " has " + std::to_string(links) +
                                  " links (legal: a switch has at most " + std::to_string(max_router_inputs) +
                                  ", a NIC with its router " + std::to_string(max_router_inputs / 2) +
                                  " and the same number of interfaces)");
  }
}

/// Returns the number of NICs of a switch, which are at its first ports.
int nics_of(const Network& network, int node) {
  int nics = 0;
  while (nics < network.graph.node(node).ports && network.graph.peer({node, nics})->node < network.size()) ++nics;
  return nics;
}

}  // namespace

RouterRoutes router_routes(const Network& network, const topology::PacketRoutes& routes, int node,
                           const std::map<int, unsigned>& port) {
  const bool two_hops = network.bigraph.has_value() || network.ordered_hops;  // at most two hops between switches
  RouterRoutes table;
  table.to.resize(static_cast<std::size_t>(network.size()));
  for (int to = 0; to < network.size(); ++to) {
    if (to == node) continue;
    const std::vector<PortRef> route = routes.route(node, to);
    RouterHop& hop = table.to[static_cast<std::size_t>(to)];
    hop.port = static_cast<std::uint8_t>(port.at(route.front().port));
    if (network.grid) hop.vc = dateline_vc(*network.grid, route);
    if (two_hops && node >= network.size() && route.size() == 3) hop.vc = 0;
  }
  if (network.grid && network.grid->wrap)
    table.pinned = straight_on(*network.grid, port);
  else if (two_hops && node >= network.size())
    table.pinned = from_switches(port, network.bigraph ? network.bigraph->nics : nics_of(network, node));
  if (network.grid) {
    table.ports.resize(static_cast<std::size_t>(network.grid->ports()) + 1, RouterHop::eject);
    for (const auto& [in_graph, output] : port)
      table.ports[static_cast<std::size_t>(in_graph)] = static_cast<std::uint8_t>(output);
  }
  return table;
}

ScheduleNicPlatform::ScheduleNicPlatform(const sc_core::sc_module_name& name, const Network& network, const Config& config,
                                         CompletionListener& listener)
    : Platform(name, network.graph,
               {config.params.link.latency.value, config.params.router.latency.value, command_latency(config.params)},
               framing_of<ScheduleNicLink>(static_cast<unsigned>(config.params.flow_control.payload.value)),
               topology::partition(network.graph, config.lanes)),
      network_(network),
      schedule_network_(schedule_network(network, config.params)),
      config_(config),
      views_(lanes()) {
  const NetworkLinkParams& link = config.params.link;
  if (link.y_rate) network_.y_speed = static_cast<double>(link.y_rate->value) / static_cast<double>(link.rate.value);
  const topology::PacketRoutes routes(network_);
  for (int n = 0; n < static_cast<int>(network_.graph.nodes().size()); ++n) make_node(n, routes, listener);
  wire(config.windowed);
}

Tick ScheduleNicPlatform::cycles_of(PortRef port) const {
  return static_cast<Tick>(config_.cycles.at(static_cast<std::size_t>(port.node)).at(static_cast<std::size_t>(port.port)));
}

ScheduleNicPlatform::~ScheduleNicPlatform() { ScheduleNicPlatform::reset(); }

void ScheduleNicPlatform::make_node(int n, const topology::PacketRoutes& routes, CompletionListener& listener) {
  const topology::Node& node = network_.graph.node(n);
  const NetworkParams& p = config_.params;
  NetworkNode::Config c;
  Router::Config& r = c.router;
  r.link.rate = p.link.rate, r.link.latency = p.link.latency;
  std::map<int, unsigned>& ports = ports_.emplace_back();
  for (int port = 0; port < node.ports; ++port)
    if (network_.graph.peer({n, port})) {
      ports.emplace(port, r.core.ports++);
      r.core.port_names.push_back("port" + std::to_string(port));
      if (p.link.y_rate) r.core.rates.push_back(rate_of(port));
      if (!config_.cycles.empty()) r.latencies.push_back(p.link.latency.value * cycles_of({n, port}));
    }
  const bool alone = node.kind == topology::NodeKind::nic;
  r.core.interfaces = interfaces_of(node, r.core.ports, p);
  r.core.latency = alone ? 0 : p.router.latency.value;
  r.core.rate = p.link.rate;
  r.core.flit_credits = p.router.credits == CreditReturn::flit;
  r.core.routes = router_routes(network_, routes, n, ports), r.core.routes.rows = rows_;
  r.max_flits = Segmentation(p.flow_control).largest();
  r.buffer_flits = p.router.buffer_flits;
  if (r.core.interfaces != 0) {
    NicCore::Config& nic = c.nic.emplace();
    nic.schedule = {static_cast<std::uint16_t>(n), p.nic, unit_rate(p), p.flow_control};
    nic.table_entries = nic.schedule.table_rows = *p.nic.table.entries;
    c.parts = config_.parts;
    nic.with_data = config_.with_data;
    nic.steps = config_.steps;
    set_interfaces(n, r.core, nic);
  }
  c.router.arena = arena(n);
  nodes_.push_back(&add_device<NetworkNode>(c, pool(n), views_[lane(n)], listener));
}

Network ScheduleNicPlatform::schedule_network(const Network& network, const NetworkParams& params) {
  check_links(network, params);
  if (!params.link.y_rate) return network;
  const std::uint64_t x = params.link.rate.value, y = params.link.y_rate->value, unit = unit_rate(params).value;
  if (!network.grid) throw std::invalid_argument(network.name + " has no Y links (schedule_nic.link.y_rate)");
  const topology::Grid& grid = *network.grid;
  const std::uint64_t x_units = x / unit * static_cast<std::uint64_t>(grid.x_links),
                      y_units = y / unit * static_cast<std::uint64_t>(grid.y_links);
  if (x % unit != 0 || y % unit != 0 || x_units > 8 || y_units > 8)
    throw std::invalid_argument("schedule_nic.link.y_rate=" + to_string(*params.link.y_rate) +
                                " with schedule_nic.link.rate=" + to_string(params.link.rate) +
                                " (legal: an integer multiple or fraction of it, with parallel links at most 8 units)");
  return topology::network(network.name.substr(0, network.name.find(':', network.name.find(':') + 1)),
                           {static_cast<int>(x_units), static_cast<int>(y_units)});
}

Bandwidth ScheduleNicPlatform::rate_of(int port) const {
  const NetworkLinkParams& link = config_.params.link;
  return link.y_rate && port < 2 * network_.grid->y_links ? *link.y_rate : link.rate;
}

/// Links share the interfaces in turn. An interface is as fast as its fastest link, and the number of chunks it sends
/// simultaneously is its bandwidth divided by that of a link.
void ScheduleNicPlatform::set_interfaces(int n, RouterConfig& router, NicCore::Config& nic) const {
  const NetworkParams& p = config_.params;
  const auto interface_of = [&](std::uint8_t port) {
    return static_cast<std::uint8_t>(port == RouterHop::eject ? 0 : port % router.interfaces);
  };
  nic.interfaces = router.interfaces;
  for (const RouterHop& hop : router.routes.to) nic.interface_of.push_back(interface_of(hop.port));
  for (const std::uint8_t port : router.routes.ports) nic.interface_of_port.push_back(interface_of(port));
  if (p.nic.interfaces.rate || p.link.y_rate) {
    std::vector<Bandwidth> rates(router.interfaces, p.nic.interfaces.rate.value_or(unit_rate(p)));
    for (unsigned port = 0; port < router.ports && !p.nic.interfaces.rate; ++port)
      rates[port % router.interfaces] = std::max(rates[port % router.interfaces], router.rates[port]);
    router.rates.resize(router.ports, p.link.rate);
    router.rates.insert(router.rates.end(), rates.begin(), rates.end());
    const auto fastest = *std::max_element(rates.begin(), rates.end());
    const std::uint64_t links = (router.ports + router.interfaces - 1) / router.interfaces;
    nic.channels = static_cast<unsigned>(std::clamp<std::uint64_t>(fastest.value / unit_rate(p).value, 1, links));
  }
  if (!network_.grid) return;
  nic.sender_of_port.resize(router.routes.ports.size());
  for (const auto& [port, device] : ports_[static_cast<std::size_t>(n)]) {
    const PortRef peer = *network_.graph.peer({n, port});
    nic.sender_of_port[static_cast<std::size_t>(peer.port)] = static_cast<std::uint16_t>(peer.node);
  }
  if (!p.link.y_rate) return;
  for (int port = 0; port < network_.grid->ports(); ++port) nic.rate_of_port.push_back(rate_of(port));
  for (const RouterHop& hop : router.routes.to)
    nic.rate_to.push_back(hop.port == RouterHop::eject ? p.link.rate : router.rates[hop.port]);
}

int ScheduleNicPlatform::row_children(const Network& network, const NetworkParams& params) {
  std::vector<std::uint64_t> links(static_cast<std::size_t>(network.size()), 0), rates(links);
  const auto count = [&](PortRef end) {
    if (end.node >= network.size()) return;
    const bool y = params.link.y_rate && network.grid && end.port < 2 * network.grid->y_links;
    ++links[static_cast<std::size_t>(end.node)];
    rates[static_cast<std::size_t>(end.node)] += (y ? *params.link.y_rate : params.link.rate).value;
  };
  for (const topology::Link& link : network.graph.links()) count(link.a), count(link.b);
  const std::uint64_t most = *std::max_element(links.begin(), links.end());
  const NicInterfaceParams& i = params.nic.interfaces;
  const std::uint64_t interfaces = std::min<std::uint64_t>(i.count.value_or(most), most);
  const std::uint64_t fastest = std::max(params.link.rate, params.link.y_rate.value_or(params.link.rate)).value;
  const std::uint64_t all =
      i.rate ? interfaces * i.rate->value : std::min(interfaces * fastest, *std::max_element(rates.begin(), rates.end()));
  return static_cast<int>(std::clamp<std::uint64_t>(all / unit_rate(params).value, 1, 4));
}

PortRef ScheduleNicPlatform::port_of_unit(PortRef unit) const {
  if (!network_.grid) return unit;
  const topology::Grid &units = *schedule_network_.grid, &grid = *network_.grid;
  const topology::Direction direction = units.direction(unit.port);
  const int units_of_a_link = units.links(direction) / grid.links(direction);
  return {unit.node, grid.port(direction, (unit.port - units.port(direction)) / units_of_a_link)};
}

SourceRoute ScheduleNicPlatform::source_route(const std::vector<PortRef>& hops) const {
  if (network_.grid)
    return SourceRoute::to(
        {static_cast<std::uint8_t>(port_of_unit(hops.at(0)).port), static_cast<std::uint8_t>(network_.grid->ports())});
  std::vector<unsigned> ports;
  ports.reserve(hops.size());
  for (const PortRef& hop : hops) ports.push_back(device_port(hop));
  return rows_->route(ports);
}

// Delivered data waits for the reduction unit, the lockstep, the table, its decoder and a memory, each after the
// node's earlier work. Packets then cross the network hop by hop, each with a round trip of credits.
Tick ScheduleNicPlatform::longest_silence(std::uint64_t bytes) const {
  const NetworkParams& p = config_.params;
  constexpr double smallest_element = 2;
  const double entries = *p.nic.table.entries;
  double traffic = 0;  // traffic of the busiest node: all of its data over each of its links, in and out
  for (const std::map<int, unsigned>& ports : ports_)
    traffic = std::max(traffic, 2.0 * static_cast<double>(ports.size()) * static_cast<double>(bytes));
  const double packet = service_time(Segmentation(p.flow_control).largest() * ScheduleNicLink::flit_bytes, unit_rate(p));
  double longest = 1;
  for (const std::vector<int>& ports : config_.cycles)
    for (const int cycles : ports) longest = std::max<double>(longest, cycles);
  const double hop =
      2.0 * longest * static_cast<double>(p.link.latency.value) + static_cast<double>(p.router.latency.value) + 2 * packet;
  const ReductionUnitParams& unit = p.nic.reduction;
  const double passes = traffic / smallest_element / unit.units / unit.width + entries;
  const double reduction = passes * unit.cycles * static_cast<double>(p.nic.clock.value);
  const double memory = p.nic.memory.rate ? service_time(traffic, *p.nic.memory.rate) : 0;
  const double decoder = entries * static_cast<double>(p.nic.issue_interval.value + p.nic.table.read.value);
  const double path = topology::diameter(network_.graph) * hop +
                      static_cast<double>(p.nic.memory.latency.value + p.nic.reduction.latency.value);
  const Bandwidth interface = p.nic.interfaces.rate.value_or(p.link.rate);
  const double wire = service_time(traffic, std::min(unit_rate(p), interface));
  return clamped(path + reduction + memory + decoder + wire);
}

std::map<std::string, double> ScheduleNicPlatform::counters() const {
  NicCore::Traffic sum;
  std::uint64_t added = 0, rows = 0, crossed = 0;
  for (NetworkNode* const node : nodes_) crossed += node->router().core().crossed_flits();
  for (unsigned n = 0; n < endpoints(); ++n) {
    if (!owns(n)) continue;  // a NIC of another process has read its first rows, because its work was posted here, too
    sum.reads += nodes_[n]->nic()->core().traffic().reads;
    sum.writes += nodes_[n]->nic()->core().traffic().writes;
    added += nodes_[n]->nic()->core().added_elements();
    rows += nodes_[n]->nic()->core().table_reads();
  }
  return {{"nic.packets_read", static_cast<double>(sum.reads)},
          {"nic.packets_written", static_cast<double>(sum.writes)},
          {"nic.added_elements", static_cast<double>(added)},
          {"nic.table_reads", static_cast<double>(rows)},
          {"router.buffer_bytes", static_cast<double>(crossed * ScheduleNicLink::flit_bytes)}};
}

void ScheduleNicPlatform::reset() {
  Platform::reset();
  for (PayloadViews& views : views_) views.reset();
}

}  // namespace tributary
