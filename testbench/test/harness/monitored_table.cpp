#include "testbench/test/harness/monitored_table.h"

#include <algorithm>
#include <utility>

#include "modules/link/link_protocol.h"

namespace tributary {
namespace {

BlockMonitor::Setup setup_of(const ReductionTableConfig& config) {
  BlockMonitor::Setup setup{config.port + ".table", never, {}};
  setup.config.add("line_rate", FieldValue::Kind::number).number = config.line_rate.value;
  setup.config.add("rank_order", FieldValue::Kind::flag).number = config.rank_order ? 1 : 0;
  return setup;
}

}  // namespace

MonitoredTable::MonitoredTable(const sc_core::sc_module_name& name, const ReductionTableConfig& config,
                               std::unique_ptr<ReductionTableModule> table)
    : ReductionTableModule(name), monitor_(setup_of(config)), table_(std::move(table)) {
  monitor_.report_to([this](const BlockBreach& breach) { breaches_.push_back(breach); });
  out_.bind(table_->socket);
}

void MonitoredTable::b_transport(TableTransaction& t, sc_core::sc_time& delay) {
  ++calls_;
  const Tick kernel = kernel_now();
  if (t.now >= kernel) most_ahead_ = std::max(most_ahead_, t.now - kernel);
  if (t.now < kernel) most_behind_ = std::max(most_behind_, kernel - t.now);
  monitor_.ask(t, t.now);
  const Tick latency = out_.access(t);
  delay += to_sc_time(latency);
  monitor_.check(t, t.timing.interval, latency);
}

void MonitoredTable::finish() { monitor_.end(kernel_now(), true); }

void MonitoredTable::reset() {
  monitor_.reset();
  table_->reset();
}

ReductionTableFactory monitored(ReductionTableFactory make, std::vector<MonitoredTable*>& tables) {
  return [make = std::move(make), &tables](const char* name, const ReductionTableConfig& config) {
    auto table = std::make_unique<MonitoredTable>("monitor", config, make(name, config));
    tables.push_back(table.get());
    return table;
  };
}

std::string all_breaches(const std::vector<MonitoredTable*>& tables) {
  std::string text;
  for (MonitoredTable* table : tables) {
    table->finish();
    for (const BlockBreach& breach : table->breaches()) text += to_text(breach) + "\n";
  }
  return text;
}

}  // namespace tributary
