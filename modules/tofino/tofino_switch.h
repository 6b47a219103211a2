#pragma once
/// TofinoSwitch: a programmable switch that adds gradients, as a device (Liu et al., 6; docs/blocks/tofino.md).

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/sysc/table_socket.h"
#include "modules/ethernet/ethernet_device.h"
#include "modules/tofino/core/tofino_switch_core.h"

namespace tributary {

/// A table of the switch: its core as a module. It adds no time.
template <class Core, class Transaction>
class SwitchTable : public TableModule<Transaction> {
 public:
  SwitchTable(const sc_core::sc_module_name& name, const typename Core::Config& config)
      : TableModule<Transaction>(name), core(config) {}

  std::vector<std::string> waiting() const override { return core.waiting(); }
  void reset() override { core.reset(); }
  void describe(ProbeDirectory& directory, const std::string& prefix) override { core.describe(directory, prefix); }

  Core core;

 private:
  void b_transport(Transaction& t, sc_core::sc_time&) override { core.access(t); }
};
using PoolModule = SwitchTable<AggregationPool, PoolTransaction>;
using AggregatorModule = SwitchTable<HashedAggregators, AggregatorTransaction>;

// Instantiated once, in tofino_switch.cpp: sockets are dear to compile.
extern template class TableInitiator<PoolTransaction>;
extern template class TableInitiator<AggregatorTransaction>;
extern template class TableModule<PoolTransaction>;
extern template class TableModule<AggregatorTransaction>;
extern template class SwitchTable<AggregationPool, PoolTransaction>;
extern template class SwitchTable<HashedAggregators, AggregatorTransaction>;

/// Rules and times: TofinoSwitchCore. With SwitchML the pool is bound to `pool_socket`, with ATP the aggregators to
/// `aggregator_socket`; the other socket is bound to a table of one slot.
class TofinoSwitch : public EthernetDevice {
 public:
  struct Config {
    TofinoSwitchConfig core;  ///< its ports, their rate and the latency of a passage are set from `ports` and `latency`
    AggregationPool::Config pool;
    HashedAggregators::Config aggregators;
    Tick latency = 0;  ///< latency of a passage
    std::vector<PortConfig> ports;
    Arena arena{};
  };
  /// Creates the module at a socket, during elaboration. If it returns null, the user binds the socket.
  template <class Transaction, class TableConfig>
  using Factory = std::function<std::unique_ptr<TableModule<Transaction>>(const char* name, const TableConfig&)>;
  /// An empty factory creates the model's own table.
  struct Parts {
    Factory<PoolTransaction, AggregationPool::Config> pool = {};
    Factory<AggregatorTransaction, HashedAggregators::Config> aggregators = {};
  };

  TofinoSwitch(const sc_core::sc_module_name& name, const Config& config, const Parts& parts, PacketPool& pool);

  TableInitiator<PoolTransaction> pool_socket{"pool_socket"};
  TableInitiator<AggregatorTransaction> aggregator_socket{"aggregator_socket"};

  TofinoSwitchCore& core() { return *core_; }
  /// Initialises jobs: clears the tables and calls TofinoSwitchCore::begin().
  void begin(std::vector<AggregationGroup> groups);

 private:
  struct PoolPath : PoolPort {
    explicit PoolPath(TableInitiator<PoolTransaction>& s) : socket(s) {}
    Tick access(PoolTransaction& t) override { return socket.access(t); }
    TableInitiator<PoolTransaction>& socket;
  };
  struct AggregatorPath : AggregatorPort {
    explicit AggregatorPath(TableInitiator<AggregatorTransaction>& s) : socket(s) {}
    Tick access(AggregatorTransaction& t) override { return socket.access(t); }
    TableInitiator<AggregatorTransaction>& socket;
  };
  Tick run_core(Inbox& inbox, Tick horizon) override;
  std::vector<std::string> core_waiting() const override;
  void reset_core() override;
  void describe_core(ProbeDirectory& directory) override;

  PoolPath pool_path_{pool_socket};
  AggregatorPath aggregator_path_{aggregator_socket};
  std::unique_ptr<TableModule<PoolTransaction>> pool_;
  std::unique_ptr<TableModule<AggregatorTransaction>> aggregators_;
  std::unique_ptr<TofinoSwitchCore> core_;
};

}  // namespace tributary
