#include "platforms/netreduce/ring_manager.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "modules/base/random.h"
#include "modules/protocol/roce.h"

namespace tributary {
namespace {

constexpr std::uint64_t psn_stream = 0x50534E;

}  // namespace

HostConnection RingManager::connect(int from, int to) {
  HostConnection c;
  c.from = from, c.to = to;
  c.from_pair = pairs_[from]++;
  c.to_pair = pairs_[to]++;
  const std::uint64_t name = static_cast<std::uint64_t>(from) << 40 | static_cast<std::uint64_t>(to) << 20 | c.to_pair;
  const std::uint64_t random = random_at(seed_, psn_stream, name);
  c.psn = format_.first_psn.value_or(static_cast<std::uint32_t>(random) & Psn::mask);
  c.answer_psn = format_.first_psn.value_or(static_cast<std::uint32_t>(random >> 24) & Psn::mask);
  c.udp_port = static_cast<std::uint16_t>(first_udp_port | (random >> 48 & 0x3FFF));
  return c;
}

std::vector<std::uint16_t> RingManager::numbers() const {
  std::vector<std::uint16_t> all;
  for (const auto& [number, ring] : rings_) all.push_back(number);
  return all;
}

std::uint16_t RingManager::add_ring(const std::vector<int>& hosts, ElementType type, ReduceOp op,
                                    const RingPattern& pattern) {
  if (std::set<int>(hosts.begin(), hosts.end()).size() != hosts.size())
    throw std::invalid_argument("a ring contains a host twice");
  if (rings_.size() > 0xFFFE) throw std::invalid_argument("too many rings (legal: at most 65535)");
  const auto number = static_cast<std::uint16_t>(rings_.size() + 1);
  Ring ring{hosts, {}, type, op, pattern, 0};
  if (racks_.spines > 0) ring.spine = number % racks_.spines;
  for (std::size_t r = 0; r < hosts.size(); ++r)
    ring.connections.push_back(connect(hosts[r], hosts[(r + 1) % hosts.size()]));
  rings_.emplace(number, std::move(ring));
  return number;
}

AggregationRing RingManager::base(std::uint16_t number, const Ring& ring) const {
  AggregationRing a;
  a.ring = number;
  a.window = format_.window;
  a.message_packets = format_.message_packets;
  a.mtu = format_.mtu;
  a.ack_interval = format_.ack_interval;
  a.type = ring.type;
  a.op = ring.op;
  a.pattern = ring.pattern;
  return a;
}

std::vector<int> RingManager::racks_of(const Ring& ring) const {
  std::set<int> racks;
  for (const int host : ring.hosts) racks.insert(racks_.rack_of(host));
  return {racks.begin(), racks.end()};
}

std::vector<AggregationRing> RingManager::rings_of_leaf(int rack) const {
  std::vector<AggregationRing> all;
  for (const auto& [number, ring] : rings_) {
    const std::vector<int> racks = racks_of(ring);
    const auto place = std::find(racks.begin(), racks.end(), rack);
    if (place == racks.end()) continue;
    AggregationRing a = base(number, ring);
    a.station = static_cast<std::uint16_t>(racks_.leaf_station(rack));
    for (std::size_t r = 0; r < ring.hosts.size(); ++r) {
      const HostConnection& c = ring.connections[r];
      if (racks_.rack_of(c.from) == rack)
        a.members.push_back(
            {{static_cast<std::uint16_t>(c.from), static_cast<std::uint16_t>(c.to), pair_number(c.to_pair)},
             static_cast<std::uint16_t>(r),
             accelerator_port(c.from),
             {static_cast<std::uint16_t>(c.to), static_cast<std::uint16_t>(c.from), pair_number(c.from_pair)},
             c.psn});
      if (racks.size() > 1 && racks_.rack_of(c.to) == rack)
        a.receivers.push_back({static_cast<std::uint16_t>(c.to), accelerator_port(c.to)});
    }
    if (racks.size() > 1) {
      a.role = TreeRole::leaf;
      a.parent = static_cast<std::uint16_t>(racks_.spine_station(ring.spine));
      a.number = static_cast<std::uint16_t>(place - racks.begin());
      a.uplink = uplink();
    }
    all.push_back(std::move(a));
  }
  return all;
}

std::vector<AggregationRing> RingManager::rings_of_spine(int spine) const {
  std::vector<AggregationRing> all;
  for (const auto& [number, ring] : rings_) {
    const std::vector<int> racks = racks_of(ring);
    if (racks.size() < 2 || ring.spine != spine) continue;
    AggregationRing a = base(number, ring);
    a.role = TreeRole::root;
    a.station = static_cast<std::uint16_t>(racks_.spine_station(spine));
    for (std::size_t k = 0; k < racks.size(); ++k)
      a.members.push_back({{static_cast<std::uint16_t>(racks_.leaf_station(racks[k])), a.station, number},
                           static_cast<std::uint16_t>(k),
                           static_cast<unsigned>(racks[k])});
    if (ring.pattern.by_packet()) add_leaves(a, ring, racks);
    all.push_back(std::move(a));
  }
  return all;
}

/// A root has to know the ranks at each leaf, to send data only where a rank receives them.
void RingManager::add_leaves(AggregationRing& a, const Ring& ring, const std::vector<int>& racks) const {
  a.ranks_of.resize(racks.size());
  for (const int host : ring.hosts) {
    const auto leaf = std::find(racks.begin(), racks.end(), racks_.rack_of(host)) - racks.begin();
    a.leaf_of.push_back(static_cast<std::uint16_t>(leaf));
    ++a.ranks_of[static_cast<std::size_t>(leaf)];
  }
}

std::vector<RingManager::Detour> RingManager::detours(int rack, bool of_pairs, bool answers) const {
  std::vector<Detour> all;
  std::set<std::pair<int, int>> pairs;  // rings of the GPUs of two hosts share a rule
  const auto add = [&](const HostConnection& c, int host) {
    if (!of_pairs && !pairs.emplace(c.from, c.to).second) return;
    all.push_back({c, static_cast<unsigned>(racks_.accelerator_port(static_cast<int>(accelerator_port(host))))});
  };
  for (const auto& [number, ring] : rings_)
    for (const HostConnection& c : ring.connections)
      if (racks_.rack_of(c.from) == rack) {
        add(c, c.from);
        const HostConnection back{c.to, c.from, c.to_pair, c.from_pair, c.answer_psn, c.psn, c.udp_port};
        if (answers && racks_.rack_of(c.to) == rack) add(back, c.to);
      } else if (racks_.rack_of(c.to) == rack)
        add(c, c.to);
  return all;
}

void RingManager::clear() {
  rings_.clear();
  pairs_.clear();
}

}  // namespace tributary
