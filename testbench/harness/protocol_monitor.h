#pragma once
/// ProtocolMonitor: checks the link protocol.

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/link/link_params.h"
#include "modules/link/link_protocol.h"
#include "modules/link/nvlink_port.h"

namespace tributary {

/// Sits between the initiator and the target of one direction of a link, forwards every call, and records violations of
/// the link protocol. Bind `in` to the initiator and `out` to the target; both directions of a link need two monitors.
class ProtocolMonitor : public sc_core::sc_module, private LinkForward, private LinkBackward {
 public:
  struct Config {
    LinkParams link;
    unsigned credit_flits = 0;  ///< buffer at the target, per VC
    /// Protocol properties: VCs, flits of the largest packet, and whether the payload determines the number of flits.
    unsigned vcs = NvLink::vcs, max_flits = NvLink::max_packet_flits;
    bool sized = true;
  };
  enum class Rule {
    phase,   ///< forward calls carry packets, backward calls carry credits
    answer,  ///< calls return TLM_ACCEPTED and do not change transfer, phase and delay
    /// A call has packets, credits or a safe time; VC and number of flits exist, flits match the payload, and a
    /// reference is passed.
    shape,
    lookahead,        ///< nothing reaches the other end before the link's latency has passed
    safe_time,        ///< nothing arrives before the safe time of an earlier call
    order,            ///< packets arrive in call order, without overlap on the wire
    credit_negative,  ///< a packet left before the credits that it needs arrived
    over_returned,    ///< more credits are returned than are outstanding
    conserved,        ///< finish(): the buffer space of a packet was not returned
    no_such_call,     ///< b_transport is not defined for a link
  };
  struct Violation {
    Rule rule;
    Tick when;  ///< arrival time of the violating packet or credit
    std::string text;
  };

  LinkTarget in{"in"};
  LinkInitiator out{"out"};

  ProtocolMonitor(const sc_core::sc_module_name& name, const Config& config);

  /// Checks, when nothing is in flight, that all buffer space was returned.
  void finish();
  const std::vector<Violation>& violations() const { return violations_; }
  std::uint64_t packets() const { return packets_; }
  std::uint64_t flits() const { return flits_; }

 private:
  struct Credit {
    Tick when;
    unsigned flits;
  };
  struct Channel {
    // Flits; come_back: credits that arrived by the start of the last packet.
    std::uint64_t sent = 0, called_back = 0, come_back = 0;
    RingQueue<Credit> in_flight;
  };

  tlm::tlm_sync_enum nb_transport_fw(LinkTransfer& transfer, LinkPhase& phase, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(LinkTransfer& transfer, LinkPhase& phase, sc_core::sc_time& delay) override;
  void b_transport(LinkTransfer&, sc_core::sc_time&) override;
  bool get_direct_mem_ptr(LinkTransfer&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(LinkTransfer&) override { return 0; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  bool check_shape(unsigned vc, unsigned flits, Tick when);
  bool check_shape(const Packet& packet, Tick when);
  void check_packet(const Packet& packet, Tick head, Tick duration);
  void check_credit(const LinkCredit& credit, Tick when);
  void check_safe_time(Tick& safe_until, Tick first, const LinkTransfer& transfer);
  template <class Call>
  tlm::tlm_sync_enum pass_on(Call&& call, LinkTransfer& transfer, LinkPhase& phase, sc_core::sc_time& delay, Tick when);
  void violation(Rule rule, Tick when, const std::string& text);

  Config config_;
  Tick flit_time_;
  std::array<Channel, 4> vcs_;
  Tick wire_free_ = 0;  // arrival of the last flit of the latest packet
  Tick packets_safe_until_ = 0, credits_safe_until_ = 0;
  std::uint64_t packets_ = 0, flits_ = 0;
  std::vector<Violation> violations_;
};

/// Connects two ports as connect() does, with a monitor in each direction.
template <class Port>
void connect_monitored(Port& a, Port& b, const ProtocolMonitor::Config& config,
                       std::vector<std::unique_ptr<ProtocolMonitor>>& monitors) {
  for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    const std::string name = "monitor" + std::to_string(monitors.size());
    monitors.push_back(std::make_unique<ProtocolMonitor>(name.c_str(), config));
    from->out.bind(monitors.back()->in);
    monitors.back()->out.bind(to->in);
  }
}

/// Returns lines such as "order: at 25ns a packet ...", one per violation; empty if there are none.
std::string to_text(const std::vector<ProtocolMonitor::Violation>& violations);

}  // namespace tributary
