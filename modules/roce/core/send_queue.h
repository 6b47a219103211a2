#pragma once
/// SendQueue: sender of a reliable connection (InfiniBand Architecture, volume 1, 9.7): packets of the MTU, sequence numbers
/// of 24 bits, cumulative acknowledgements, go-back-N.

#include <cstdint>
#include <string>

#include "modules/base/host/ring_queue.h"
#include "modules/base/probe.h"
#include "modules/base/state_bytes.h"
#include "modules/base/units.h"
#include "modules/ethernet/core/verbs.h"
#include "modules/protocol/roce.h"

namespace tributary {

/// The caller takes a packet when it can send one. A NACK or a timeout rewinds the queue to the first unacknowledged packet.
/// The timer runs while a packet that requests an acknowledgement is in flight, and restarts with each advance. While it
/// does not run, the queue has packets to send.
class SendQueue {
 public:
  struct Config {
    std::uint32_t mtu = 1024;  ///< payload bytes of a packet
    std::uint32_t ack_interval =
        256;                        ///< packets of a message between requests for an ACK; the last packet requests one, too
    Tick rto = 100'000'000;         ///< retransmission timeout
    std::uint32_t retry_count = 7;  ///< timeouts in a row without an advance; one more is an error; 0: no limit
    std::uint32_t first_psn = 0;
  };
  /// A packet of a request.
  struct Segment {
    std::uint64_t request = 0;  ///< number of earlier requests of this queue
    std::uint32_t offset = 0;   ///< offset of its first byte in the request
    std::uint32_t bytes = 0;    ///< payload bytes
    std::uint32_t psn = 0;
    FrameKind kind = FrameKind::write_only;
    bool ack_request = false;
    bool again = false;  ///< is a retransmission
  };

  /// Counts since the last reset.
  struct Counts {
    std::uint64_t nacks = 0, rewinds = 0, timeouts = 0, retries = 0;
    std::uint64_t bytes = 0;  ///< data read from memory, again for each packet that is sent again
    Counts& operator+=(const Counts& c) {
      nacks += c.nacks, rewinds += c.rewinds, timeouts += c.timeouts, retries += c.retries, bytes += c.bytes;
      return *this;
    }
  };

  /// Throws std::invalid_argument if the MTU or the interval is 0.
  explicit SendQueue(const Config& config);
  /// Sets the configuration and resets; throws as the constructor does.
  void configure(const Config& config);

  /// Takes effect immediately. A request of 0 bytes is one packet. A request that is not signalled is followed by one that
  /// is.
  void post(const WriteRequest& request);
  /// True if a packet can leave.
  bool ready() const { return next_ < end_ && next_ - una_ < psn_window && !failed_; }
  /// Returns the packet that leaves next. Precondition: ready().
  Segment peek() const;
  /// The packet leaves at `now`.
  Segment take(Tick now);
  /// Returns the request of a segment, valid until it is acknowledged.
  const WriteRequest& request(const Segment& s) const { return entry(s).request; }
  /// Sets the fields of the header that the queue knows: all except stations, queue pair, UDP port and ECN.
  void fill(const Segment& s, RoceHeader& header) const;

  /// An ACK acknowledges all packets up to and including `psn`. Calls `completed(id)` for each signalled request that is now
  /// complete. An ACK of packets other than those in flight is ignored.
  template <class Completed>
  void acknowledge(std::uint32_t psn, Tick now, Completed&& completed) {
    forward(Psn::minus(Psn::add(psn, 1), psn_of(una_)), now);
    pop_completed(completed);
  }
  /// A NACK reports that `psn` is expected and a later packet has arrived.
  template <class Completed>
  void negative(std::uint32_t psn, Tick now, Completed&& completed) {
    if (!rewind_to(Psn::minus(psn, psn_of(una_)), now)) return;
    pop_completed(completed);
  }
  /// Returns the time at which the timer expires; `never` while it does not run.
  Tick deadline() const { return deadline_; }
  /// The timer has expired: the queue rewinds, or fails. Has no effect if no packets are in flight.
  void timeout(Tick now);

  /// True if the queue has given up and sends nothing more.
  bool failed() const { return failed_; }
  /// Returns the number of the first request that is not acknowledged completely, as Segment::request.
  std::uint64_t first_request() const { return completed_; }
  /// Number of requests that are not completed.
  unsigned outstanding() const { return entries_.size(); }
  /// Number of packets that were sent at least once and are not acknowledged.
  std::uint64_t unacknowledged() const { return high_ - una_; }
  /// True while it retransmits.
  bool rewound() const { return next_ < high_; }
  bool quiescent() const { return una_ == end_; }
  std::uint32_t una() const { return psn_of(una_); }    ///< PSN of the first unacknowledged packet
  std::uint32_t next() const { return psn_of(next_); }  ///< PSN of the packet that leaves next
  const Counts& counts() const { return counts_; }
  /// Returns what the queue waits for; empty if it waits for nothing.
  std::string waiting() const;
  /// Returns the time since which una() is the first unacknowledged packet; 0 if none is in flight.
  Tick since() const { return high_ == una_ ? 0 : since_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);
  void reset();
  /// Adds the probes `prefix`psn, una, rewinds, timeouts, nacks, retries.
  void describe(ProbeDirectory& directory, const std::string& prefix);

  SignalProbe psn_probe, una_probe;               ///< levels
  SignalProbe rewinds, timeouts, nacks, retries;  ///< strobes, with a PSN

 private:
  static constexpr std::uint64_t psn_window = (Psn::mask + 1) / 2;  // with more, old and new PSNs would be ambiguous
  struct Entry {
    WriteRequest request;
    std::uint64_t first = 0;  // number of its first packet
    std::uint32_t packets = 0;
    std::uint64_t end() const { return first + packets; }
  };
  std::uint32_t psn_of(std::uint64_t number) const { return Psn::add(config_.first_psn, static_cast<std::int64_t>(number)); }
  std::uint32_t packets_of(const WriteRequest& request) const;
  const Entry& entry(const Segment& s) const { return entries_[static_cast<std::uint32_t>(s.request - completed_)]; }
  bool forward(std::int64_t packets, Tick now);
  bool rewind_to(std::int64_t packets, Tick now);
  void rewind(Tick now);
  void find_next();
  template <class Completed>
  void pop_completed(Completed&& completed) {
    while (!entries_.empty() && entries_.front().end() <= una_) {
      const std::uint64_t id = entries_.front().request.id;
      const bool signalled = entries_.front().request.signalled;
      entries_.pop();
      ++completed_;
      --cursor_;  // the entry of next_ follows all acknowledged entries
      if (signalled) completed(id);
    }
  }
  template <class Self, class Archive>
  static void exchange(Self& self, Archive& archive);

  Config config_;
  RingQueue<Entry> entries_;
  std::uint32_t cursor_ = 0;     // entry of next_
  std::uint64_t completed_ = 0;  // requests before the first entry
  // Packets are numbered from 0. First packet that is unacknowledged, to be sent next, never sent, not posted.
  std::uint64_t una_ = 0, next_ = 0, high_ = 0, end_ = 0;
  std::uint64_t asked_ = 0;  // one after the last packet sent that requests an ACK, since the last rewind
  Tick deadline_ = never, since_ = 0;
  std::uint32_t retry_ = 0;
  bool failed_ = false;
  Counts counts_;
};

}  // namespace tributary
