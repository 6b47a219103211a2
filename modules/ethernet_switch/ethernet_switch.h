#pragma once
/// EthernetSwitch: an Ethernet switch as a module, with ports and an access list at a socket. Rules: EthernetSwitchCore.

#include <memory>
#include <string>
#include <vector>

#include "modules/ethernet/ethernet_device.h"
#include "modules/ethernet_switch/access_list.h"
#include "modules/ethernet_switch/core/ethernet_switch_core.h"
#include "modules/ethernet_switch/ethernet_switch_params.h"

namespace tributary {

class EthernetSwitch : public EthernetDevice, private AccessControl {
 public:
  struct Config {
    EthernetSwitchParams params;
    std::vector<PortConfig> ports;  ///< their reaction times to pauses follow from the parameters
    std::vector<Tick> latencies{};  ///< by input port, for frames; empty: that of the parameters for all
    EthernetRoutes routes;
    std::vector<AccessRule> rules{};
    unsigned largest_frame = EthernetFrame::wire_bytes(FrameKind::write_only_immediate, 4096);  ///< determines the headroom
    std::uint64_t seed = 0;
    AccessListFactory make_access_list = tributary::make_access_list;
    SwitchRouterFactory make_router = {};  ///< empty: ECMP by a hash
    Arena arena{};                         ///< arena of the platform
  };
  /// Throws std::invalid_argument as EthernetSwitchCore does.
  EthernetSwitch(const sc_core::sc_module_name& name, const Config& config, PacketPool& pool);

  AccessListSocket access_socket{"access_socket"};

  /// Adds a rule after all other rules, over the socket. If the user binds the list, call this only after the simulation has
  /// started.
  void add_rule(const AccessRule& rule);
  void clear_rules();

  EthernetSwitchCore& core() { return *core_; }
  const EthernetSwitchCore& core() const { return *core_; }

 private:
  static std::vector<PortConfig> ports_of(const Config& config);
  EthernetSwitchConfig core_of(const Config& config) const;
  static Tick delay_of(const Config& config);

  TableForward<AccessTransaction>* list() const { return list_ != nullptr ? list_.get() : access_socket.table(); }
  Tick classify(AccessTransaction& t) override { return access_socket.access(t); }
  void program(AccessTransaction& t);
  void start_of_simulation() override;
  Tick run_core(Inbox& inbox, Tick horizon) override;
  std::vector<std::string> core_waiting() const override;
  void reset_core() override;
  void describe_core(ProbeDirectory& directory) override;

  std::unique_ptr<AccessListModule> list_;  // null if the user binds a list
  std::vector<AccessRule> first_rules_;     // rules added before the list exists
  RouterSeat router_;
  std::unique_ptr<EthernetSwitchCore> core_;
};

}  // namespace tributary
