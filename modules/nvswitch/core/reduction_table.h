#pragma once
/// ReductionTable: the finite reduction state of one switch port (Klenk et al., ISCA 2020, section IV, Figure 5).

#include <cstdint>
#include <string>
#include <vector>

#include "modules/nvswitch/core/table_probes.h"
#include "modules/nvswitch/core/table_transaction.h"

namespace tributary {

/// Fully associative, `bytes` / 128 entries of one block each: tag, data, operand count, expected count, LRU and timeout
/// stamps. Counts are operands, not packets: a partial sum counts for all its operands. An entry whose count is complete is
/// emitted immediately and is free again when its last flit has passed (finish).
///
/// Push: insert, merge, complete. A miss in a full table evicts the least recently used push entry; an entry without an
/// operand for `timeout` is evicted. Pull: requests allocate entries, which are never evicted; a response without an entry
/// is a miss (it bypasses the ALUs). A table of 0 bytes refuses, misses and bypasses everything. Data are merged when the
/// operand arrives, in the order of arrival.
///
/// In rank order an entry stores its operands, 128 B of the table each, until the last arrives, and then adds them. A push
/// that finds no free unit evicts one operand of the least recently used entry. That entry can never complete, so all its
/// operands leave one by one, when room is needed or at its timeout, and operands of its block that arrive meanwhile bypass
/// the table. A pull allocates units for all expected operands at its first hop, and none at later hops, where adding would
/// change the order.
class ReductionTable : public TableProbes {
 public:
  ReductionTable(std::uint64_t bytes, Tick timeout, bool rank_order = false);

  void access(TableTransaction& t);

  /// In units of 128 B.
  std::uint32_t capacity() const { return static_cast<std::uint32_t>(entries_.size()); }
  std::uint32_t occupancy() const { return occupancy_; }
  /// Returns a line for each entry in use: tag, count of expected operands.
  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::uint16_t no_requester = 0xFFFF;  // push entries have no requester
  static constexpr std::uint64_t block_of(std::uint64_t address) { return address / block_bytes; }
  enum class State : std::uint8_t { free, push, pull, completing };
  struct Entry {
    std::uint64_t address = 0;
    Tick stamp = 0;
    Packet* packet = nullptr;             // holds the data; in rank order, the operand of the lowest rank
    std::uint32_t next_in_bucket = none;  // in a completed entry: the next completed one
    std::uint32_t older = none, newer = none;
    std::uint16_t requester = 0, count = 0, expected = 0;
    State state = State::free;
    bool broken = false;             // in rank order: an operand has been evicted, so the entry can never complete
    std::uint16_t units = 0;         // in units of 128 B: in use, or reserved for the responses to a pull
    std::uint32_t next_kept = none;  // in rank order: the other operands
  };
  struct Kept {
    Packet* packet;
    std::uint32_t next;
  };

  void push(TableTransaction& t);
  void allocate(TableTransaction& t);
  void collect(TableTransaction& t);
  void expire(TableTransaction& t);
  void finish(TableTransaction& t);
  [[noreturn]] static void refuse_finish(std::uint64_t address);

  // in rank order (reduction_table_ordered.cpp)
  void push_in_order(TableTransaction& t, std::uint32_t slot);
  void collect_in_order(TableTransaction& t, std::uint32_t slot);
  void keep(std::uint32_t slot, Packet* operand, Tick now);
  Packet* take_first(std::uint32_t slot);
  Packet* evict_one(ReductionEvent::Kind why, Tick now);
  void add_in_order(std::uint32_t slot);
  void use(std::uint32_t slot, int units, Tick now);

  std::uint32_t find(std::uint64_t address, std::uint16_t requester) const;
  std::uint32_t insert(std::uint64_t address, std::uint16_t requester, std::uint16_t expected, State state, unsigned units,
                       Tick now);
  Packet* evict_oldest(ReductionEvent::Kind why, Tick now);
  void merge(std::uint32_t slot, Packet* operand, Tick now);
  bool complete(std::uint32_t slot, TableTransaction& t);
  void unhash(std::uint32_t slot);
  void release(std::uint32_t slot, Tick now);
  void link_newest(std::uint32_t slot, Tick now);
  void unlink(std::uint32_t slot);
  Tick next_timeout() const { return oldest_ == none ? never : entries_[oldest_].stamp + timeout_; }
  std::size_t bucket(std::uint64_t address, std::uint16_t requester) const;
  void observe(ReductionEvent::Kind kind, std::uint32_t slot, const Packet* operand, Tick now) const {
    if (__builtin_expect(events.observed(), 0)) show(kind, slot, operand, now);
  }
  [[gnu::noinline, gnu::cold]] void show(ReductionEvent::Kind kind, std::uint32_t slot, const Packet* operand,
                                         Tick now) const;

  Tick timeout_;
  bool rank_order_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> buckets_, free_;
  std::vector<Kept> kept_;  // in rank order
  std::uint32_t free_kept_ = none;
  std::uint32_t oldest_ = none, newest_ = none;                   // push entries, by last use
  std::uint32_t first_completed_ = none, last_completed_ = none;  // until their sums have left, in order of completion
  std::uint32_t occupancy_ = 0;
};

}  // namespace tributary
