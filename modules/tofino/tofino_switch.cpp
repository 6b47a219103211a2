#include "modules/tofino/tofino_switch.h"

namespace tributary {
namespace {

TofinoSwitchConfig core_config(const TofinoSwitch::Config& config) {
  TofinoSwitchConfig core = config.core;
  core.passes.ports = static_cast<unsigned>(config.ports.size());
  core.passes.latency = config.latency;
  if (!config.ports.empty()) core.passes.rate = config.ports.front().rate;
  return core;
}

}  // namespace

template class TableInitiator<PoolTransaction>;
template class TableInitiator<AggregatorTransaction>;
template class TableModule<PoolTransaction>;
template class TableModule<AggregatorTransaction>;
template class SwitchTable<AggregationPool, PoolTransaction>;
template class SwitchTable<HashedAggregators, AggregatorTransaction>;

TofinoSwitch::TofinoSwitch(const sc_core::sc_module_name& name, const Config& config, const Parts& parts, PacketPool& pool)
    : EthernetDevice(name, config.latency, config.ports, pool, config.arena) {
  pool_ = parts.pool ? parts.pool("pool", config.pool) : std::make_unique<PoolModule>("pool", config.pool);
  aggregators_ = parts.aggregators ? parts.aggregators("aggregators", config.aggregators)
                                   : std::make_unique<AggregatorModule>("aggregators", config.aggregators);
  if (pool_ != nullptr) pool_socket.bind(pool_->socket);
  if (aggregators_ != nullptr) aggregator_socket.bind(aggregators_->socket);
  core_ = std::make_unique<TofinoSwitchCore>(core_config(config), links(), pool, pool_path_, aggregator_path_);
}

void TofinoSwitch::begin(std::vector<AggregationGroup> groups) {
  if (pool_socket.table() != nullptr) pool_socket.table()->reset();
  if (aggregator_socket.table() != nullptr) aggregator_socket.table()->reset();
  core_->begin(std::move(groups));
}

Tick TofinoSwitch::run_core(Inbox& inbox, Tick horizon) {
  inbox.take_packets(horizon,
                     [this](unsigned port, Packet* frame, Tick head, Tick tail) { core_->accept(port, frame, head, tail); });
  return core_->run(horizon, safe_times());
}

std::vector<std::string> TofinoSwitch::core_waiting() const {
  std::vector<std::string> lines = core_->waiting();
  const auto add = [&](const auto* table, const char* what) {
    if (table == nullptr) return;
    for (const std::string& line : table->waiting()) lines.push_back(std::string(what) + ": " + line);
  };
  add(pool_socket.table(), "pool");
  add(aggregator_socket.table(), "aggregators");
  return lines;
}

void TofinoSwitch::reset_core() {
  core_->reset();
  if (pool_socket.table() != nullptr) pool_socket.table()->reset();
  if (aggregator_socket.table() != nullptr) aggregator_socket.table()->reset();
}

void TofinoSwitch::describe_core(ProbeDirectory& directory) {
  const std::string prefix = std::string(name()) + ".";
  core_->describe(directory, prefix);
  if (pool_ != nullptr) pool_->describe(directory, prefix + "pool.");
  if (aggregators_ != nullptr) aggregators_->describe(directory, prefix + "aggregators.");
}

}  // namespace tributary
