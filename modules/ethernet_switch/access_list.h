#pragma once
/// AccessList: what stands behind the access list socket of an Ethernet switch, and the factory that makes it.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/sysc/table_socket.h"
#include "modules/ethernet_switch/core/access_list_table.h"

namespace tributary {

using AccessListSocket = TableInitiator<AccessTransaction>;
/// Base of every access list; docs/blocks/ethernet_switch.md says what it is asked and what it may rely on.
using AccessListModule = TableModule<AccessTransaction>;

/// The list of a switch chip: a lookup lies within the switch's latency.
class AccessList : public AccessListModule {
 public:
  explicit AccessList(const sc_core::sc_module_name& name) : AccessListModule(name) {}

  /// Rules wait for nothing.
  std::vector<std::string> waiting() const override { return {}; }
  /// Rules stay.
  void reset() override { core.reset(); }
  void describe(ProbeDirectory& directory, const std::string& prefix) override {
    directory.add_signal(prefix + "hits", core.hit, SignalKind::strobe, 8, "a rule redirects a frame (its number)");
  }

  AccessListTable core;

 private:
  void b_transport(AccessTransaction& t, sc_core::sc_time& delay) override;
};

/// Makes the list of a switch, as its child. Null: the user binds one to the switch's `access_socket`.
using AccessListFactory = std::function<std::unique_ptr<AccessListModule>(const char* name)>;

std::unique_ptr<AccessListModule> make_access_list(const char* name);

}  // namespace tributary
