#pragma once
/// NetworkNode: a device of a network of NICs: a router, a NIC beside it, or both (they are a few ns apart).

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/engine/core_device.h"
#include "modules/nic/core/nic_core.h"
#include "modules/switching/core/router_core.h"

namespace tributary {

/// A NIC of an indirect network has one link; its router passes on what it is given, without latency.
class NetworkNode : public CoreDevice<RouterCore, router_vcs>, private RouterHost {
 public:
  struct Config {
    LinkParams link;
    RouterConfig router;        ///< with the names of all ports
    unsigned max_flits = 0;     ///< of a packet
    unsigned buffer_flits = 0;  ///< per VC, of this node and of its neighbours
    std::optional<NicCore::Config> nic;
  };
  NetworkNode(const sc_core::sc_module_name& name, const Config& config, PacketPool& pool, PayloadViews& loans,
              NicHost& host);

  LinkPort& port(unsigned i) { return *ports_.at(i); }
  /// Null at a switch.
  NicCore* nic() { return nic_.get(); }
  const NicCore* nic() const { return nic_.get(); }
  /// Starts at exactly `t0`, at least Windows::ahead from now. Throws ScheduleTableError.
  void post(NicProgram work, Tick t0) { nic_->post(std::move(work), t0), wake(nic_->next()); }
  /// NicCore::post_short(), at least Windows::ahead from now.
  void post_short(std::uint16_t destination, unsigned bytes, Tick when) {
    nic_->post_short(destination, bytes, when), wake(nic_->next());
  }
  void reset() override;
  void describe(ProbeDirectory& directory) override;

 private:
  void add_waiting(std::vector<std::string>& lines) const override;
  Tick run_core(Inbox& inbox, Tick horizon) override;
  // a switch: no packet is for it
  void eject(unsigned port, Packet* packet, Tick end) override;
  void injected(unsigned, Tick) override {}

  std::vector<std::unique_ptr<LinkPort>> ports_;
  std::unique_ptr<NicCore> nic_;
};

}  // namespace tributary
