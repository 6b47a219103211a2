#pragma once
/// The netlist of an elaborated design: its modules, their sockets, and what is bound to what.

#include <string>
#include <vector>

namespace tributary {

struct NetlistSocket {
  enum class Role { initiator, target };
  std::string name;  ///< within its module
  Role role = Role::initiator;
  std::string protocol;  ///< type of its protocol traits
  unsigned width = 0;    ///< bits
  /// Full names of the sockets that it exchanges transactions with: of the other role, in order of the hierarchy.
  std::vector<std::string> bound = {};
};

struct NetlistModule {
  std::string name;  ///< hierarchical: `dgx2.gpu3.port2`
  std::string type;  ///< its class
  std::vector<NetlistSocket> sockets = {};
  std::vector<NetlistModule> modules = {};
};

/// All top-level modules, read from SystemC's own hierarchy: whatever code has bound it. To be called when
/// the elaboration has ended. A socket that hands its calls down to one of an inner module names the same partners as that
/// one. A multi-socket names all of its partners; of a protocol other than those of TLM and of our links, two
/// multi-sockets name each other only where one is the first partner of the other.
std::vector<NetlistModule> elaborated_netlist();

}  // namespace tributary
