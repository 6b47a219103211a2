#pragma once
/// AccessList: the module at the access list socket of an Ethernet switch, and the factory that creates it.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/sysc/table_socket.h"
#include "modules/ethernet_switch/core/access_list_table.h"

namespace tributary {

using AccessListSocket = TableInitiator<AccessTransaction>;
/// Base of every access list; docs/blocks/ethernet_switch.md describes its requests and guarantees.
using AccessListModule = TableModule<AccessTransaction>;

// Instantiated once, in access_list.cpp: sockets are dear to compile.
extern template class TableInitiator<AccessTransaction>;
extern template class TableModule<AccessTransaction>;

/// The list of a switch chip: the time of a lookup is part of the switch's latency.
class AccessList : public AccessListModule {
 public:
  explicit AccessList(const sc_core::sc_module_name& name, unsigned most_rules = AccessListTable::usual_rules);

  /// An access list has no pending work.
  std::vector<std::string> waiting() const override;
  /// Rules stay.
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& prefix) override;

  AccessListTable core;

 private:
  void b_transport(AccessTransaction& t, sc_core::sc_time& delay) override;
};

/// Creates the list of a switch, as its child. If it returns null, the user binds a list to the switch's `access_socket`.
using AccessListFactory = std::function<std::unique_ptr<AccessListModule>(const char* name)>;

std::unique_ptr<AccessListModule> make_access_list(const char* name);

}  // namespace tributary
