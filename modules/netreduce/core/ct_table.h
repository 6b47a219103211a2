#pragma once
/// CtTable: the connection translation table of an accelerator in a tree (Liu et al., 5.2 and Table 3).

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "modules/base/probe.h"
#include "modules/netreduce/core/cl_table.h"
#include "modules/netreduce/core/part_port.h"

namespace tributary {

/// Stations and queue pair in one word.
constexpr std::uint64_t word_of(const ConnectionKey& c) {
  return std::uint64_t{c.source} << 48 | std::uint64_t{c.destination} << 32 | c.queue_pair;
}

enum class CtDirection : std::uint8_t {
  aggregate,  ///< towards the root: sums go there
  multicast,  ///< away from it: results go there
};

/// What the first packet of a message says of the headers of its connection.
struct FirstPacket {
  std::uint32_t message = 0, psn = 0;
  std::uint64_t address = 0;  ///< RETH
  std::uint16_t rank = 0, udp_port = 0;
  bool valid = false;
};

/// A connection that a sum or result goes on as. First packets are known of those that end at a host: one of any message, or
/// one of each of the messages that may be under way.
struct CtTarget {
  ConnectionKey connection;
  std::vector<FirstPacket> firsts = {};

  /// Of that message; null when it is not known.
  const FirstPacket* first_of(std::uint32_t message) const;
};

struct CtEntry {
  CtDirection direction = CtDirection::aggregate;
  bool preset = false;  ///< by job initialisation; else learnt from first packets
  std::vector<CtTarget> to = {};
};

struct CtTransaction {
  enum class Command : std::uint8_t {
    preset,     ///< in: from, to, direction
    learn,      ///< in: from, to, direction, first, known_messages
    translate,  ///< in: from; out: entry
  };
  Command command = Command::translate;
  CtDirection direction = CtDirection::aggregate;
  ConnectionKey from{}, to{};
  FirstPacket first{};          ///< valid: of `to`, which ends at a host
  unsigned known_messages = 1;  ///< first packets that are kept: one, or one for each message under way
  Tick now = 0;
  const CtEntry* entry = nullptr;  ///< out; null when there is none
  bool added = false;              ///< out, of learn: that was new
};

class CtTable : public PartPort<CtTransaction> {
 public:
  Tick access(CtTransaction& t) override;
  const CtEntry* find(const ConnectionKey& from) const;
  std::size_t entries() const { return entries_.size(); }
  /// Forgets what has been learnt.
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  bool add(const CtTransaction& t, bool preset);

  std::unordered_map<std::uint64_t, CtEntry> entries_;  // by word_of(from)
  SignalProbe learnt_;
};

}  // namespace tributary
