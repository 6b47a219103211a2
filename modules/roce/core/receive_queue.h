#pragma once
/// ReceiveQueue: receiver of a reliable connection (InfiniBand Architecture, volume 1, 9.7): takes packets in order only.

#include <cstdint>
#include <string>

#include "modules/base/probe.h"
#include "modules/base/state_bytes.h"
#include "modules/base/units.h"
#include "modules/protocol/roce.h"

namespace tributary {

/// What a packet gets. ACK and NACK are sent by the caller.
struct ReceiveVerdict {
  enum class Kind : std::uint8_t { accepted, duplicate, gap };
  Kind kind = Kind::gap;
  bool ack = false;              ///< answered by an ACK of `psn`
  bool nack = false;             ///< answered by a NACK of `psn`
  bool ends = false;             ///< accepted: the message is whole
  bool immediate_valid = false;  ///< accepted: and its receiver hears of it, with `immediate`
  std::uint32_t psn = 0;         ///< of the answer. ACK: the last that has come in order; NACK: the one that is expected
  std::uint32_t immediate = 0;
  std::uint64_t address = 0;  ///< accepted: where its payload goes
};

/// The expected packet is accepted, and acknowledged when it asks for that. An earlier one is a duplicate, and always
/// acknowledged: its ACK may be lost. A later one shows a gap; the first of them is answered by a NACK, the others are
/// silent until the expected one has come (InfiniBand 9.7.5.2.8), unless `nack_once` is off.
class ReceiveQueue {
 public:
  struct Config {
    std::uint32_t first_psn = 0;
    bool nack_once = true;
  };
  /// Since the last reset.
  struct Counts {
    std::uint64_t accepted = 0, duplicates = 0, nacks_sent = 0;
    Counts& operator+=(const Counts& c) {
      accepted += c.accepted, duplicates += c.duplicates, nacks_sent += c.nacks_sent;
      return *this;
    }
  };
  explicit ReceiveQueue(const Config& config) { configure(config); }
  /// Begins anew.
  void configure(const Config& config) {
    config_ = config;
    reset();
  }

  /// A WRITE packet with `payload_bytes` has come.
  ReceiveVerdict receive(const RoceHeader& header, unsigned payload_bytes, Tick now);

  std::uint32_t expected() const { return expected_; }  ///< PSN
  /// Where the payload of the packet that is expected goes.
  std::uint64_t place(const RoceHeader& header) const { return begins_write(header.kind) ? header.address : address_; }
  bool gap_reported() const { return nacked_; }
  /// A message has begun and is not whole.
  bool in_message() const { return in_message_; }
  const Counts& counts() const { return counts_; }

  void save(StateWriter& out) const { out(expected_, nacked_, in_message_, address_); }
  void load(StateReader& in) { in(expected_, nacked_, in_message_, address_); }
  void reset();
  /// Probes `prefix`accepted, duplicates, nacks_sent.
  void describe(ProbeDirectory& directory, const std::string& prefix);

  SignalProbe accepted, duplicates, nacks;  ///< strobes, with a PSN

 private:
  Config config_;
  std::uint32_t expected_ = 0;
  std::uint64_t address_ = 0;  // of the next byte of the message
  bool nacked_ = false, in_message_ = false;
  Counts counts_;
};

}  // namespace tributary
