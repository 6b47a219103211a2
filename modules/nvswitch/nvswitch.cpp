#include "modules/nvswitch/nvswitch.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "modules/base/host/wide.h"
#include "modules/base/text_format.h"

namespace tributary {
namespace {

unsigned flits_of(Bytes b) { return static_cast<unsigned>(b.value / NvLink::flit_bytes); }

/// Returns the flits that a link carries in that time, plus one packet, in whole flits.
unsigned covering_flits(Tick time, const LinkParams& link) {
  const auto carried = static_cast<Wide>(time) * link.rate.value / 1'000'000'000'000ull;
  return static_cast<unsigned>((static_cast<std::uint64_t>(carried) + NvLink::flit_bytes - 1) / NvLink::flit_bytes) +
         NvLink::max_packet_flits;
}

Bandwidth crossbar_rate(const NvSwitch::Config& c) {
  return bytes_per_second(
      static_cast<std::uint64_t>(std::llround(static_cast<double>(c.link.rate.value) * c.params.crossbar.speedup)));
}

SwitchConfig switch_config(const NvSwitch::Config& c) {
  SwitchConfig s;
  s.ports = c.ports;
  s.latency = c.params.latency.value;
  s.arbitration = c.params.crossbar.arbitration.value;
  s.port_rate = c.link.rate;
  s.crossbar_rate = crossbar_rate(c);
  s.virtual_output_queues = c.params.input_discipline == InputDiscipline::voq;
  s.crossbar_replicates = c.params.replication == Replication::crossbar;
  s.stage_queue_flits = c.params.table_queue ? flits_of(*c.params.table_queue) : output_queue_flits(c.params, c.link);
  s.replication_flits = flits_of(c.params.replication_buffer.bytes);
  return s;
}

/// The arbiter of a user, whose choices are checked.
class CheckedArbiter : public CrossbarArbiter {
 public:
  CheckedArbiter(std::string device, std::unique_ptr<CrossbarArbiter> own)
      : device_(std::move(device)), own_(std::move(own)) {}

  std::size_t choose(unsigned output, const std::vector<Request>& requests, Tick now) override {
    const std::size_t index = own_->choose(output, requests, now);
    if (index < requests.size()) return index;
    throw std::logic_error(device_ + ".arbiter breaks the rule `answer` at " + nanoseconds(now) +
                           " ns: it chooses request " + std::to_string(index) + " of " + std::to_string(requests.size()) +
                           " for output " + std::to_string(output));
  }
  void granted(unsigned output, const Request& request, Tick now) override { own_->granted(output, request, now); }
  void reset() override { own_->reset(); }
  void describe(ProbeDirectory& directory, const std::string& prefix) override { own_->describe(directory, prefix); }

 private:
  std::string device_;
  std::unique_ptr<CrossbarArbiter> own_;
};

std::unique_ptr<CrossbarArbiter> arbiter_of(const NvSwitch::Config& config, const std::string& device) {
  if (!config.make_arbiter) return nullptr;
  std::unique_ptr<CrossbarArbiter> own = config.make_arbiter(
      {device, config.ports, NvLink::vcs + 1, crossbar_rate(config), config.params.crossbar.arbitration.value});
  return own == nullptr ? nullptr : std::make_unique<CheckedArbiter>(device, std::move(own));
}

std::vector<TableAccess*> tables_of(const NvSwitch::Ports& ports) {
  std::vector<TableAccess*> tables;
  for (const auto& port : ports) tables.push_back(port.get());
  return tables;
}

}  // namespace

unsigned input_buffer_flits(const NvSwitchParams& p, const LinkParams& link) {
  if (p.input_buffer) return flits_of(*p.input_buffer);
  return covering_flits(p.latency.value + p.crossbar.arbitration.value + 2 * link.latency.value, link);
}

unsigned output_queue_flits(const NvSwitchParams& p, const LinkParams& link) {
  if (p.output_queue) return flits_of(*p.output_queue);
  return covering_flits(2 * (p.latency.value + link.latency.value), link);
}

NvSwitch::NvSwitch(const sc_core::sc_module_name& name, const Config& config, RouteTable routes)
    : CoreDevice(name, config.params.latency.value, config.link, config.arena),
      routes_(std::move(routes)),
      regions_(config.params.mcr_entries, config.ports),
      arbiter_(arbiter_of(config, this->name())),
      router_(config.make_router, {this->name(), config.ports}),
      ports_(make_ports(config)),
      forwarding_(config.forwarding, routes_, regions_, tables_of(ports_), router_ ? &router_ : nullptr) {
  std::vector<NvLinkPort*> links;
  for (const auto& p : ports_) links.push_back(&p->link);
  SwitchConfig core = switch_config(config);
  core.arbiter = arbiter_.get();
  core_ = std::make_unique<SwitchCore>(core, forwarding_, static_cast<LinkOutput&>(*this), set_ports(links));
}

NvSwitch::Ports NvSwitch::make_ports(const Config& config) {
  const ReductionTableParams& table = config.params.reduction_table;
  Ports ports;
  for (unsigned p = 0; p < config.ports; ++p) {
    const bool trunk = !has_port(config.forwarding.endpoint_ports, p);
    const Bytes bytes = trunk ? table.trunk_bytes.value_or(*table.bytes) : *table.bytes;
    NvSwitchPort::Config port;
    port.link = {config.link, config.far_buffer_flits.at(p), output_queue_flits(config.params, config.link)};
    port.link.arena = config.arena;
    port.table = {
        "", bytes.value, table.timeout.value, table.order == ReductionOrder::rank, config.link.rate, table.add_cycles};
    port.make_table = config.make_table;
    const std::string name = "port" + std::to_string(p);
    ports.push_back(config.make_port(name.c_str(), static_cast<LinkPortListener&>(*this), activation(), p, port));
    ports.back()->set_host(static_cast<AnswerHost&>(*this));
  }
  return ports;
}

Tick NvSwitch::run_core(Inbox& inbox, Tick horizon) {
  return core_->run_window(horizon, [&](auto& core) {
    inbox.take_packets(
        horizon, [&core](unsigned port, Packet* packet, Tick head, Tick tail) { core.accept(port, packet, head, tail); });
    for (const auto& port : ports_) port->link.prefetch_far();
  });
}

Tick NvSwitch::last_timeout() const {
  Tick last = 0;
  for (unsigned p = 0; p < ports_.size(); ++p)
    if (const Tick timeout = forwarding_.next_timeout(p); timeout != never) last = std::max(last, timeout);
  return last;
}

void NvSwitch::check_tables(ElementType type, ReduceOp op, unsigned operands) const {
  for (const auto& p : ports_) p->check_table(type, op, operands);
}

void NvSwitch::add_waiting(std::vector<std::string>& lines) const {
  for (unsigned p = 0; p < ports_.size(); ++p)
    for (const std::string& line : ports_[p]->waiting()) lines.push_back("port" + std::to_string(p) + "." + line);
  for (unsigned p = 0; p < forwarding_.ack_tables().size(); ++p)
    for (const std::string& entry : forwarding_.ack_tables()[p].waiting())
      lines.push_back("port" + std::to_string(p) + ".acks: " + entry);
}

void NvSwitch::count(std::map<std::string, double>& counters) const {
  counters["switch.crossbar_bytes"] += static_cast<double>(core_->crossed_flits() * NvLink::flit_bytes);
}

void NvSwitch::run_in_thread() {
  core_->keep_apart();
  start_thread();
}

void NvSwitch::reset() {
  CoreDevice::reset();
  forwarding_.reset();
  for (auto& p : ports_) p->reset();
}

void NvSwitch::describe(ProbeDirectory& directory) {
  CoreDevice::describe(directory);
  directory.add(std::string(name()) + ".tables.absorbed", forwarding_.absorbed, "a table accepts an operand", 0,
                nvlink_opcode_names);
  if (arbiter_ != nullptr) arbiter_->describe(directory, std::string(name()) + ".arbiter.");
  for (auto& p : ports_) p->describe(directory);
  for (unsigned p = 0; p < forwarding_.ack_tables().size(); ++p)
    forwarding_.ack_tables()[p].describe(directory, std::string(ports_[p]->name()) + ".acks.");
}

}  // namespace tributary
