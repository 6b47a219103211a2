#include "testbench/observe/netlist.h"

#include <boost/core/demangle.hpp>
#include <map>
#include <systemc>
#include <tlm>
#include <typeinfo>
#include <utility>

namespace tributary {
namespace {

using Role = NetlistSocket::Role;

/// Where a connection's calls end: forward ones and backward ones.
using Connection = std::pair<const sc_core::sc_interface*, const sc_core::sc_interface*>;

std::string class_name(const char* mangled) {
  std::string name = boost::core::demangle(mangled);
  for (const std::string space : {"tributary::", "tlm::"})
    for (std::size_t at; (at = name.find(space)) != std::string::npos;) name.erase(at, space.size());
  return name;
}

Role role_of(const tlm::tlm_base_socket_if& socket) {
  return (socket.get_socket_category() & tlm::TLM_INITIATOR_SOCKET) != 0 ? Role::initiator : Role::target;
}

const sc_core::sc_interface* interface_of(const sc_core::sc_export_base& end) {
  return const_cast<sc_core::sc_export_base&>(end).get_interface();  // which fails unless it is bound
}

Connection connection_of(const tlm::tlm_base_socket_if& socket) {
  const sc_core::sc_interface* called = socket.get_base_port().get_interface();
  const sc_core::sc_interface* own = interface_of(socket.get_base_export());
  return role_of(socket) == Role::initiator ? Connection{called, own} : Connection{own, called};
}

class Reader {
 public:
  NetlistModule module(const sc_core::sc_object& object) {
    NetlistModule module{object.name(), class_name(typeid(object).name())};
    for (const sc_core::sc_object* child : object.get_child_objects()) {
      if (const auto* socket = dynamic_cast<const tlm::tlm_base_socket_if*>(child))
        module.sockets.push_back(note(*child, *socket));
      else if (dynamic_cast<const sc_core::sc_module*>(child) != nullptr)
        module.modules.push_back(this->module(*child));
    }
    return module;
  }
  void bind(NetlistModule& module) const {
    for (NetlistSocket& socket : module.sockets) {
      const auto& [connection, role] = known_.at(module.name + "." + socket.name);
      const auto partners = ends_.find({connection, role == Role::initiator ? Role::target : Role::initiator});
      if (partners != ends_.end()) socket.bound = partners->second;
    }
    for (NetlistModule& inner : module.modules) bind(inner);
  }

 private:
  NetlistSocket note(const sc_core::sc_object& object, const tlm::tlm_base_socket_if& socket) {
    const Role role = role_of(socket);
    const Connection connection = connection_of(socket);
    known_.emplace(object.name(), std::pair(connection, role));
    ends_[{connection, role}].emplace_back(object.name());
    return {object.basename(), role, class_name(socket.get_protocol_types().name()), socket.get_bus_width()};
  }

  std::map<std::string, std::pair<Connection, Role>> known_;              ///< by full name
  std::map<std::pair<Connection, Role>, std::vector<std::string>> ends_;  ///< full names
};

}  // namespace

std::vector<NetlistModule> elaborated_netlist() {
  Reader reader;
  std::vector<NetlistModule> top;
  for (const sc_core::sc_object* object : sc_core::sc_get_top_level_objects())
    if (dynamic_cast<const sc_core::sc_module*>(object) != nullptr) top.push_back(reader.module(*object));
  for (NetlistModule& module : top) reader.bind(module);
  return top;
}

}  // namespace tributary
