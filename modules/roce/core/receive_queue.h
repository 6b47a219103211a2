#pragma once
/// ReceiveQueue: receiver of a reliable connection (InfiniBand Architecture, volume 1, 9.7). It accepts packets only in
/// order.

#include <cstdint>
#include <string>

#include "modules/base/probe.h"
#include "modules/base/state_bytes.h"
#include "modules/base/units.h"
#include "modules/protocol/roce.h"

namespace tributary {

/// Result for one packet. The caller sends ACK and NACK.
struct ReceiveVerdict {
  enum class Kind : std::uint8_t { accepted, duplicate, gap };
  Kind kind = Kind::gap;
  bool ack = false;              ///< answer with an ACK of `psn`
  bool nack = false;             ///< answer with a NACK of `psn`
  bool ends = false;             ///< accepted, and the message is complete
  bool immediate_valid = false;  ///< accepted, and the receiver is notified with `immediate`
  std::uint32_t psn = 0;         ///< PSN of the answer. ACK: last packet received in order; NACK: expected packet
  std::uint32_t immediate = 0;
  std::uint64_t address = 0;  ///< accepted: destination of its payload
};

/// The expected packet is accepted, and acknowledged if it requests that. An earlier packet is a duplicate and always
/// acknowledged, because its ACK may have been lost. A later packet reveals a gap. The first one is answered by a NACK; the
/// following ones are not answered until the expected packet has arrived (InfiniBand 9.7.5.2.8), unless `nack_once` is off.
class ReceiveQueue {
 public:
  struct Config {
    std::uint32_t first_psn = 0;
    bool nack_once = true;
  };
  /// Counts since the last reset.
  struct Counts {
    std::uint64_t accepted = 0, duplicates = 0, nacks_sent = 0;
    std::uint64_t bytes = 0;  ///< payload of the packets accepted
    Counts& operator+=(const Counts& c) {
      accepted += c.accepted, duplicates += c.duplicates, nacks_sent += c.nacks_sent, bytes += c.bytes;
      return *this;
    }
  };
  explicit ReceiveQueue(const Config& config) { configure(config); }
  /// Sets the configuration and resets.
  void configure(const Config& config) {
    config_ = config;
    reset();
  }

  /// A WRITE packet with `payload_bytes` has arrived.
  ReceiveVerdict receive(const RoceHeader& header, unsigned payload_bytes, Tick now);

  std::uint32_t expected() const { return expected_; }  ///< PSN of the expected packet
  /// Returns the destination of the payload of the expected packet.
  std::uint64_t place(const RoceHeader& header) const { return begins_write(header.kind) ? header.address : address_; }
  bool gap_reported() const { return nacked_; }
  /// True while a message has begun and is not complete.
  bool in_message() const { return in_message_; }
  const Counts& counts() const { return counts_; }

  void save(StateWriter& out) const { out(expected_, nacked_, in_message_, address_); }
  void load(StateReader& in) { in(expected_, nacked_, in_message_, address_); }
  void reset();
  /// Adds the probes `prefix`accepted, duplicates, nacks_sent.
  void describe(ProbeDirectory& directory, const std::string& prefix);

  SignalProbe accepted, duplicates, nacks;  ///< strobes, with a PSN

 private:
  Config config_;
  std::uint32_t expected_ = 0;
  std::uint64_t address_ = 0;  // destination of the next byte of the message
  bool nacked_ = false, in_message_ = false;
  Counts counts_;
};

}  // namespace tributary
