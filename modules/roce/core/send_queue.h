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

/// The caller takes a packet when it can send one. A NACK, or a timeout, sends the queue back to the first packet that is
/// not acknowledged. The timer runs while a packet is on its way that asks for an acknowledgement, and begins anew with each
/// step forward; a sender that is not waiting for it has packets to send.
class SendQueue {
 public:
  struct Config {
    std::uint32_t mtu = 1024;  ///< payload of a packet, in bytes
    std::uint32_t ack_interval =
        256;                 ///< packets of a message from one that asks for an ACK to the next; its last one asks, too
    Tick rto = 100'000'000;  ///< retransmission timeout
    std::uint32_t retry_count = 7;  ///< timeouts in a row without a step forward; one more is an error; 0: no limit
    std::uint32_t first_psn = 0;
  };
  /// A packet of a request.
  struct Segment {
    std::uint64_t request = 0;  ///< requests of the queue before it
    std::uint32_t offset = 0;   ///< of its first byte in the request
    std::uint32_t bytes = 0;    ///< payload
    std::uint32_t psn = 0;
    FrameKind kind = FrameKind::write_only;
    bool ack_request = false;
    bool again = false;  ///< has been sent before
  };

  /// Since the last reset.
  struct Counts {
    std::uint64_t nacks = 0, rewinds = 0, timeouts = 0, retries = 0;
    Counts& operator+=(const Counts& c) {
      nacks += c.nacks, rewinds += c.rewinds, timeouts += c.timeouts, retries += c.retries;
      return *this;
    }
  };

  /// Throws std::invalid_argument when the MTU or the interval is 0.
  explicit SendQueue(const Config& config);
  /// Begins anew; throws as the constructor.
  void configure(const Config& config);

  /// Takes effect at once. A request without bytes is one packet.
  void post(const WriteRequest& request);
  /// A packet can leave.
  bool ready() const { return next_ < end_ && next_ - una_ < psn_window && !failed_; }
  /// The packet that leaves next, if ready().
  Segment peek() const;
  /// It leaves at `now`.
  Segment take(Tick now);
  /// The request of a segment. It stays until it is acknowledged.
  const WriteRequest& request(const Segment& s) const { return entry(s).request; }
  /// What the queue knows of the segment's header: all but stations, queue pair, UDP port and ECN.
  void fill(const Segment& s, RoceHeader& header) const;

  /// An ACK says that all up to and including `psn` has come. `completed(id)` is called for each request that is whole now.
  /// What lies outside of the packets sent and not acknowledged is ignored.
  template <class Completed>
  void acknowledge(std::uint32_t psn, Tick now, Completed&& completed) {
    forward(Psn::minus(Psn::add(psn, 1), psn_of(una_)), now);
    pop_completed(completed);
  }
  /// A NACK says that `psn` is expected, and a later one has come.
  template <class Completed>
  void negative(std::uint32_t psn, Tick now, Completed&& completed) {
    if (!rewind_to(Psn::minus(psn, psn_of(una_)), now)) return;
    pop_completed(completed);
  }
  /// When the timer ends; `never` while it does not run.
  Tick deadline() const { return deadline_; }
  /// It has ended: the queue goes back, or fails. Nothing happens without packets on their way.
  void timeout(Tick now);

  /// It has given up, and sends nothing more.
  bool failed() const { return failed_; }
  /// Requests that are not completed.
  unsigned outstanding() const { return entries_.size(); }
  /// Packets sent at least once and not acknowledged.
  std::uint64_t unacknowledged() const { return high_ - una_; }
  /// Goes over packets that it has sent before.
  bool rewound() const { return next_ < high_; }
  bool quiescent() const { return una_ == end_; }
  std::uint32_t una() const { return psn_of(una_); }    ///< PSN: first that is not acknowledged
  std::uint32_t next() const { return psn_of(next_); }  ///< PSN: leaves next
  const Counts& counts() const { return counts_; }
  /// What it waits for, or empty.
  std::string waiting() const;
  /// Since when una() is the first packet that is not acknowledged; 0: none is on its way.
  Tick since() const { return high_ == una_ ? 0 : since_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);
  void reset();
  /// Probes `prefix`psn, una, rewinds, timeouts, nacks, retries.
  void describe(ProbeDirectory& directory, const std::string& prefix);

  SignalProbe psn_probe, una_probe;               ///< levels
  SignalProbe rewinds, timeouts, nacks, retries;  ///< strobes, with a PSN

 private:
  static constexpr std::uint64_t psn_window = (Psn::mask + 1) / 2;  // more could not be told from what lies behind
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
      entries_.pop();
      ++completed_;
      --cursor_;  // which lies behind all that is acknowledged
      completed(id);
    }
  }
  template <class Self, class Archive>
  static void exchange(Self& self, Archive& archive);

  Config config_;
  RingQueue<Entry> entries_;
  std::uint32_t cursor_ = 0;     // entry of next_
  std::uint64_t completed_ = 0;  // requests before the first entry
  // Numbers of packets from 0 on: acknowledged up to, to be sent next, sent at least once up to, posted up to.
  std::uint64_t una_ = 0, next_ = 0, high_ = 0, end_ = 0;
  std::uint64_t asked_ = 0;  // behind the last packet that asks for an ACK, since the last rewind
  Tick deadline_ = never, since_ = 0;
  std::uint32_t retry_ = 0;
  bool failed_ = false;
  Counts counts_;
};

}  // namespace tributary
