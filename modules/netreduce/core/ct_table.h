#pragma once
/// CtTable: the connection translation table of an accelerator in a tree (Liu et al., 3.3 and Table 3).

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "modules/base/late_answer.h"
#include "modules/base/probe.h"
#include "modules/base/state_bytes.h"
#include "modules/netreduce/core/cl_table.h"
#include "modules/netreduce/core/part_port.h"

namespace tributary {

/// Packs stations and queue pair into one word.
constexpr std::uint64_t word_of(const ConnectionKey& c) {
  return std::uint64_t{c.source} << 48 | std::uint64_t{c.destination} << 32 | c.queue_pair;
}

enum class CtDirection : std::uint8_t {
  aggregate,  ///< towards the root, for sums
  multicast,  ///< away from the root, for results
};

/// Fields of a message's first packet that determine the headers of its connection.
struct FirstPacket {
  std::uint32_t message = 0, psn = 0;
  std::uint64_t address = 0;  ///< RETH
  std::uint16_t rank = 0, udp_port = 0;
  bool valid = false;
};

/// A connection over which a sum or result continues. First packets are stored for connections that end at a host: one of
/// any message, or one for each message that may be in flight.
struct CtTarget {
  ConnectionKey connection;
  std::vector<FirstPacket> firsts = {};

  /// Returns the first packet of that message; null if it is not known.
  const FirstPacket* first_of(std::uint32_t message) const;
};

struct CtEntry {
  CtDirection direction = CtDirection::aggregate;
  bool preset = false;  ///< from job initialisation; otherwise learnt from first packets
  std::vector<CtTarget> to = {};
};

/// The answer to a translation that follows its call: what the table has in the transaction when the call returns, unless
/// it writes `known` and `entry` by the time of the answer.
struct LateTranslation : LateAnswer {
  bool known = false;  ///< out: the connection has an entry
  CtEntry entry = {};  ///< out
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
  FirstPacket first{};          ///< `valid` if `to` ends at a host
  unsigned known_messages = 1;  ///< number of first packets to store: one, or one for each message in flight
  Tick now = 0;
  const CtEntry* entry = nullptr;   ///< out; null if the connection has no entry
  bool added = false;               ///< out, after learn: the target is new
  Timing timing{};                  ///< out
  LateTranslation* late = nullptr;  ///< in: valid until the answer; null: the table answers within the call

  /// Called by a table whose answer to a translation follows by listener->answered(late->ticket, when). Returns false if the
  /// accelerator needs it within the call.
  bool defer(ClockedPart& part) const { return late != nullptr && late->defer(part); }
};

/// With `targets`, a translation occupies the table for a cycle for each so many targets, and learning for a cycle. The
/// others wait, except requests of an earlier time than that of a request before.
class CtTable : public PartPort<CtTransaction> {
 public:
  struct Config {
    Tick clock = 0;
    unsigned targets = 0;  ///< that are translated in a cycle; 0: all, for any number of requests
  };
  explicit CtTable(const Config& config) : config_(config) {}
  CtTable() = default;
  Tick access(CtTransaction& t) override;
  const CtEntry* find(const ConnectionKey& from) const;
  std::size_t entries() const { return entries_.size(); }
  /// Forgets all learnt entries.
  void reset();
  /// The bytes do not depend on the order in which connections were learnt.
  void save(StateWriter& out) const;
  void load(StateReader& in);
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  bool add(const CtTransaction& t, bool preset);
  Tick occupy(CtTransaction& t, std::size_t targets);

  Config config_ = {};
  Tick latest_ = 0, free_at_ = 0;                       // time of the latest request; end of its occupancy
  std::unordered_map<std::uint64_t, CtEntry> entries_;  // by word_of(from)
  SignalProbe learnt_;
};

}  // namespace tributary
