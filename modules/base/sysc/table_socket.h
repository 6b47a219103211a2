#pragma once
/// Sockets between a device and its table: TLM-2.0 blocking transport, and the functions that a run requires of every
/// table.

#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/sysc/time_resolution.h"
#include "modules/base/sysc/wait_error.h"

namespace tributary {

template <class Transaction>
struct TableProtocol {
  using tlm_payload_type = Transaction;
  using tlm_phase_type = tlm::tlm_phase;
};

/// Device to table. b_transport(transaction, delay) answers an access immediately and never waits. It adds to `delay` the
/// latency of its answer beyond the nominal response time of the device, and to `transaction.timing.interval` the time
/// beyond the nominal interval until the table accepts the next request.
template <class Transaction>
class TableForward : public tlm::tlm_blocking_transport_if<Transaction> {
 public:
  using protocol_types = TableProtocol<Transaction>;

  /// Returns a line for each entry that waits; empty if the table is quiescent.
  virtual std::vector<std::string> waiting() const = 0;
  /// Restores the initial state and releases all contents.
  virtual void reset() = 0;
  /// Adds the table's probes; their names begin with `prefix`.
  virtual void describe(ProbeDirectory& directory, const std::string& prefix) = 0;
};

/// Table to device: no calls.
template <class Transaction>
class TableBackward : public virtual sc_core::sc_interface {
 public:
  using protocol_types = TableProtocol<Transaction>;
};

template <class Transaction>
using TableTarget = tlm::tlm_base_target_socket<32, TableForward<Transaction>, TableBackward<Transaction>>;

/// Socket of the device. Bind it to a TableTarget.
template <class Transaction>
class TableInitiator : public tlm::tlm_base_initiator_socket<32, TableForward<Transaction>, TableBackward<Transaction>> {
  using Base = tlm::tlm_base_initiator_socket<32, TableForward<Transaction>, TableBackward<Transaction>>;

 public:
  explicit TableInitiator(const char* name) : Base(name) {
    require_picoseconds();
    Base::bind(static_cast<TableBackward<Transaction>&>(silent_));
  }
  using Base::bind;

  /// Returns the latency of the answer beyond the nominal response time of the device, in ps. A table that calls wait() is
  /// reported as an error by the name of this socket.
  Tick access(Transaction& t) {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    try {
      table_->b_transport(t, delay);
    } catch (const sc_core::sc_report& report) {
      report_wait(report, "table", this->name());
    }
    return delay.value();
  }
  /// Returns the bound table; null before the simulation starts.
  TableForward<Transaction>* table() const { return table_; }

 private:
  void start_of_simulation() override {
    require_picoseconds();
    table_ = this->operator->();
  }

  struct Silent : TableBackward<Transaction> {
  } silent_;
  TableForward<Transaction>* table_ = nullptr;
};

/// Base of a table module, with its target socket.
template <class Transaction>
class TableModule : public sc_core::sc_module, public TableForward<Transaction> {
 public:
  TableTarget<Transaction> socket{"socket"};

 protected:
  explicit TableModule(const sc_core::sc_module_name& name) : sc_module(name) {
    require_picoseconds();
    socket.bind(static_cast<TableForward<Transaction>&>(*this));
  }
};

}  // namespace tributary
