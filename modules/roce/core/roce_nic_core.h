#pragma once
/// RoceNicCore: an RDMA NIC with one port: queue pairs of reliable connections, their packets, and what it tells the host.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/ethernet/core/ethernet_links.h"
#include "modules/ethernet/core/frame_check.h"
#include "modules/ethernet/core/verbs.h"
#include "modules/packet/packet_fate.h"
#include "modules/roce/core/host_memory_port.h"
#include "modules/roce/core/nic_arbiter.h"
#include "modules/roce/core/queue_pair.h"
#include "modules/roce/roce_params.h"

namespace tributary {

/// Times of a frame, from its last bit: after `ack_latency` it acts: a packet is accepted or not, and answered; an ACK moves
/// the send queue. Data of a packet are visible after `rx_latency`, with the notice of a whole message; a request is
/// complete `completion_latency` after its ACK. A request acts `tx_latency` after it was posted.
///
/// A packet is made when the wire is free and its queue pair's turn has come, so that what an ACK, a NACK or a timeout
/// changes shows in the next one; its data are those of that instant. Answers and CNPs go before data. At one instant: data
/// become visible, frames act, completions, requests act, timers, the next packet.
class RoceNicCore : public Verbs {
 public:
  struct Config {
    RoceParams params{};
    std::uint16_t station = 0;  ///< of this host: source of what it sends
    Bandwidth rate = 100_Gbps;  ///< of the port
    unsigned port = 0;          ///< of the links
    bool pausable = false;      ///< obeys PFC: the links have a reaction time for it
    FrameChecking checking = FrameChecking::flags;
    FrameFormat format{};             ///< of frames that are made bytes
    unsigned queue_pairs = 0;         ///< are there from the begin, unused, so that their probes are
    std::optional<Bandwidth> feed{};  ///< at which the host hands it payloads; none: as fast as it asks
  };
  /// `listener`: is told what happens in run_until(), at the instant of the call. `memory` and `links` outlive the core.
  RoceNicCore(const Config& config, EthernetLinks& links, PacketPool& pool, HostMemoryPort& memory, VerbsListener& listener);

  /// Returns what Verbs and VerbsListener call it: 0, 1, ... Throws std::invalid_argument when a number is given twice, or a
  /// number is no 24 bits.
  unsigned add_queue_pair(const QueuePairConfig& config);
  /// Back to none, in the initial state. Those added next take their places, and their probes.
  void clear_queue_pairs();
  unsigned queue_pairs() const { return used_; }
  const QueuePair& queue_pair(unsigned index) const { return *queue_pairs_.at(index); }

  /// Throws std::out_of_range for an unknown queue pair, std::invalid_argument for data that memory does not hold.
  void post_write(unsigned queue_pair, const WriteRequest& request, Tick when) override;
  unsigned outstanding(unsigned queue_pair) const override { return queue_pairs_.at(queue_pair)->outstanding; }

  /// A frame comes in; takes over its reference. In order of time.
  void receive(Packet* packet, Tick tail);
  /// Does all that happens up to and including `horizon`, or up to and including the instant in which the listener is told
  /// something. Returns next().
  Tick run_until(Tick horizon);
  Tick next() const;

  /// One line for each queue pair with packets or requests: `qp0: 340 packets unacknowledged from PSN 850, timeout 3 of 7`.
  std::vector<std::string> waiting() const;
  /// Queue pairs stay, as they were added.
  void reset();
  /// Probes `prefix`delivered, datagrams, completed, arrived, cnps_sent, fcs_errors, icrc_errors, malformed, fate, and those of
  /// each queue pair.
  void describe(ProbeDirectory& directory, const std::string& prefix);
  /// CNPs that have come, and datagrams.
  struct Counts {
    std::uint64_t cnps = 0, datagrams = 0;
  };
  const Counts& counts() const { return counts_; }

  PacketProbe delivered;                                 ///< a packet that was expected next: its data are visible
  PacketProbe datagrams;                                 ///< has come for the host's software, which sees it then
  SignalProbe completed, arrived;                        ///< strobes, with the request's id, and the immediate
  SignalProbe cnps, fcs_errors, icrc_errors, malformed;  ///< strobes, with the number of the queue pair
  PacketFateProbe fate;                                  ///< a frame that is dropped

 private:
  struct Frame {
    Tick when;  // it acts
    Packet* packet;
  };
  struct Posted {
    Tick when;  // it acts
    unsigned queue_pair;
    WriteRequest request;
  };
  struct Written {
    Tick when;  // visible
    Packet* packet;
    std::uint64_t address;
  };
  struct Told {
    Tick when;
    unsigned queue_pair;
    bool notice;  // of an arrival: the message has an immediate
    std::uint64_t value;
  };
  struct Timer {
    Tick when;
    unsigned queue_pair;
  };

  QueuePair& make_queue_pair();
  void run_at(Tick now);
  Tick wire_next() const;
  // Receiving (roce_nic_receive.cpp)
  void frame(Packet* packet, Tick now);
  void write_packet(unsigned index, Packet* packet, Tick now);
  bool sound(const QueuePair& qp, const Packet& packet) const;
  void pause(const Packet& packet, Tick tail);
  void answer(FrameKind kind, QueuePair& qp, std::uint32_t psn, Tick now);
  void become_visible(Tick now);
  unsigned find(const RoceHeader& header) const;
  // Sending (roce_nic_send.cpp)
  void send(Tick now);
  Packet* make_packet(QueuePair& qp, Tick now);
  Tick feed_time(unsigned payload) const;
  void offer(unsigned index);
  void set_timer(unsigned index);
  void settle_timers();
  void time_out(unsigned index, Tick now);
  void stop(Tick now) { stop_ = now < stop_ ? now : stop_; }

  Config config_;
  SendQueue::Config send_config_;
  DcqcnConfig dcqcn_;
  FrameCheck check_;
  Tick visible_after_, complete_after_;  // a frame has acted
  EthernetLinks& links_;
  PacketPool& pool_;
  HostMemoryPort& memory_;
  VerbsListener& listener_;
  std::vector<std::unique_ptr<QueuePair>> queue_pairs_;  // the first of them are in use
  unsigned used_ = 0;
  std::unordered_map<std::uint32_t, unsigned> index_of_;  // by number
  mutable unsigned last_found_ = 0;
  NicArbiter arbiter_;

  RingQueue<Frame> frames_;
  RingQueue<Posted> posted_;
  RingQueue<Written> written_;
  RingQueue<Told> arrivals_, completions_;
  RingQueue<Timer> timers_;                   // at most one of a queue pair, at its deadline or before
  bool held_ = false;                         // a packet of data waits at the wire
  Tick held_since_ = 0, held_until_ = never;  // as far as is known, from when on
  Tick fed_ = 0;                              // the host has handed over the last packet's payload
  Tick stop_ = never;                         // of the present run
  Counts counts_;
};

/// Nothing happens sooner after the arrival of a frame's head. `pause_reaction`: of a NIC that obeys PFC.
Tick soonest_effect(const RoceParams& params, bool pausable, Tick pause_reaction);

}  // namespace tributary
