#pragma once

#include <array>
#include <cstring>
#include <deque>

#include "modules/nvswitch/core/reduction_table.h"
#include "modules/protocol/nvlink.h"

namespace tributary {

/// A reduction table with short forms of the switch's requests. Blocks are numbers, not addresses.
class TableBench {
 public:
  using Command = TableTransaction::Command;
  using Answer = TableTransaction::Answer;

  explicit TableBench(unsigned entries, Tick timeout = 2'000'000, bool rank_order = false)
      : table(entries * block_bytes, timeout, rank_order) {}

  PacketPool pool{NvLink{}};
  ReductionTable table;
  std::deque<TableTransaction> completed;  ///< address and requester of sums that have not left

  /// Makes a packet with `count` operands of a block; all lanes are equal.
  template <class T>
  Packet* operand(std::uint64_t block, T lane, unsigned count = 1, ElementType type = ElementType::i32) {
    Packet* p = pool.make(block_bytes, true);
    nv(*p).address = block * block_bytes;
    nv(*p).count = static_cast<std::uint16_t>(count);
    nv(*p).type = type;
    for (std::size_t i = 0; i < block_bytes; i += sizeof lane) std::memcpy(p->payload + i, &lane, sizeof lane);
    return p;
  }
  /// Returns the lanes of a packet and releases it.
  template <class T = std::uint32_t>
  std::array<T, block_bytes / sizeof(T)> take(Packet* p) {
    std::array<T, block_bytes / sizeof(T)> lanes;
    std::memcpy(lanes.data(), p->payload, block_bytes);
    p->release();
    return lanes;
  }

  TableTransaction push(Packet* p, unsigned expected, Tick now) {
    TableTransaction t;
    t.command = Command::push;
    t.packet = p;
    t.expected = static_cast<std::uint16_t>(expected);
    return access(t, now);
  }
  TableTransaction allocate(std::uint64_t block, unsigned requester, unsigned expected, bool first_hop, Tick now) {
    TableTransaction t;
    t.command = Command::allocate;
    t.address = block * block_bytes;
    t.requester = static_cast<std::uint16_t>(requester);
    t.expected = static_cast<std::uint16_t>(expected);
    t.first_hop = first_hop;
    return access(t, now);
  }
  TableTransaction collect(Packet* p, unsigned requester, Tick now) {
    TableTransaction t;
    t.command = Command::collect;
    t.packet = p;
    t.requester = static_cast<std::uint16_t>(requester);
    return access(t, now);
  }
  TableTransaction expire(Tick now) {
    TableTransaction t;
    t.command = Command::expire;
    return access(t, now);
  }
  /// The sum that was completed first leaves.
  void finish(Tick now) {
    TableTransaction t = completed.front();
    completed.pop_front();
    t.command = Command::finish;
    access(t, now);
  }
  /// Returns the block of a packet that left the table.
  static std::uint64_t block_of(const Packet* p) { return nv(*p).address / block_bytes; }

 private:
  TableTransaction access(TableTransaction& t, Tick now) {
    t.now = now;
    TableTransaction block;
    block.requester = t.command == Command::push ? TableTransaction::no_requester : t.requester;
    if (t.packet != nullptr) block.address = nv(*t.packet).address;
    table.access(t);
    if (t.answer == Answer::completed) completed.push_back(block);
    return t;
  }
};

}  // namespace tributary
