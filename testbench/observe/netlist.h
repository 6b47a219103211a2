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
  std::string name;              ///< hierarchical: `dgx2.gpu3.port2`
  std::string type;              ///< its class
  bool called_directly = false;  ///< part that its device calls by pointer, not (or not only) over a socket
  std::vector<NetlistSocket> sockets = {};
  std::vector<NetlistModule> modules = {};
};

/// A part is a module below a device (modules/timing/device.h). It is called directly if no module of its device is bound to
/// a socket of the part, or if a module above it is its DirectCaller. Functions with which a run resets and describes parts
/// do not count.
///
/// Returns all top-level modules, read from SystemC's hierarchy independently of the code that bound it. Must be called
/// after elaboration. A socket that forwards its calls to a socket of an inner module has the same partners as that
/// socket. A multi-socket lists all its partners; but for protocols other than those of TLM and of our links, two
/// multi-sockets list each other only if one is the first partner of the other.
std::vector<NetlistModule> elaborated_netlist();

}  // namespace tributary
