#pragma once
/// EthernetSwitchCore: an output-queued Ethernet switch with a shared buffer, computed in integer picoseconds.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/base/probe.h"
#include "modules/ethernet/core/ethernet_links.h"
#include "modules/ethernet_switch/core/access_list_table.h"
#include "modules/ethernet_switch/core/ecn_marker.h"
#include "modules/ethernet_switch/core/ethernet_routes.h"
#include "modules/ethernet_switch/core/pfc_controller.h"
#include "modules/ethernet_switch/core/shared_buffer.h"
#include "modules/switching/core/switch_router.h"
#include "modules/timing/core/event_slots.h"

namespace tributary {

struct EthernetSwitchConfig {
  std::vector<Bandwidth> rates;   ///< by port
  Tick latency = 0;               ///< from a frame's head (stored frames: its end) to its first bit out
  std::vector<Tick> latencies{};  ///< by input port, in place of `latency`; empty: all have the same
  bool cut_through = true;
  SharedBuffer::Config buffer;  ///< `ports` and `lossless` are set by the switch
  EcnMarker::Config ecn;
  unsigned lossless = 0;  ///< bit mask of classes with priority flow control; 0: received pauses are ignored, too
  PfcController::Config pfc;
  EthernetRoutes routes;
  const RouterSeat* router = nullptr;  ///< router of a user, or null
};

/// Access to the access list of a switch.
class AccessControl {
 public:
  virtual ~AccessControl() = default;
  /// Answers the transaction; returns its time beyond the switch's latency, in ps.
  virtual Tick classify(AccessTransaction& t) = 0;
};

/// A frame is processed `latency` after its head arrives: access list, route, buffer, ECN mark. Frames are processed in
/// order of (time, input port). A frame may leave from then on, even while its end is still arriving (cut-through). If all
/// frames are stored, or input and output differ in rate, it may leave `latency` after its end; then a wrong FCS is known,
/// and the frame is dropped.
///
/// A frame frees its place in the buffer just after its first bit has left. Departures are accounted for late as long as
/// that changes no decision, so the occupancy is never too low. While an input is paused, every departure is an event of its
/// own.
class EthernetSwitchCore {
 public:
  /// Numbers of frames, without pause frames. received = forwarded + dropped + fcs_errors + frames inside.
  struct Counters {
    std::uint64_t received = 0, forwarded = 0, sent = 0;
    std::uint64_t dropped = 0;                                      ///< buffer full
    std::array<std::uint64_t, SharedBuffer::classes> dropped_of{};  ///< dropped frames by class
    std::uint64_t fcs_errors = 0;                                   ///< dropped for a wrong FCS, including pause frames
    std::uint64_t redirected = 0, marked = 0;
    std::uint64_t pauses_sent = 0, resumes_sent = 0, pauses_received = 0;
  };

  /// Throws std::invalid_argument if there are more than max_ethernet_ports, and as its members do.
  EthernetSwitchCore(const EthernetSwitchConfig& config, EthernetLinks& links, PacketPool& pool, AccessControl& access);

  /// A frame arrives; takes ownership of one reference. Call at the latest at `head` + latency; for a pause, at its end.
  void accept(unsigned port, Packet* frame, Tick head, Tick tail);
  /// Processes all events up to `horizon`; frames that have left are delivered to the other ends (EthernetLinks::finish).
  /// Returns the time of the next event.
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
    const Packet* frame;  // a frame that leaves and is not the first here is not in the buffer: a pause, a duplicate
    std::uint8_t input;
  };

  Tick latency(unsigned input) const { return config_.latencies.empty() ? config_.latency : config_.latencies[input]; }
  Tick due(unsigned input, const Arrival& a) const { return (config_.cut_through ? a.head : a.tail) + latency(input); }
  void on_pause_frame(unsigned port, Packet* frame, Tick tail);
  void process(unsigned input, Tick now);
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
  std::vector<RingQueue<Routed>> routed_;     // by input: processed, and not yet in the buffer
  std::vector<RingQueue<Queued>> queued_;     // by output and class, in the order of the link's queue
  std::vector<Tick> next_;                    // by output: earliest departure of its next frame
  std::vector<std::uint64_t> frames_;         // by output: number of frames so far
  EventSlots<8> events_;                      // by input: the first of arrivals_, then the first of routed_
  EventSlots<7> departures_;                  // by output, while an input is paused
  Counters counters_;

  SignalProbe used_, dropped_, fcs_errors_, marked_, paused_, resumed_;
  PacketFateProbe fate_;
  std::vector<SignalProbe> states_;  // by input and class
};

}  // namespace tributary
