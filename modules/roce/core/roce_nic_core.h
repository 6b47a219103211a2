#pragma once
/// RoceNicCore: an RDMA NIC with one port. It has the queue pairs of reliable connections, sends and receives their packets,
/// and reports to the host.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/ethernet/core/ethernet_links.h"
#include "modules/ethernet/core/frame_check.h"
#include "modules/ethernet/core/verbs.h"
#include "modules/packet/packet_fate.h"
#include "modules/roce/core/host_memory_port.h"
#include "modules/roce/core/nic_arbiter.h"
#include "modules/roce/core/nic_feed.h"
#include "modules/roce/core/queue_pair_table.h"
#include "modules/roce/core/retransmission_timers.h"
#include "modules/roce/roce_params.h"

namespace tributary {

/// Times of a frame count from its last bit. It takes effect after `ack_latency`: a packet is accepted or not, and answered;
/// an ACK advances the send queue. The data of a packet, and the notification of a complete message, are visible after
/// `rx_latency`. A request is complete `completion_latency` after its ACK. A request takes effect `tx_latency` after it was
/// posted.
///
/// A packet is built when the wire is free, its data are there (NicFeed) and its queue pair has been selected, so an ACK,
/// NACK or timeout affects the very next packet. Its data are read at that instant. Answers and CNPs are sent before data.
/// Order of events at one instant: data become visible, frames take effect, completions, requests take effect, timers, the
/// next packet.
class RoceNicCore : public Verbs, public NicFeedListener {
 public:
  struct Config {
    RoceParams params{};
    std::uint16_t station = 0;  ///< source station of all frames that it sends
    Bandwidth rate = 100_Gbps;  ///< rate of the port
    unsigned port = 0;          ///< index of the port in `links`
    bool pausable = false;      ///< obeys PFC; the links know its reaction time
    FrameChecking checking = FrameChecking::flags;
    FrameFormat format{};             ///< for frames that are rendered as bytes
    unsigned queue_pairs = 0;         ///< created at elaboration and unused, so that their probes exist
    std::optional<Bandwidth> feed{};  ///< rate at which the host supplies payloads; empty: as fast as the NIC reads them
  };
  /// `listener` is called during run_until(), with the instant of the event. `memory` and `links` outlive the core.
  RoceNicCore(const Config& config, EthernetLinks& links, PacketPool& pool, HostMemoryPort& memory, VerbsListener& listener);

  /// Replaces the memory, and the feed that Config::feed sets. Call before the first request. Both outlive the core.
  void connect(HostMemoryPort& memory, NicFeed& feed);

  /// Adds a queue pair and returns its index for Verbs and VerbsListener: 0, 1, ... Throws std::invalid_argument if a number
  /// is used twice or has more than 24 bits.
  unsigned add_queue_pair(const QueuePairConfig& config);
  /// Removes all queue pairs and resets. Queue pairs that are added later reuse their places and probes.
  void clear_queue_pairs();
  unsigned queue_pairs() const { return queue_pairs_.size(); }
  const QueuePair& queue_pair(unsigned index) const { return queue_pairs_.at(index); }

  /// Throws std::out_of_range if the queue pair is unknown, std::invalid_argument if memory does not contain the data.
  void post_write(unsigned queue_pair, const WriteRequest& request, Tick when) override;
  unsigned outstanding(unsigned queue_pair) const override { return queue_pairs_.at(queue_pair).outstanding; }

  void fed(unsigned queue_pair, Tick now) override { offer(queue_pair, now); }
  /// A frame arrives; takes ownership of one reference. Call in order of time.
  void receive(Packet* packet, Tick tail);
  /// Processes all events up to and including `horizon`, or up to and including the first instant at which the listener is
  /// called. Returns next().
  Tick run_until(Tick horizon);
  Tick next() const;

  /// Returns one line for each queue pair with packets or requests: `qp0: 340 packets unacknowledged from PSN 850, timeout 3
  /// of 7`.
  std::vector<std::string> waiting() const;
  /// Keeps the queue pairs, with their initial PSNs.
  void reset();
  /// Adds the probes `prefix`delivered, datagrams, completed, arrived, cnps_sent, fcs_errors, icrc_errors, malformed, fate,
  /// and the probes of each queue pair.
  void describe(ProbeDirectory& directory, const std::string& prefix);
  /// CNPs and datagrams received.
  struct Counts {
    std::uint64_t cnps = 0, datagrams = 0;
  };
  const Counts& counts() const { return counts_; }

  PacketProbe delivered;                                 ///< a packet that was expected next, when its data become visible
  PacketProbe datagrams;                                 ///< a datagram, when it reaches the host's software
  SignalProbe completed, arrived;                        ///< strobes, with the id of the request and with the immediate
  SignalProbe cnps, fcs_errors, icrc_errors, malformed;  ///< strobes, with the number of the queue pair
  PacketFateProbe fate;                                  ///< a frame is dropped

 private:
  struct Frame {
    Tick when;  // takes effect
    Packet* packet;
  };
  struct Posted {
    Tick when;  // takes effect
    unsigned queue_pair;
    WriteRequest request;
  };
  struct Written {
    Tick when;  // becomes visible
    Packet* packet;
    PayloadPlace to;
  };
  struct Notification {
    Tick when;
    unsigned queue_pair;
    bool notice;  // arrivals: the message has an immediate
    std::uint64_t value;
  };

  void run_at(Tick now);
  Tick wire_next() const;
  // reception
  void frame(Packet* packet, Tick now);
  void write_packet(unsigned index, Packet* packet, Tick now);
  bool is_valid(const QueuePair& qp, const Packet& packet) const;
  void pause(const Packet& packet, Tick tail);
  void answer(FrameKind kind, QueuePair& qp, std::uint32_t psn, Tick now);
  void become_visible(Tick now) {
    while (!written_.empty() && written_.front().when <= now) write_first();
  }
  void write_first();
  // transmission
  void send(Tick now);
  Packet* make_packet(QueuePair& qp, unsigned index, Tick now);
  [[gnu::noinline]] void feed(unsigned index, const SendQueue::Segment& segment, std::byte* to, Tick now);
  NicFeed::Payload payload_of(unsigned index, const SendQueue::Segment& segment) const;
  void offer(unsigned index, Tick now);
  [[gnu::noinline]] Tick fed_at(unsigned index, Tick at, Tick now);
  void time_out(unsigned index, Tick now);
  void stop(Tick now) { stop_ = now < stop_ ? now : stop_; }

  Config config_;
  DcqcnConfig dcqcn_;
  FrameCheck check_;
  Tick visible_after_, complete_after_;  // from the instant at which a frame takes effect
  EthernetLinks& links_;
  PacketPool& pool_;
  HostMemoryPort* memory_;
  std::optional<RateFeed> rate_;
  NicFeed* feed_ = nullptr;  // null: as fast as the NIC reads
  bool fed_by_packet_ = false, timed_memory_ = false;
  VerbsListener& listener_;
  QueuePairTable queue_pairs_;
  NicArbiter arbiter_;

  RingQueue<Frame> frames_;
  RingQueue<Posted> posted_;
  RingQueue<Written> written_;
  RingQueue<Notification> arrivals_, completions_;
  RetransmissionTimers timers_{queue_pairs_};
  bool held_ = false;                         // a data packet is queued at the transmitter
  Tick held_since_ = 0, held_until_ = never;  // since when, and the known time of its start
  Tick fed_ = 0;                              // time from which the feed permits the next packet
  Tick stop_ = never;                         // end of the current run
  Counts counts_;
};

/// Returns the least time from the arrival of a frame's head to its first effect. `pause_reaction`: reaction time of a NIC
/// that obeys PFC.
Tick soonest_effect(const RoceParams& params, bool pausable, Tick pause_reaction);

}  // namespace tributary
