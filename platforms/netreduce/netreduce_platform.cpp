#include "platforms/netreduce/netreduce_platform.h"

#include <algorithm>
#include <utility>

#include "platforms/netreduce/host_agents.h"
#include "platforms/netreduce/longest_silence.h"
#include "platforms/netreduce/platform_counters.h"
#include "platforms/netreduce/program_agent.h"

namespace tributary {

NetReducePlatform::NetReducePlatform(const sc_core::sc_module_name& name, const topology::Racks& racks, const Config& config,
                                     CompletionListener& listener)
    : Platform(name, racks.graph, EthernetPart::timing(config.params),
               framing_of<EthernetLink>(static_cast<unsigned>(config.params.nic.mtu.value)),
               topology::partition(racks.graph, config.lanes)),
      config_(config),
      gpus_(static_cast<unsigned>(racks.gpus)),
      devices_(racks, part_config(racks, listener), devices_of(part())) {
  wire(config.windowed);
  devices_.add_faults(graph());
}

NetReducePlatform::~NetReducePlatform() { NetReducePlatform::reset(); }

EthernetPart::Config NetReducePlatform::part_config(const topology::Racks& racks, CompletionListener& listener) {
  EthernetPart::Config c;
  c.params = config_.params;
  c.with_data = config_.with_data;
  c.seed = config_.seed;
  c.background = config_.background.has_value();
  c.faults = config_.faults;
  c.rank_of = config_.rank_of;
  c.accelerator_parts = config_.accelerator_parts;
  c.make_access_list = config_.make_access_list;
  c.make_router = config_.make_router;
  const auto hosts = static_cast<unsigned>(racks.all_hosts());
  c.parts_of_host = [this, hosts, &listener](unsigned host) { return parts_of_host(host, hosts, listener); };
  return c;
}

// ---- hosts: their agents, memory and connections

EthernetPart::HostParts NetReducePlatform::parts_of_host(unsigned host, unsigned hosts, CompletionListener& listener) {
  HostRole role = host < config_.roles.size() ? config_.roles[host] : HostRole::commands;
  if (gpus() > 1 && role != HostRole::server) role = HostRole::machine;
  EthernetPart::HostParts parts;
  parts.make_agent = [this, host, role, &listener](const char* name) {
    HostAgentParts made = make_host_agent(name, role, {config_.params, host, gpus()}, listener);
    agents_.push_back(made.programs);
    return std::move(made.module);
  };
  if (role == HostRole::flow_control || role == HostRole::machine)
    parts.queue_pairs = 2 * gpus();  // each GPU: one to its successor, one from its predecessor
  parts.datagrams = datagrams_of(host, hosts);
  return parts;
}

// ---- memory

std::byte* NetReducePlatform::memory_of(unsigned end) {
  std::byte* const memory = host(host_of(end)).memory().data();
  return memory == nullptr ? nullptr : memory + base_of(end);
}

void NetReducePlatform::reserve(std::uint64_t bytes) {
  stride_ = std::max(stride_, bytes);
  for (ProgramAgent* agent : agents_) agent->set_stride(stride_);
}

void NetReducePlatform::resize_memory(unsigned end, std::uint64_t bytes) {
  EthernetHost& h = host(host_of(end));
  const std::uint64_t all = gpus() == 1 ? bytes : gpus() * stride_;
  if (gpus() == 1 || h.memory().size() != all) h.resize_memory(all);
}

void NetReducePlatform::resize_server_memory(unsigned host, std::uint64_t bytes) {
  EthernetHost& h = this->host(host);
  if (h.memory().size() != bytes) h.resize_memory(bytes);
}

// ---- connections

NetReducePlatform::ConnectionNumbers NetReducePlatform::connect(unsigned from, unsigned to) {
  const unsigned host = host_of(from);
  if (host != host_of(to)) {
    const HostConnection c = rings().connect(static_cast<int>(host), static_cast<int>(host_of(to)));
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

// ---- background traffic

std::optional<DatagramSource::Config> NetReducePlatform::datagrams_of(unsigned host, unsigned hosts) const {
  if (!config_.background || hosts < 2) return std::nullopt;
  const HostBackground& b = *config_.background;
  DatagramSource::Config c;
  c.station = static_cast<std::uint16_t>(host);
  const std::optional<unsigned> target = b.target ? std::optional(host_of(static_cast<unsigned>(*b.target))) : std::nullopt;
  if (target == host) return std::nullopt;
  for (unsigned h = 0; h < hosts; ++h)
    if (target ? *target == h : h != host) c.destinations.push_back(static_cast<std::uint16_t>(h));
  const BackgroundParams& p = config_.params.background;
  const auto rate = static_cast<std::uint64_t>(static_cast<double>(config_.params.link.rate.value) * b.load);
  c.rate = bytes_per_second(std::max<std::uint64_t>(1, rate));
  c.payload = static_cast<unsigned>(p.payload.value);
  c.gaps = p.gaps;
  c.queue = p.queue;
  c.udp_port = static_cast<std::uint16_t>(RingManager::first_udp_port + host);
  c.seed = config_.seed;
  return c;
}

// ---- overrides of Platform

Tick NetReducePlatform::longest_silence(std::uint64_t bytes) const {
  SilenceEstimate estimate;
  estimate.endpoints = endpoints();
  estimate.gpus = gpus();
  estimate.switches = static_cast<unsigned>(devices_.switches().size());
  estimate.faults = static_cast<unsigned>(config_.faults.size());
  estimate.largest_frame = devices_.largest_frame();
  estimate.tree = racks().tree();
  estimate.background = devices_.hosts().front()->datagrams() != nullptr;
  estimate.served = std::count(config_.roles.begin(), config_.roles.end(), HostRole::server) != 0;
  return clamped(estimate.picoseconds(config_.params, bytes));
}

void NetReducePlatform::reset() {
  Platform::reset();
  devices_.reset();
}

CounterUnion NetReducePlatform::union_of(const std::string& counter) const { return union_of_network(counter); }

int NetReducePlatform::node_of(unsigned end) const { return graph().endpoints().at(host_of(end)); }

std::map<std::string, double> NetReducePlatform::counters() const {
  HostAdditions additions;
  for (const ProgramAgent* agent : agents_) additions += agent->additions();
  return counters_of(config_.params, devices_.hosts(), devices_.switches(), devices_.accelerators(),
                     {additions, config_.background.has_value(), config_.fallbacks});
}

}  // namespace tributary
