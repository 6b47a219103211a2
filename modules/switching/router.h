#pragma once
/// Router: a virtual cut-through router as a module with its links (Huang et al., ISCA 2021, Table III).

#include <memory>
#include <vector>

#include "modules/link/link_port.h"
#include "modules/switching/core/router_core.h"

namespace tributary {

/// RouterCore has rules and state. The parent device has the process and receives the arrivals of the links.
class Router : public sc_core::sc_module {
 public:
  using LinkPort = BasicLinkPort<ScheduleNicLink>;
  struct Config {
    RouterConfig core;  ///< with the names of all ports
    LinkParams link;
    unsigned max_flits = 0;            ///< largest packet
    std::vector<Tick> latencies = {};  ///< latency of the link at each port, if it differs from that of `link`
    unsigned buffer_flits = 0;         ///< per VC of this router and its neighbours, for a link at the rate of `link`
    Arena arena{};                     ///< shared by the platform
  };
  /// `now`: kernel time while the device runs. `beside`: a NIC, or an object that refuses packets for this node.
  Router(const sc_core::sc_module_name& name, const Config& config, LinkPortListener& device, LinkOutput& wires,
         const Tick& now, RouterListener& beside);

  RouterCore& core() { return *core_; }
  LinkPort& port(unsigned i) { return *ports_.at(i); }
  std::vector<LinkPort*> ports();
  void describe(ProbeDirectory& directory) { core_->describe(directory, name()); }

 private:
  std::vector<std::unique_ptr<LinkPort>> ports_;
  std::unique_ptr<RouterCore> core_;
};

}  // namespace tributary
