#pragma once
/// LinkPort: one full-duplex port of a device: both sockets and the transmitter of its outgoing link.

#include "modules/link/core/link_transmitter.h"
#include "modules/link/link_protocol.h"

namespace tributary {

/// What a device does with what its ports receive. Times are exact and lie at or after the kernel's time.
class LinkPortHost {
 public:
  virtual ~LinkPortHost() = default;
  /// Takes over one reference. `head`: arrival of the header flit; `tail`: of the last one.
  virtual void on_packet(unsigned port, Packet* packet, Tick head, Tick tail) = 0;
  /// The first of the credits is there at `first`.
  virtual void on_credits(unsigned port, Tick first, const LinkCredit* credits, unsigned count) = 0;
};

class LinkPort : public sc_core::sc_module, private LinkForward, private LinkBackward {
 public:
  LinkInitiator out{"out"};
  LinkTarget in{"in"};

  /// `now`: the kernel's time while the device runs, kept by it (Device::activation).
  LinkPort(const sc_core::sc_module_name& name, LinkPortHost& host, const Tick& now, unsigned index,
           const LinkTransmitter::Config& config);

  LinkTransmitter& transmitter() { return transmitter_; }

  /// Hands a packet that the transmitter has sent to the device at the far end.
  void deliver(const LinkTransmitter::Sent& sent);
  /// Returns buffer space of this port, the first of it at `first`; it travels for the link's latency.
  void return_credits(Tick first, const LinkCredit* credits, unsigned count);

 private:
  tlm::tlm_sync_enum nb_transport_fw(Packet& packet, LinkPhase& phase, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(Packet& packet, LinkPhase& phase, sc_core::sc_time& delay) override;
  void b_transport(Packet&, sc_core::sc_time&) override;
  bool get_direct_mem_ptr(Packet&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(Packet&) override { return 0; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  void start_of_simulation() override;

  // What every call needs, side by side.
  alignas(64) LinkForward* forward_ = nullptr;
  LinkBackward* backward_ = nullptr;
  LinkPortHost& host_;
  const Tick& now_;
  const sc_core::sc_time& kernel_time_ = simcontext()->time_stamp();
  const sc_core::sc_time picosecond_ = to_sc_time(1);  // times a delay: inline, unlike from_value, and exact
  unsigned index_;
  LinkTransmitter transmitter_;
  Packet credit_token_;
};

/// Joins two ports by one link in each direction.
void connect(LinkPort& a, LinkPort& b);

}  // namespace tributary
