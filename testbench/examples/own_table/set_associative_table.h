#pragma once
/// SetAssociativeTable: a user-defined reduction table.

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "modules/nvswitch/core/table_probes.h"
#include "modules/nvswitch/reduction_table_module.h"
#include "modules/protocol/nvlink.h"

/// A reduction table for push with sets of `ways` entries. A block maps to one set; the least recently used entry of a
/// full set is evicted.
class SetAssociativeTable : public tributary::ReductionTableModule, private tributary::TableProbes {
  using Transaction = tributary::TableTransaction;
  using Packet = tributary::Packet;
  using Tick = tributary::Tick;

 public:
  SetAssociativeTable(const sc_core::sc_module_name& name, const tributary::ReductionTableConfig& config, std::size_t ways)
      : tributary::ReductionTableModule(name),
        timeout_(config.timeout),
        ways_(ways),
        entries_(config.bytes / tributary::block_bytes) {}
  ~SetAssociativeTable() override { reset(); }

  bool leak = false;  ///< true: lose the next operand that would be added, once

  std::vector<std::string> waiting() const override {
    std::vector<std::string> lines;
    for (const Entry& e : entries_)
      if (e.sum != nullptr)
        lines.push_back("block " + std::to_string(block(*e.sum)) + ": " + std::to_string(e.count) + " operands");
    return lines;
  }
  void reset() override {
    for (Entry& e : entries_) {
      if (e.sum != nullptr) e.sum->release();
      e = {};
    }
  }
  void describe(tributary::ProbeDirectory& directory, const std::string& prefix) override {
    TableProbes::describe(directory, prefix, static_cast<std::uint32_t>(entries_.size()));
    directory.add_signal(prefix + "conflicts", conflicts_, tributary::SignalKind::strobe, 41,
                         "an eviction although another set has room (block number)");
  }

 private:
  struct Entry {
    Packet* sum = nullptr;
    unsigned count = 0, expected = 0;
    Tick used = 0;
    bool leaving = false;     ///< complete, but its last flit has not left yet
    std::uint64_t block = 0;  ///< of a leaving entry
  };

  static std::uint64_t block(const Packet& p) { return tributary::nv(p).address / tributary::block_bytes; }

  void b_transport(Transaction& t, sc_core::sc_time&) override {
    if (t.command == Transaction::Command::push) push(t);
    if (t.command == Transaction::Command::expire) expire(t);
    if (t.command == Transaction::Command::finish)
      for (Entry& e : entries_) e.leaving = e.leaving && e.block != t.address / tributary::block_bytes;
    if (t.command == Transaction::Command::allocate || t.command == Transaction::Command::collect)
      throw std::logic_error("this table cannot pull");
    const Entry* e = oldest(entries_.data(), entries_.size());
    t.next_timeout = e == nullptr ? tributary::never : e->used + timeout_;
    occupancy_probe(t.now, static_cast<std::uint64_t>(std::count_if(entries_.begin(), entries_.end(), [](const Entry& one) {
                      return one.sum != nullptr || one.leaving;
                    })));
  }

  void push(Transaction& t) {
    const std::uint64_t number = block(*t.packet);
    Entry* const set = &entries_[number % (entries_.size() / ways_) * ways_];
    Entry* const end = set + ways_;
    Entry* e = std::find_if(set, end, [&](const Entry& one) { return one.sum != nullptr && block(*one.sum) == number; });
    if (e != end) return add(t, *e);
    e = std::find_if(set, end, [](const Entry& one) { return one.sum == nullptr && !one.leaving; });
    if (e == end) {
      e = oldest(set, ways_);
      evictions(t.now, block(*e->sum));
      if (std::any_of(entries_.begin(), entries_.end(), [](const Entry& one) { return one.sum == nullptr && !one.leaving; }))
        conflicts_(t.now, block(*e->sum));
      take(t, t.evicted, *e);
    }
    allocations(t.now, number);
    *e = {t.packet, tributary::nv(*t.packet).count, t.expected, t.now, false, 0};
    t.answer = Transaction::Answer::inserted;
  }

  void add(Transaction& t, Entry& e) {
    const tributary::NvHeader& h = tributary::nv(*t.packet);
    if (e.sum->payload != nullptr) apply(h.op, h.type, e.sum->payload, t.packet->payload, t.packet->payload_bytes);
    if (!leak) e.count += h.count;
    leak = false;
    e.used = t.now;
    merges(t.now, block(*e.sum));
    t.packet->release();
    t.answer = Transaction::Answer::merged;
    if (e.count < e.expected) return;
    const std::uint64_t number = block(*e.sum);
    completions(t.now, number);
    take(t, t.result, e);
    e.leaving = true;
    e.block = number;
    t.answer = Transaction::Answer::completed;
  }

  void expire(Transaction& t) {
    Entry* e = oldest(entries_.data(), entries_.size());
    if (e == nullptr || e->used + timeout_ > t.now) return;
    timeouts(t.now, block(*e->sum));
    take(t, t.evicted, *e);
    t.answer = Transaction::Answer::inserted;
  }

  static void take(Transaction& t, Packet*& to, Entry& e) {
    to = e.sum;
    t.count = static_cast<std::uint16_t>(e.count);
    e = {};
  }

  /// Returns the least recently used entry of a group; null if there is none.
  static Entry* oldest(Entry* first, std::size_t count) {
    Entry* found = nullptr;
    for (Entry* e = first; e != first + count; ++e)
      if (e->sum != nullptr && (found == nullptr || e->used < found->used)) found = e;
    return found;
  }

  tributary::SignalProbe conflicts_;
  Tick timeout_;
  std::size_t ways_;
  std::vector<Entry> entries_;  // ordered by set
};
