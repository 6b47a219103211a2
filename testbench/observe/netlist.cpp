#include "testbench/observe/netlist.h"

#include <algorithm>
#include <boost/core/demangle.hpp>
#include <map>
#include <set>
#include <systemc>
#include <tlm>
#include <typeindex>
#include <typeinfo>
#include <utility>

#include "modules/base/sysc/direct_caller.h"
#include "modules/link/link_protocol.h"
#include "modules/timing/device.h"

namespace tributary {
namespace {

using Role = NetlistSocket::Role;

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
  return const_cast<sc_core::sc_export_base&>(end).get_interface();  // fails unless it is bound
}

using Interface = const sc_core::sc_interface*;

/// Interfaces that a socket calls, and interfaces that it implements.
struct Ends {
  std::string name;
  Role role;
  std::type_index protocol;
  std::vector<Interface> called;  ///< for a multi-socket of an unknown protocol only the first
  Interface own;
};

template <class ProtocolInterface>
bool add_all(const sc_core::sc_port_base& port, std::vector<Interface>& called) {
  const auto* typed = dynamic_cast<const sc_core::sc_port_b<ProtocolInterface>*>(&port);
  for (int i = 0; typed != nullptr && i < typed->size(); ++i) called.push_back((*typed)[i]);
  return typed != nullptr;
}

template <class Protocol>
bool add_all_of(const sc_core::sc_port_base& port, std::vector<Interface>& called) {
  return add_all<tlm::tlm_fw_transport_if<Protocol>>(port, called) ||
         add_all<tlm::tlm_bw_transport_if<Protocol>>(port, called);
}

Ends ends_of(const std::string& name, const tlm::tlm_base_socket_if& socket) {
  Ends ends{name, role_of(socket), socket.get_protocol_types(), {}, interface_of(socket.get_base_export())};
  const sc_core::sc_port_base& port = socket.get_base_port();
  if (add_all_of<tlm::tlm_base_protocol_types>(port, ends.called) || add_all_of<LinkProtocol>(port, ends.called))
    return ends;
  if (const Interface first = port.get_interface()) ends.called.push_back(first);
  return ends;
}

/// The bindings of a design's sockets: two sockets are bound if they call each other. If the calls of a socket are only
/// partly known, a call in one direction is sufficient.
class Bindings {
 public:
  void add(Ends ends) {
    owners_[{ends.own, ends.role}].push_back(all_.size());
    all_.push_back(std::move(ends));
  }
  /// Returns full names by full name, in hierarchical order.
  std::map<std::string, std::vector<std::string>> partners() const {
    std::set<std::pair<std::size_t, std::size_t>> bound;  // in both directions
    for (std::size_t a = 0; a < all_.size(); ++a) {
      std::vector<std::size_t> mutual, one_way;
      for (const std::size_t b : called_by(a)) (calls(b, a) ? mutual : one_way).push_back(b);
      for (const std::size_t b : mutual.empty() ? one_way : mutual) bound.emplace(a, b), bound.emplace(b, a);
    }
    std::map<std::string, std::vector<std::string>> names;
    for (const auto& [a, b] : bound) names[all_[a].name].push_back(all_[b].name);
    return names;
  }

 private:
  bool calls(std::size_t a, std::size_t b) const {
    return std::find(all_[a].called.begin(), all_[a].called.end(), all_[b].own) != all_[a].called.end();
  }
  /// Returns the sockets of the other role and the same protocol.
  std::vector<std::size_t> called_by(std::size_t a) const {
    const Role other = all_[a].role == Role::initiator ? Role::target : Role::initiator;
    std::vector<std::size_t> sockets;
    for (const Interface called : all_[a].called)
      if (const auto found = owners_.find({called, other}); found != owners_.end())
        for (const std::size_t b : found->second)
          if (all_[b].protocol == all_[a].protocol) sockets.push_back(b);
    return sockets;
  }

  std::vector<Ends> all_;
  std::map<std::pair<Interface, Role>, std::vector<std::size_t>> owners_;
};

bool lies_below(const std::string& name, const std::string& module) { return name.rfind(module + ".", 0) == 0; }

class Reader {
 public:
  NetlistModule module(const sc_core::sc_object& object) {
    NetlistModule module{object.name(), class_name(typeid(object).name())};
    if (dynamic_cast<const Device*>(&object) != nullptr) devices_.insert(module.name);
    for (const sc_core::sc_object* above = object.get_parent_object(); above != nullptr; above = above->get_parent_object())
      if (const auto* caller = dynamic_cast<const DirectCaller*>(above); caller != nullptr && caller->calls_directly(object))
        module.called_directly = true;
    for (const sc_core::sc_object* child : object.get_child_objects()) {
      if (const auto* socket = dynamic_cast<const tlm::tlm_base_socket_if*>(child))
        module.sockets.push_back(note(*child, *socket));
      else if (dynamic_cast<const sc_core::sc_module*>(child) != nullptr)
        module.modules.push_back(this->module(*child));
    }
    return module;
  }
  void bind(std::vector<NetlistModule>& modules) const {
    bind(modules, bindings_.partners());
    for (NetlistModule& module : modules) mark(module, "");
  }

 private:
  using Partners = std::map<std::string, std::vector<std::string>>;
  static void bind(std::vector<NetlistModule>& modules, const Partners& partners) {
    for (NetlistModule& module : modules) {
      for (NetlistSocket& socket : module.sockets) {
        const auto found = partners.find(module.name + "." + socket.name);
        if (found != partners.end()) socket.bound = found->second;
      }
      bind(module.modules, partners);
    }
  }
  /// Marks the parts of a device that no socket of the device reaches. `device`: name of the device; empty above it.
  void mark(NetlistModule& module, const std::string& device) const {
    if (!device.empty() && !is_bound_inside(module, device)) module.called_directly = true;
    const std::string& inner = device.empty() && devices_.count(module.name) != 0 ? module.name : device;
    for (NetlistModule& part : module.modules) mark(part, inner);
  }
  static bool is_bound_inside(const NetlistModule& module, const std::string& device) {
    for (const NetlistSocket& socket : module.sockets)
      for (const std::string& bound : socket.bound)
        if (lies_below(bound, device) && !lies_below(bound, module.name)) return true;
    return false;
  }
  NetlistSocket note(const sc_core::sc_object& object, const tlm::tlm_base_socket_if& socket) {
    bindings_.add(ends_of(object.name(), socket));
    return {object.basename(), role_of(socket), class_name(socket.get_protocol_types().name()), socket.get_bus_width()};
  }

  Bindings bindings_;
  std::set<std::string> devices_;  // full names
};

}  // namespace

std::vector<NetlistModule> elaborated_netlist() {
  Reader reader;
  std::vector<NetlistModule> top;
  for (const sc_core::sc_object* object : sc_core::sc_get_top_level_objects())
    if (dynamic_cast<const sc_core::sc_module*>(object) != nullptr) top.push_back(reader.module(*object));
  reader.bind(top);
  return top;
}

}  // namespace tributary
