#pragma once
/// NetworkNode: a device of a network of NICs. It is a router, a NIC, or both, as these are only a few ns apart.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/nic/nic.h"
#include "modules/switching/router.h"
#include "modules/timing/core_device.h"

namespace tributary {

/// A NIC of an indirect network has one link; its router forwards the NIC's packets without latency.
class NetworkNode : public CoreDevice<RouterCore, ScheduleNicLink, RouterCore*>, private RouterListener, private AnswerHost {
 public:
  struct Config {
    Router::Config router;
    std::optional<NicCore::Config> nic;
    Nic::Parts parts = {};  ///< blocks bound to the NIC's sockets
  };
  NetworkNode(const sc_core::sc_module_name& name, const Config& config, PacketPool& pool, PayloadViews& views,
              CompletionListener& listener);

  Router& router() { return *router_; }
  /// Null if the node is a switch.
  Nic* nic() { return nic_.get(); }
  const Nic* nic() const { return nic_.get(); }
  /// Posts a program that starts at exactly `t0`, at least Windows::ahead from now. Throws ScheduleTableError.
  void post(NicProgram work, Tick t0) { nic_->post(std::move(work), t0), wake(nic_->core().next()); }
  /// Posts a training step under the same rules.
  void post_step(NicStep step, Tick t0) { nic_->post_step(std::move(step), t0), wake(nic_->core().next()); }
  /// Calls NicCore::post_short(); `when` is at least Windows::ahead from now.
  void post_short(std::uint16_t destination, unsigned bytes, Tick when) {
    nic_->core().post_short(destination, bytes, when), wake(nic_->core().next());
  }
  std::vector<std::string> waiting() const override;
  void reset() override;
  void describe(ProbeDirectory& directory) override;

 private:
  Tick run_core(Inbox& inbox, Tick horizon) override;
  // Called for a packet whose destination is this node, an error at a switch.
  void eject(unsigned port, Packet* packet, Tick end) override;
  void injected(unsigned, Tick) override {}
  // AnswerHost
  bool in_kernel_time() const override { return lookahead() == 0; }
  void deferred() override { nic_->core().deferred(); }
  void answer_arrived() override { wake(std::min(nic_->core().next(), core_->next())); }

  std::unique_ptr<Nic> nic_;
  std::unique_ptr<Router> router_;
};

}  // namespace tributary
