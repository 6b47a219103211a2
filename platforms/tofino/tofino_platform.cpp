#include "platforms/tofino/tofino_platform.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "platforms/attempts.h"

namespace tributary {
namespace {

constexpr unsigned rdma_payload = 1024;  // bytes of a WRITE: a quarter in each of four pipelines

Platform::Timing timing(const TofinoPlatformParams& p) {
  Serializer wire(p.link.rate, EthernetLink::flit_bytes);
  return {p.link.latency.value + wire.serve(0, EthernetLink::header_bytes),
          std::min(p.tofino_switch.latency, p.host.rx_latency).value, TofinoPlatform::command_latency(p)};
}

PacketFraming framing(const TofinoScheme& s) {
  return framing_of<EthernetLink>(update_header_bytes(s.scheme) + s.worker.payload);
}

FaultScript fault_script(const TofinoPlatform::Config& config) {
  FaultScript script;
  script.rules = config.faults;
  script.seed = config.seed;
  return script;
}

}  // namespace

TofinoScheme TofinoScheme::of(AggregationScheme scheme, const TofinoPlatformParams& p) {
  TofinoScheme s;
  s.scheme = s.worker.scheme = scheme;
  TofinoWorkerConfig& w = s.worker;
  w.send_latency = p.host.tx_latency.value;
  w.receive_latency = p.host.rx_latency.value;
  w.shared_exponent = scheme != AggregationScheme::atp && p.switchml.scaling == Scaling::shared_exponent;
  w.scale = p.switchml.scale;
  switch (scheme) {
    case AggregationScheme::switchml:
      w.payload = static_cast<unsigned>(p.switchml.payload.value);
      w.slots = p.tofino_switch.slots;
      w.queue = p.switchml.queue;
      w.timeout = p.switchml.timeout.value;
      w.packet_time = p.switchml.packet_time.value;
      break;
    case AggregationScheme::switchml_rdma:
      w.payload = rdma_payload;
      w.slots = w.queue = std::min(p.switchml_rdma.window, p.tofino_switch.slots);
      w.timeout = p.switchml_rdma.timeout.value;
      w.receive_latency += p.switchml_rdma.turnaround.value;
      s.chained = p.tofino_switch.pipelines;
      break;
    case AggregationScheme::atp:
      w.payload = static_cast<unsigned>(p.atp.payload.value);
      w.slots = p.atp.window;
      w.queue = p.atp.queue;
      w.timeout = p.atp.timeout.value;
      w.packet_time = p.atp.packet_time.value;
      w.scale = p.atp.scale;
      w.index = p.atp.index;
      w.aggregators = p.atp.aggregators;
      s.ecn_delay = p.atp.ecn_delay.value;
      break;
  }
  return s;
}

PassScheduler::Config TofinoScheme::passes(unsigned ports, const TofinoPlatformParams& p) const {
  PassScheduler::Config c;
  c.stages = p.tofino_switch.stages;
  c.registers = p.tofino_switch.registers;
  c.pipelines = p.tofino_switch.pipelines;
  c.ports_per_pipeline = p.tofino_switch.ports_per_pipeline;
  c.chained = chained;
  c.rate = p.link.rate;
  c.ports = ports;
  c.latency = p.tofino_switch.latency.value;
  return c;
}

TofinoPlatform::TofinoPlatform(const sc_core::sc_module_name& name, topology::Tofino machine, const Config& config,
                               CompletionListener& listener)
    : Platform(name, machine.graph, timing(config.params), framing(TofinoScheme::of(config.scheme, config.params)),
               topology::partition(machine.graph, config.lanes)),
      machine_(std::move(machine)),
      config_(config),
      scheme_(TofinoScheme::of(config.scheme, config.params)),
      injectors_(fault_script(config)),
      memories_(static_cast<std::size_t>(machine_.hosts)) {
  if (machine_.server != (config.scheme == AggregationScheme::atp))
    throw std::invalid_argument("ATP needs a parameter server, and no other scheme may have one");
  add_workers(listener);
  if (machine_.server) add_server();
  add_switch();
  wire(config.windowed);
  add_faults();
}

TofinoPlatform::~TofinoPlatform() { Platform::reset(); }

void TofinoPlatform::add_workers(CompletionListener& listener) {
  for (unsigned h = 0; h < static_cast<unsigned>(machine_.hosts); ++h) {
    TofinoWorker::Config c;
    c.core = scheme_.worker;
    c.core.station = station(static_cast<int>(h));
    c.core.destination = station(machine_.server ? machine_.server_node() : machine_.switch_node());
    c.port = port();
    c.arena = arena(static_cast<int>(h));
    workers_.push_back(&add_device<TofinoWorker>(c, pool(static_cast<int>(h))));
    workers_.back()->on_end([h, &listener](Tick when, const std::string& why) {
      if (why.empty())
        listener.done(h, when);
      else
        listener.bad_value(h, when, why);  // a worker fails for no other reason
    });
  }
}

void TofinoPlatform::add_server() {
  const AtpParams& atp = config_.params.atp;
  TofinoServer::Config c;
  c.core.server = {config_.workers, atp.window, scheme_.worker.payload / 4, atp.scale, config_.with_data};
  c.core.station = station(machine_.server_node());
  c.core.switch_station = station(machine_.switch_node());
  c.core.packet_time = atp.packet_time.value;
  c.core.send_latency = config_.params.host.tx_latency.value;
  c.core.receive_latency = config_.params.host.rx_latency.value;
  c.port = port();
  c.arena = arena(machine_.server_node());
  server_ = &add_device<TofinoServer>(c, pool(machine_.server_node()));
}

void TofinoPlatform::add_switch() {
  const auto ports = static_cast<unsigned>(machine_.ports());
  const unsigned values = scheme_.worker.payload / 4;
  const bool atp = machine_.server;
  TofinoSwitch::Config c;
  c.core.scheme = config_.scheme;
  c.core.passes = scheme_.passes(ports, config_.params);
  c.core.payload = scheme_.worker.payload;
  c.core.ecn_delay = scheme_.ecn_delay;
  c.core.station = station(machine_.switch_node());
  for (int p = 0; p < machine_.ports(); ++p) c.core.stations.push_back(station(p));
  c.pool = {atp ? 1 : config_.params.tofino_switch.slots, config_.workers, values, config_.with_data};
  c.aggregators = {atp ? config_.params.atp.aggregators : 1, values, config_.with_data};
  c.latency = config_.params.tofino_switch.latency.value;
  c.ports.assign(ports, port());
  c.arena = arena(machine_.switch_node());
  switch_ = &add_device<TofinoSwitch>(c, config_.switch_parts, pool(machine_.switch_node()));
}

EthernetDevice& TofinoPlatform::device(int node) {
  if (node < machine_.hosts) return *workers_[static_cast<std::size_t>(node)];
  if (node == machine_.switch_node()) return *switch_;
  return *server_;
}

void TofinoPlatform::add_faults() {
  for (const topology::Link& link : graph().links())
    for (const auto& [from, to] : {std::pair{link.a, link.b}, std::pair{link.b, link.a}}) {
      FaultInjector::Config c;
      c.link = graph().name(from) + ">" + graph().name(to);
      c.index = injectors_.links();
      c.from_host = from.node != machine_.switch_node();
      c.to_host = to.node != machine_.switch_node();
      c.loss_rate = config_.params.link.loss_rate;
      c.bit_error_rate = config_.params.link.bit_error_rate;
      injectors_.add(device(from.node).links(), device_port(from), c);
    }
}

void TofinoPlatform::begin_job(const std::vector<int>& hosts) {
  AggregationGroup group;
  for (const int h : hosts) group.workers.push_back(static_cast<unsigned>(h));
  if (machine_.server) group.server = static_cast<unsigned>(machine_.server_node());
  switch_->begin({group});
}

std::map<std::string, double> TofinoPlatform::counters() const {
  std::uint64_t resent = 0;
  double round_trips = 0, packets = 0, memory = 0;
  for (const TofinoWorker* w : workers_) {
    const SlotWindow& window = w->core().window();
    resent += window.resendings();
    round_trips += window.mean_round_trip() * window.done();
    packets += window.done();
    memory += static_cast<double>(w->core().memory_bytes());
  }
  const TofinoSwitchCore::Counters& passed = switch_->core().counters();
  const std::uint64_t at_server = server_ == nullptr ? 0 : server_->core().server().added_values();
  return {{"worker.resent", static_cast<double>(resent)},
          {"worker.round_trip_ns.mean", packets == 0 ? 0 : round_trips / packets * 1e-3},
          {"worker.memory_bytes", memory},
          {"switch.passages", static_cast<double>(passed.passages)},
          {"switch.passage_bytes", static_cast<double>(passed.passage_bytes)},
          {"switch.register_accesses", static_cast<double>(passed.register_accesses)},
          {"switch.added_elements", static_cast<double>(passed.added_elements)},
          {"server.added_elements", static_cast<double>(at_server)}};
}

void TofinoPlatform::resize_memory(unsigned end, std::uint64_t bytes) {
  LargeBuffer& memory = memories_.at(end);
  memory = bytes == 0 ? nullptr : make_large_buffer(bytes);
  workers_[end]->set_memory(memory.get());
}

/// Returns the number of timeouts in a row that a packet may see: all workers must get theirs to the switch or the server,
/// and a result back.
double TofinoPlatform::most_timeouts() const {
  const TofinoLinkParams& link = config_.params.link;
  constexpr double at_least = 2, headers = 128;
  const double links = machine_.server ? 4 : 2;
  const double through = std::pow(crossing(link.loss_rate, link.bit_error_rate, scheme_.worker.payload + headers), links);
  return std::max(at_least, 2 * attempts(through, config_.workers)) + static_cast<double>(config_.faults.size());
}

// A worker waits for others at most until all packets of a window, each lost and sent again as often as is likely, have
// arrived. The software of the server handles the packets of all workers.
Tick TofinoPlatform::longest_silence(std::uint64_t bytes) const {
  const TofinoPlatformParams& p = config_.params;
  const TofinoWorkerConfig& w = scheme_.worker;
  const double host = 2 * static_cast<double>(w.send_latency + w.receive_latency);
  const auto values = static_cast<double>(w.payload / 4);  // of a packet, four bytes each
  const double passes = 8.0 * static_cast<double>(p.tofino_switch.latency.value) * (1 + values);
  const double software = static_cast<double>(w.packet_time) * w.slots * (machine_.server ? 1 + config_.workers : 1);
  const double timeouts = static_cast<double>(w.timeout) * most_timeouts();
  const double wire = service_time(4.0 * static_cast<double>(bytes), p.link.rate);
  return clamped(host + passes + 4 * static_cast<double>(p.link.latency.value) + software + timeouts + wire);
}

}  // namespace tributary
