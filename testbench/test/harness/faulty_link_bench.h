#pragma once
/// One link with errors, and the packets that it delivers.

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "modules/link/core/nvlink_links.h"
#include "testbench/observe/signal_counter.h"

namespace tributary {

using Numbers = std::vector<std::uint64_t>;

struct Delivery {
  std::uint64_t number;
  unsigned vc;
  Tick start, tail;
  bool operator==(const Delivery& o) const { return number == o.number && vc == o.vc && start == o.start && tail == o.tail; }
};

/// Scripted faults: the packets `corrupt` are damaged, the packets `duplicate` leave twice. `buffer`: replay buffer in
/// flits.
inline LinkRetransmission::Config link_faults(Numbers corrupt, Numbers duplicate = {}, unsigned buffer = 1000) {
  LinkRetransmission::Config c;
  c.buffer_flits = buffer;
  c.corrupt = std::move(corrupt);
  c.duplicate = std::move(duplicate);
  return c;
}

/// A link and its deliveries. Packets are numbered in the order in which they are pushed.
class FaultyLinkBench {
 public:
  explicit FaultyLinkBench(const LinkRetransmission::Config* protection, unsigned credits = 10'000)
      : tx(NvLinkTransmitter::Config{LinkParams{}, credits, 0}) {
    if (protection == nullptr) return;
    tx.protect(*protection);
    tx.retransmission()->begin(0);
    tx.describe(directory, "");
    for (const char* event : {"crc_errors", "duplicates_dropped", "retransmissions"})
      counters.add(directory, {{std::string("link.") + event, event}});
  }
  explicit FaultyLinkBench(const LinkRetransmission::Config& protection, unsigned credits = 10'000)
      : FaultyLinkBench(&protection, credits) {}

  void push(unsigned vc, Tick ready, unsigned payload = 128) {
    Packet* p = pool.make(payload, false);
    p->vc = static_cast<std::uint8_t>(vc);
    p->born = pushed++;
    tx.push(p, vc, flits_of<NvLink>(*p), ready, ready);
  }
  void push_many(unsigned packets) {
    for (unsigned i = 0; i < packets; ++i) push(0, 0);
  }
  Tick run(Tick horizon) {
    return tx.run_until(horizon, [&](const NvLinkTransmitter::Sent& s) {
      delivered.push_back({s.packet->born, s.packet->vc, s.head - 20'640, s.tail});
      if (give_back) tx.credit(s.packet->vc, flits_of<NvLink>(*s.packet), s.tail + 100'000);
      s.packet->release();
    });
  }
  std::vector<Tick> starts() const {
    std::vector<Tick> t;
    for (const Delivery& d : delivered) t.push_back(d.start);
    return t;
  }
  bool once_and_in_order() const {
    std::map<unsigned, std::uint64_t> last;
    std::vector<bool> seen(pushed, false);
    for (const Delivery& d : delivered) {
      if (seen[d.number] || (last.count(d.vc) != 0 && d.number < last[d.vc])) return false;
      seen[d.number] = true;
      last[d.vc] = d.number;
    }
    return delivered.size() == pushed;
  }
  std::uint64_t count(const std::string& event) const {
    for (const SignalCounters::Counter& c : counters.counters())
      if (c.name == event) return c.count;
    throw std::logic_error(event);
  }
  /// {crc_errors, retransmissions, duplicates_dropped}
  Numbers counts() const { return {count("crc_errors"), count("retransmissions"), count("duplicates_dropped")}; }

  PacketPool pool{NvLink{}};
  NvLinkTransmitter tx;
  ProbeDirectory directory;
  SignalCounters counters;
  std::vector<Delivery> delivered;
  std::uint64_t pushed = 0;
  bool give_back = false;
};

}  // namespace tributary
