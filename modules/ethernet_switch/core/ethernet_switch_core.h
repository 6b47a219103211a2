#pragma once
/// EthernetSwitchCore: an output-queued Ethernet switch with a shared buffer, as arithmetic on integer picoseconds.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/base/probe.h"
#include "modules/timing/core/event_slots.h"
#include "modules/ethernet/core/ethernet_links.h"
#include "modules/ethernet_switch/core/access_list_table.h"
#include "modules/ethernet_switch/core/ecn_marker.h"
#include "modules/ethernet_switch/core/ethernet_routes.h"
#include "modules/ethernet_switch/core/pfc_controller.h"
#include "modules/ethernet_switch/core/shared_buffer.h"

namespace tributary {

struct EthernetSwitchConfig {
  std::vector<Bandwidth> rates;  ///< by port
  Tick latency = 0;              ///< from the head of a frame (where it is stored: from its end) to its first bit out
  bool cut_through = true;
  SharedBuffer::Config buffer;  ///< its ports and lossless classes follow from the rest
  EcnMarker::Config ecn;
  unsigned lossless = 0;  ///< classes with priority flow control, a bit each; 0: pauses of others are not heard either
  PfcController::Config pfc;
  EthernetRoutes routes;
};

/// The way to the access list of a switch.
class AccessControl {
 public:
  virtual ~AccessControl() = default;
  /// Answers the transaction; returns what it takes beyond the switch's latency (ps).
  virtual Tick classify(AccessTransaction& t) = 0;
};

/// A frame is looked at `latency` after its head: access list, route, buffer, mark. Frames are taken in order of (time,
/// input port). It may leave from then on (cut-through, also while its end still comes in), or, where all frames are stored
/// and between ports of unequal rates, `latency` after its end: only then a wrong FCS is known, and the frame is dropped. A
/// frame frees its room just after its first bit has left. The buffer is counted with departures still to be entered, so
/// never too low, as long as that changes no decision; while an input is paused, every departure is an event of its own.
class EthernetSwitchCore {
 public:
  /// Frames and what has become of them; pause frames apart. received = forwarded + dropped + fcs_errors + those inside.
  struct Counters {
    std::uint64_t received = 0, forwarded = 0, sent = 0;
    std::uint64_t dropped = 0;     ///< no room
    std::array<std::uint64_t, SharedBuffer::classes> dropped_of{};  ///< the same by class
    std::uint64_t fcs_errors = 0;  ///< dropped for a wrong FCS; pause frames, too
    std::uint64_t redirected = 0, marked = 0;
    std::uint64_t pauses_sent = 0, resumes_sent = 0, pauses_received = 0;
  };

  /// Throws std::invalid_argument on more than max_ethernet_ports, and on what its parts refuse.
  EthernetSwitchCore(const EthernetSwitchConfig& config, EthernetLinks& links, PacketPool& pool, AccessControl& access);

  /// A frame arrives; its reference comes with it. At the latest at `head` + latency, a pause at its end.
  void accept(unsigned port, Packet* frame, Tick head, Tick tail);
  /// All that happens up to `horizon`; what has left goes to the links' far ends (EthernetLinks::finish). Returns the time
  /// of the next event.
  Tick run(Tick horizon, bool safe_times);

  const Counters& counters() const { return counters_; }
  const SharedBuffer& buffer() const { return buffer_; }
  const PfcController& pfc() const { return pfc_; }
  bool quiescent() const;
  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& name);

 private:
  static constexpr unsigned slots = max_ethernet_ports, classes = SharedBuffer::classes;
  struct Arrival {
    Tick head, tail;
    Packet* frame;
  };
  struct Routed {
    Tick ready, tail;
    Packet* frame;
    std::uint8_t output;
    bool stored;
  };
  struct Queued {
    const Packet* frame;  // a frame that is sent and is not the first here was never counted: a pause, a copy
    std::uint8_t input;
  };

  Tick due(const Arrival& a) const { return (config_.cut_through ? a.head : a.tail) + config_.latency; }
  void hear_pause(unsigned port, Packet* frame, Tick tail);
  void look_at(unsigned input, Tick now);
  void forward_first(unsigned input);
  void forward(unsigned input, const Routed& frame);
  void enqueue(unsigned input, unsigned output, Packet* frame, Tick now, Tick tail);
  void drop(unsigned port, Packet* frame, Tick now, std::uint64_t& count, const SignalProbe& probe);
  bool undisturbed(unsigned input, unsigned output, const Packet& frame) const;
  void update(unsigned output, Tick until);
  void send(unsigned port, Packet* frame, Tick ready, Tick tail);
  void send_pause(unsigned port, unsigned traffic_class, unsigned quanta, Tick now);
  void pause(unsigned input, unsigned traffic_class, bool refused, Tick now);
  void sent(unsigned output, const EthernetLinks::Sent& sent);
  void show_state(unsigned input, unsigned traffic_class, Tick now);
  unsigned ports() const { return static_cast<unsigned>(config_.rates.size()); }

  EthernetSwitchConfig config_;
  EthernetLinks& links_;
  PacketPool& pool_;
  AccessControl& access_;
  SharedBuffer buffer_;
  EcnMarker ecn_;
  PfcController pfc_;
  std::vector<RingQueue<Arrival>> arrivals_;  // by input
  std::vector<RingQueue<Routed>> routed_;     // by input: looked at, and not yet in the buffer
  std::vector<RingQueue<Queued>> queued_;     // by output and class, in the order of the link's queue
  std::vector<Tick> next_;                    // by output: its next frame leaves no sooner
  std::vector<std::uint64_t> frames_;         // by output: frames for it so far
  EventSlots<8> events_;                      // by input: the first of arrivals_; then of routed_
  EventSlots<7> departures_;                  // by output, while an input is paused
  Counters counters_;

  SignalProbe used_, dropped_, fcs_errors_, marked_, paused_, resumed_;
  PacketFateProbe fate_;
  std::vector<SignalProbe> states_;  // by input and class
};

}  // namespace tributary
