#pragma once
/// ReductionTable: the finite reduction state of one switch port (Klenk et al., ISCA 2020, section IV, Figure 5).

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/nvswitch/core/table_transaction.h"

namespace tributary {

/// Fully associative, `bytes` / 128 entries of one block each: tag, data, operand count, expected count, LRU and timeout
/// stamps. Counts are operands, not packets: a partial sum counts for all that it holds. An entry whose count is complete
/// leaves at once and is free again when its last flit has passed (finish).
///
/// Push: insert, merge, complete; a miss in a full table evicts the least recently used push entry; an entry without an
/// operand for `timeout` is evicted. Pull: entries are allocated by requests, never evicted; a response without an entry
/// is missed (bypasses the ALUs). A table of 0 bytes refuses, misses and bypasses everything. Data are merged when the operand comes, in the order of arrival.
class ReductionTable {
 public:
  ReductionTable(std::uint64_t bytes, Tick timeout);

  void access(TableTransaction& t);

  std::uint32_t capacity() const { return static_cast<std::uint32_t>(entries_.size()); }
  std::uint32_t occupancy() const { return occupancy_; }
  /// One line for each entry in use: tag, count of expected operands.
  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

  /// Strobes carry the block number (address / 128). `stalls`: a first-hop pull found no entry. `misses`: went past the
  /// table.
  SignalProbe allocations, merges, completions, evictions, timeouts, stalls, misses;
  SignalProbe occupancy_probe;

  static constexpr std::uint32_t traced_entries = 64;  ///< entries beyond have no probes of their own

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  enum class State : std::uint8_t { free, push, pull, completing };
  struct Entry {
    std::uint64_t address = 0;
    Tick stamp = 0;
    Packet* packet = nullptr;  // holds the data
    std::uint32_t next_in_bucket = none, older = none, newer = none;
    std::uint16_t requester = 0, count = 0, expected = 0;
    State state = State::free;
  };

  void push(TableTransaction& t);
  void allocate(TableTransaction& t);
  void collect(TableTransaction& t);
  void expire(TableTransaction& t);
  void finish(TableTransaction& t);

  std::uint32_t find(std::uint64_t address, std::uint16_t requester) const;
  std::uint32_t insert(std::uint64_t address, std::uint16_t requester, std::uint16_t expected, State state, Tick now);
  Packet* evict_oldest(Tick now);
  void merge(std::uint32_t slot, Packet* operand, Tick now);
  bool complete(std::uint32_t slot, TableTransaction& t);
  void unhash(std::uint32_t slot);
  void release(std::uint32_t slot, Tick now);
  void link_newest(std::uint32_t slot, Tick now);
  void unlink(std::uint32_t slot);
  Tick next_timeout() const { return oldest_ == none ? never : entries_[oldest_].stamp + timeout_; }
  std::size_t bucket(std::uint64_t address, std::uint16_t requester) const;
  void show(std::uint32_t slot, Tick now);

  Tick timeout_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> buckets_, free_;
  std::uint32_t oldest_ = none, newest_ = none;  // push entries, by last use
  std::uint32_t completing_ = none;
  std::uint32_t occupancy_ = 0;
  struct EntryProbes {
    SignalProbe tag, count;
  };
  std::deque<EntryProbes> entry_probes_;
};

}  // namespace tributary
