#pragma once
/// BasicLinkPort: a full-duplex port of a device: both sockets, and the transmitter of its outgoing link.

#include <string>

#include "modules/link/core/link_transmitter.h"
#include "modules/link/far_end.h"
#include "modules/link/lane_crossing.h"
#include "modules/link/link_protocol.h"

namespace tributary {

/// Receives the arrivals at a device's ports. Times are exact and not before kernel time.
class LinkPortListener {
 public:
  virtual ~LinkPortListener() = default;
  /// Takes over a reference to each packet; the first header flit arrives at `first`. No other packet arrives there before
  /// `safe_until` (0: unknown).
  virtual void on_packets(unsigned port, Tick first, const LinkArrival* packets, unsigned count, Tick safe_until) = 0;
  /// The first credit arrives at `first`; no others arrive before `safe_until`.
  virtual void on_credits(unsigned port, Tick first, const LinkCredit* credits, unsigned count, Tick safe_until) = 0;
};

template <class Protocol>
class BasicLinkPort : public sc_core::sc_module, public LanePort, private LinkForward, private LinkBackward {
 public:
  using LinkTransmitter = BasicLinkTransmitter<Protocol>;
  LinkInitiator out{"out"};
  LinkTarget in{"in"};

  /// `now`: kernel time while the device runs, maintained by the device (Device::activation).
  BasicLinkPort(const sc_core::sc_module_name& name, LinkPortListener& listener, const Tick& now, unsigned index,
                const typename LinkTransmitter::Config& config);

  LinkTransmitter& transmitter() { return transmitter_; }
  /// Return the name of a direction of the link, `dgx2.gpu3.port2>dgx2.switch0_2.port3`, once the simulation has started.
  std::string incoming_name() const { return far_end_of(out) + ">" + name(); }
  std::string outgoing_name() const { return name() + (">" + far_end_of(out)); }
  void set_crossing(const LaneCrossing& crossing) override { crossing_ = &crossing; }
  LaneMailbox::Forward& far_forward() override { return *forward_; }
  LaneMailbox::Backward& far_backward() override { return *backward_; }
  PacketProbe arrived;  ///< header flit of a packet at this port
  /// The port leaves the host's caches between windows. prefetch() loads this port; prefetch_far(), later, the heads of its
  /// queues and the data that deliver() needs.
  void prefetch() const {
    const char* const end = reinterpret_cast<const char*>(&transmitter_ + 1) + 64;
    for (auto* line = static_cast<const char*>(transmitter_.first_needed()); line < end; line += 64)
      __builtin_prefetch(line, 1);
  }
  void prefetch_far() const {
    transmitter_.prefetch_heads();
    __builtin_prefetch(forward_);
    __builtin_prefetch(reinterpret_cast<const char*>(forward_) - 64);
  }

  /// Delivers packets that the transmitter has sent to the device at the far end, with the guarantee that no other arrives
  /// there before `safe_until`.
  void deliver(Tick first, const LinkArrival* packets, unsigned count, Tick safe_until);
  /// Sends credits for buffer space of this port, the first of it freed at `first`, and no more before `safe_until`; both
  /// arrive after the link's latency.
  void return_credits(Tick first, const LinkCredit* credits, unsigned count, Tick safe_until);

 private:
  [[gnu::noinline]] void cross(Tick first, const LinkArrival* packets, unsigned count, Tick safe_until);
  [[gnu::noinline, gnu::cold]] void show_arrivals(Tick first, const LinkTransfer& transfer) const;
  tlm::tlm_sync_enum nb_transport_fw(LinkTransfer& transfer, LinkPhase& phase, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(LinkTransfer& transfer, LinkPhase& phase, sc_core::sc_time& delay) override;
  void b_transport(LinkTransfer&, sc_core::sc_time&) override;
  bool get_direct_mem_ptr(LinkTransfer&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(LinkTransfer&) override { return 0; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  void start_of_simulation() override;

  using Forward = tlm::tlm_fw_nonblocking_transport_if<LinkTransfer, LinkPhase>;
  using Backward = tlm::tlm_bw_nonblocking_transport_if<LinkTransfer, LinkPhase>;

  LinkTransmitter transmitter_;
  // Members used by calls, adjacent and last, just before the interfaces of this object that others call.
  Forward* forward_ = nullptr;
  Backward* backward_ = nullptr;
  const LaneCrossing* crossing_ = nullptr;  // null: the far end is in the same lane
  const Tick& now_;
  unsigned index_;
  LinkPortListener& listener_;
};

/// Connects two ports by one link in each direction.
template <class Protocol>
void connect(BasicLinkPort<Protocol>& a, BasicLinkPort<Protocol>& b) {
  a.out.bind(b.in);
  b.out.bind(a.in);
}

}  // namespace tributary
