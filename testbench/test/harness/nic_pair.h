#pragma once
/// Two NICs with a router and a link each, without a platform, and an all-reduce of two for them.

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "modules/engine/completion_listener.h"
#include "platforms/schedule_nic/network_node.h"

namespace tributary::nic_pair {

inline constexpr std::uint16_t nil = ScheduleEntry::nil;
inline constexpr std::uint32_t chunk = 256;

class Finished : public CompletionListener {
 public:
  void done(unsigned nic, Tick when) override { when_[nic] = when; }
  void failed(unsigned, Tick, const std::string&) override {}
  Tick when(unsigned nic) const { return when_.at(nic); }

 private:
  std::map<unsigned, Tick> when_;
};

/// Two NICs with a router and a link each, joined: no platform.
struct Pair {
  Pair(const std::string& name, const Nic::Parts& parts) {
    for (std::uint16_t n = 0; n < 2; ++n) {
      NetworkNode::Config c;
      c.parts = parts;
      c.router.core.ports = c.router.core.interfaces = 1;
      c.router.core.latency = 3000;
      c.router.core.rate = c.router.link.rate = 16_GBps;
      c.router.core.port_names = {"port0"};
      c.router.core.ways.to.resize(2);
      c.router.core.ways.to[1 - n].port = 0;
      c.router.link.latency = 150_ns;
      c.router.max_flits = 17;
      c.router.buffer_flits = 318;
      NicCore::Config& nic = c.nic.emplace();
      nic.schedule = {n, NicParams{}, 16_GBps, FlowControlParams{}};
      nic.table_entries = 4;
      nic.interface_of = {0, 0};
      nodes.push_back(std::make_unique<NetworkNode>((name + std::to_string(n)).c_str(), c, pool, views, host));
    }
    const LinkEnd a = nodes[0]->link_end(0), b = nodes[1]->link_end(0);
    a.out.bind(b.in);
    b.out.bind(a.in);
  }
  ~Pair() {
    for (auto& node : nodes) node->reset();
  }
  /// The two chunks of rank n are full of 10 + n.
  void fill(unsigned n) {
    nodes[n]->nic()->resize_memory(2 * chunk);
    const std::vector<std::int32_t> values(2 * chunk / 4, 10 + static_cast<std::int32_t>(n));
    std::memcpy(nodes[n]->nic()->memory(), values.data(), 2 * chunk);
  }
  std::int32_t value(unsigned n, std::size_t element) {
    std::int32_t v;
    std::memcpy(&v, nodes[n]->nic()->memory() + 4 * element, 4);
    return v;
  }
  PacketPool pool{ScheduleNicLink{}};
  PayloadViews views;
  Finished host;
  std::vector<std::unique_ptr<NetworkNode>> nodes;
};

/// Of an all-reduce of two: each sends the other's chunk up, and its own down.
inline std::vector<ScheduleEntry> rows_of(std::uint16_t n) {
  const auto other = static_cast<std::uint16_t>(1 - n);
  return {{ScheduleEntry::Op::reduce, other, other, {nil, nil, nil, nil}, 1, other * std::uint64_t{chunk}, chunk},
          {ScheduleEntry::Op::gather, n, nil, {other, nil, nil, nil}, 2, n * std::uint64_t{chunk}, chunk}};
}
inline NicProgram program_of(std::uint16_t n) {
  NicProgram p;
  p.table.entries = rows_of(n);
  p.table.reduces = p.table.gathers = 1;
  p.type = ElementType::i32;
  return p;
}

inline constexpr Tick t0 = 1'000'000;
inline void run(Pair& pair) {
  for (std::uint16_t n = 0; n < 2; ++n) pair.fill(n);
  for (std::uint16_t n = 0; n < 2; ++n) pair.nodes[n]->post(program_of(n), t0);
}

}  // namespace tributary::nic_pair
