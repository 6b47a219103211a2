#pragma once
/// Netlist of an elaborated design: its modules, their sockets, and the bindings between them.

#include <string>
#include <vector>

namespace tributary {

struct NetlistSocket {
  enum class Role { initiator, target };
  std::string name;  ///< name within the module
  Role role = Role::initiator;
  std::string protocol;  ///< type of its protocol traits
  unsigned width = 0;    ///< bits
  /// Full names of the sockets of the other role that it exchanges transactions with, in hierarchical order.
  std::vector<std::string> bound = {};
};

struct NetlistModule {
  std::string name;  ///< hierarchical: `dgx2.gpu3.port2`
  std::string type;  ///< its class
  std::vector<NetlistSocket> sockets = {};
  std::vector<NetlistModule> modules = {};
};

/// Returns all top-level modules, read from SystemC's hierarchy independently of the code that bound it. Must be called
/// after elaboration. A socket that forwards its calls to a socket of an inner module has the same partners as that
/// socket. A multi-socket lists all its partners; but for protocols other than those of TLM and of our links, two
/// multi-sockets list each other only if one is the first partner of the other.
std::vector<NetlistModule> elaborated_netlist();

}  // namespace tributary
