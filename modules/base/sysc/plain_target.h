#pragma once
/// plain_target(), plain_initiator(): adapters between the sockets of tables and standard sockets of TLM-2.0, so that
/// convenience sockets, recorders and monitors bind there.

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "modules/base/sysc/table_socket.h"

namespace tributary {

/// A table that passes each transaction to a standard socket. Requests of a run (`waiting`, `reset`, `describe`) go to
/// `table`, if there is one; otherwise nothing waits, and there are no probes.
template <class Transaction>
class PlainTarget : public TableModule<Transaction>, private tlm::tlm_bw_transport_if<TableProtocol<Transaction>> {
 public:
  tlm::tlm_initiator_socket<32, TableProtocol<Transaction>> out{"out"};

  explicit PlainTarget(const sc_core::sc_module_name& name, TableForward<Transaction>* table = nullptr)
      : TableModule<Transaction>(name), table_(table) {
    out.bind(static_cast<tlm::tlm_bw_transport_if<TableProtocol<Transaction>>&>(*this));
  }

  std::vector<std::string> waiting() const override {
    return table_ == nullptr ? std::vector<std::string>{} : table_->waiting();
  }
  void reset() override {
    if (table_ != nullptr) table_->reset();
  }
  void describe(ProbeDirectory& directory, const std::string& prefix) override {
    if (table_ != nullptr) table_->describe(directory, prefix);
  }

 private:
  void b_transport(Transaction& t, sc_core::sc_time& delay) override { out->b_transport(t, delay); }
  tlm::tlm_sync_enum nb_transport_bw(Transaction&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  TableForward<Transaction>* table_;
};

/// A standard socket that passes each transaction to the table that is bound to `out`.
template <class Transaction>
class PlainInitiator : public sc_core::sc_module, private tlm::tlm_fw_transport_if<TableProtocol<Transaction>> {
 public:
  tlm::tlm_target_socket<32, TableProtocol<Transaction>> in{"in"};
  TableInitiator<Transaction> out{"out"};

  explicit PlainInitiator(const sc_core::sc_module_name& name) : sc_module(name) {
    in.bind(static_cast<tlm::tlm_fw_transport_if<TableProtocol<Transaction>>&>(*this));
  }

 private:
  void b_transport(Transaction& t, sc_core::sc_time& delay) override { out->b_transport(t, delay); }
  tlm::tlm_sync_enum nb_transport_fw(Transaction&, tlm::tlm_phase&, sc_core::sc_time&) override {
    throw std::logic_error(std::string(name()) + " accepts b_transport only");
  }
  bool get_direct_mem_ptr(Transaction&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(Transaction&) override { return 0; }
};

/// Returns a table module that is bound to a standard target socket, such as a passthrough_target_socket, for a factory or a
/// socket of a device. `table`: the table at the end of the path, if it is one of this library.
template <class Transaction, int ports, sc_core::sc_port_policy policy>
std::unique_ptr<PlainTarget<Transaction>> plain_target(
    const char* name,
    tlm::tlm_base_target_socket<32, tlm::tlm_fw_transport_if<TableProtocol<Transaction>>,
                                tlm::tlm_bw_transport_if<TableProtocol<Transaction>>, ports, policy>& socket,
    TableForward<Transaction>* table = nullptr) {
  auto module = std::make_unique<PlainTarget<Transaction>>(name, table);
  module->out.bind(socket);
  return module;
}

/// Returns a module whose standard socket `in` leads to a table of this library.
template <class Transaction>
std::unique_ptr<PlainInitiator<Transaction>> plain_initiator(const char* name, TableModule<Transaction>& table) {
  auto module = std::make_unique<PlainInitiator<Transaction>>(name);
  module->out.bind(table.socket);
  return module;
}

}  // namespace tributary
