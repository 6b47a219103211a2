#include "scoreboard.h"

#include <cstring>

#include "modules/base/random.h"
#include "modules/nvswitch/core/beat_sequencer.h"
#include "modules/protocol/nvlink.h"

namespace tributary {
namespace {
using Command = TableTransaction::Command;
using Answer = TableTransaction::Answer;

/// One of the two tables, with its own packets.
struct Side {
  Side(const char* name, BeatTable& table) : sequencer(name, table, bytes_per_second(25'000'000'000)) {}
  PacketPool pool{NvLink{}};
  BeatSequencer sequencer;

  /// Returns the answer and all output as text.
  std::string access(TableTransaction& t, unsigned bytes, std::uint64_t seed) {
    if (bytes != 0) t.packet = operand(t.address, bytes, seed);
    Packet* const in = t.packet;
    sequencer.access(t);
    std::string text = std::to_string(static_cast<int>(t.answer)) + " " + std::to_string(t.next_timeout);
    for (Packet* out : {t.result, t.evicted})
      if (out != nullptr) {
        text += " " + std::to_string(nv(*out).address) + "x" + std::to_string(t.count) + ":";
        text.append(reinterpret_cast<const char*>(out->payload), out->payload_bytes);
        out->release();
      }
    if (t.answer == Answer::bypassed || t.answer == Answer::missed) in->release();
    return text;
  }
  Packet* operand(std::uint64_t address, unsigned bytes, std::uint64_t seed) {
    Packet* p = pool.make(bytes, true);
    nv(*p).address = address, nv(*p).count = 1, nv(*p).type = ElementType::i32;
    for (unsigned i = 0; i < bytes / 4; ++i) {
      const auto lane = static_cast<std::uint32_t>(random_at(seed, 2, i));
      std::memcpy(p->payload + 4 * i, &lane, sizeof lane);
    }
    return p;
  }
};

class Traffic {
 public:
  Traffic(std::uint64_t seed, std::uint32_t entries) : seed_(seed), entries_(entries) {}
  std::uint64_t draw(std::uint64_t bound) { return below(random_at(seed_, 1, index_++), bound); }
  /// Draws the next transaction of a port and the bytes of its operand. Phases of many blocks alternate with phases of
  /// few.
  unsigned next(TableTransaction& t, Tick now) {
    const std::uint64_t blocks = index_ / 4096 % 2 == 0 ? entries_ / 2 : entries_ + entries_ / 4;
    const std::uint64_t block = draw(blocks), kind = draw(16);
    const bool pull = kind < 5;
    t.now = now;
    t.expected = 4;
    t.first_hop = true;
    t.requester = static_cast<std::uint16_t>(block % 3);
    t.address = (pull ? (1ull << 30) + block % 8 : block) * block_bytes;
    t.command = kind == 0 ? Command::allocate : pull ? Command::collect : Command::push;
    return t.command == Command::allocate ? 0 : block % 8 == 7 ? 80 : block_bytes;
  }
  std::uint64_t index() const { return index_; }

 private:
  std::uint64_t seed_, index_ = 0;
  std::uint32_t entries_;
};

void count(Score& score, const TableTransaction& t) {
  ++score.transactions;
  score.completions += t.answer == Answer::completed;
  score.refusals += t.answer == Answer::refused || t.answer == Answer::missed;
  if (t.evicted != nullptr) ++(t.command == Command::expire ? score.timeouts : score.evictions);
}

}  // namespace

Score compare(BeatTable& a, BeatTable& b, std::uint64_t transactions, std::uint64_t seed) {
  Side one("the first table", a), two("the second table", b);
  Traffic traffic(seed, a.capacity());
  Score score;
  constexpr Tick packet_time = 9 * 640;
  const auto both = [&](TableTransaction t, unsigned bytes) {
    TableTransaction u = t;
    const std::string x = one.access(t, bytes, traffic.index()), y = two.access(u, bytes, traffic.index());
    count(score, t);
    if (x != y && score.difference.empty())
      score.difference = "transaction " + std::to_string(score.transactions) + ": " + x + " and " + y;
    return t;
  };
  Tick timeout = never;
  for (Tick now = 0; score.transactions < transactions && score.difference.empty();) {
    now += traffic.draw(64) == 0 ? traffic.draw(4'000'000) : packet_time;
    TableTransaction t;
    t.now = now;
    t.command = Command::expire;
    while (timeout <= now && score.difference.empty()) timeout = both(t, 0).next_timeout;
    const unsigned bytes = traffic.next(t, now);
    t = both(t, bytes);
    if (t.answer == Answer::completed) {
      TableTransaction done;
      done.command = Command::finish;
      done.address = t.address;
      done.requester = t.command == Command::push ? TableTransaction::no_requester : t.requester;
      done.now = now += packet_time;
      t = both(done, 0);
    }
    timeout = t.next_timeout;
  }
  return score;
}

}  // namespace tributary
