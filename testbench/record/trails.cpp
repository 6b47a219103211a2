#include "testbench/record/trails.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace tributary {
namespace {

using Role = TimelineEvent::Role;
using Device = std::uint32_t;

constexpr std::size_t no_node = ~std::size_t{0};

/// SplitMix64 of the block and of the number of the trail in it.
std::uint64_t mixed(const PacketTrail& block, std::uint64_t number) {
  std::uint64_t x = block.block + (1 + std::uint64_t{block.job}) * 0x9E3779B97F4A7C15 + number * 0xD1B54A32D192ED03;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

/// Numbers of the devices of tracks.
struct Devices {
  explicit Devices(const std::vector<TimelineTrack>& tracks) {
    std::map<std::string, Device> numbers;
    const auto number = [&](const std::string& name) {
      return numbers.try_emplace(name, static_cast<Device>(numbers.size())).first->second;
    };
    for (const TimelineTrack& track : tracks)
      of_track.push_back(number(track.device)), beyond.push_back(number(track.receiver));
  }
  std::vector<Device> of_track, beyond;  ///< [track]: its device, and the receiver of its link
};

/// The trails of one block. Events are added in order of time.
class OneBlock {
 public:
  OneBlock(const std::vector<TimelineEvent>& events, const Devices& devices, const std::set<Device>& endpoints)
      : events_(events), devices_(devices), endpoints_(endpoints) {}

  void add(std::size_t event) {
    const TimelineEvent& e = events_[event];
    const Device here = devices_.of_track[e.track];
    switch (e.role) {
      case Role::packet: {
        const std::size_t before = packet_before(here, e);
        const std::size_t node = add_node(event, before == no_node ? cause(here, e) : before);
        const Device there = devices_.beyond[e.track];
        packets_[{there, e.name, e.source}].nodes.push_back(node);
        if (endpoints_.count(there) == 0) operands_[{there, e.source}].push_back(node);
        break;
      }
      case Role::arrival: {
        const std::size_t node = add_node(event, packet_before(here, e));
        arrivals_[here].push_back(node);
        operands_[{here, e.source}].push_back(node);
        break;
      }
      case Role::operand:
        add_operand(event, here);
        break;
      case Role::emission:
        emissions_[here] = add_node(event, no_node);
        break;
      case Role::other:
        break;
    }
  }

  /// Calls use(event, number of the trail).
  template <class Use>
  void finish(Use use) const {
    std::uint64_t number = 0;
    for (const Node& end : nodes_) {
      const Role role = events_[end.event].role;
      if (role == Role::emission || (role == Role::packet && end.continued)) continue;
      std::vector<std::size_t> path{end.event};
      if (end.operand != no_node) path.push_back(end.operand);
      for (std::size_t at = end.before; at != no_node; at = nodes_[at].before) {
        path.push_back(nodes_[at].event);
        if (events_[nodes_[at].event].role != Role::packet) break;
      }
      ++number;
      if (path.size() > 1)
        for (const std::size_t event : path) use(event, number);
    }
  }

 private:
  struct Node {
    std::size_t event;
    std::size_t before;             ///< node; no_node: the trail begins here
    bool continued = false;         ///< by a packet or an arrival
    std::size_t operand = no_node;  ///< event
  };
  struct Packets {
    std::vector<std::size_t> nodes;
    std::size_t open = 0;  ///< nodes before this one are continued, or operands
  };

  std::size_t add_node(std::size_t event, std::size_t before) {
    nodes_.push_back({event, before});
    if (before != no_node) nodes_[before].continued = true;
    return nodes_.size() - 1;
  }
  bool is_open(std::size_t node) const { return !nodes_[node].continued && nodes_[node].operand == no_node; }
  Tick time_of(std::size_t node) const { return events_[nodes_[node].event].from; }

  /// Returns the packet that continues as `e` from the device. Copies of a packet leave on different tracks.
  std::size_t packet_before(Device device, const TimelineEvent& e) {
    const auto found = packets_.find({device, e.name, e.source});
    if (found == packets_.end()) return no_node;
    Packets& packets = found->second;
    while (packets.open < packets.nodes.size() && !is_open(packets.nodes[packets.open])) ++packets.open;
    std::size_t node = no_node;
    if (packets.open < packets.nodes.size() && time_of(packets.nodes[packets.open]) < e.from)
      node = packets.nodes[packets.open];
    else if (packets.open > 0 && nodes_[packets.nodes[packets.open - 1]].operand == no_node)
      node = packets.nodes[packets.open - 1];
    if (node != no_node && !taken_.emplace(node, e.track).second) return no_node;
    return node;
  }
  /// Returns the emission or arrival that a new packet of the device follows.
  std::size_t cause(Device device, const TimelineEvent& e) {
    const auto emission = emissions_.find(device);
    const std::size_t sum = emission == emissions_.end() ? no_node : emission->second;
    const std::vector<std::size_t>& arrivals = arrivals_[device];
    std::size_t& next = next_arrival_[{device, e.track}];
    const auto passed = [&](std::size_t node) {
      return nodes_[node].operand != no_node || (sum != no_node && time_of(node) < time_of(sum));
    };
    while (next < arrivals.size() && passed(arrivals[next])) ++next;
    if (next < arrivals.size() && time_of(arrivals[next]) <= e.from) return arrivals[next++];
    if (next > 0 && !passed(arrivals[next - 1])) return arrivals[next - 1];
    return sum;
  }
  void add_operand(std::size_t event, Device device) {
    const auto found = operands_.find({device, events_[event].source});
    if (found == operands_.end()) return;
    std::vector<std::size_t>& nodes = found->second;
    const auto used = [&](std::size_t node) {
      if (!is_open(node)) return true;
      if (time_of(node) > events_[event].from) return false;
      nodes_[node].operand = event;
      return true;
    };
    nodes.erase(std::remove_if(nodes.begin(), nodes.end(), used), nodes.end());
  }

  const std::vector<TimelineEvent>& events_;
  const Devices& devices_;
  const std::set<Device>& endpoints_;  ///< devices with arrivals
  std::vector<Node> nodes_;
  std::map<std::tuple<Device, std::uint32_t, std::uint64_t>, Packets> packets_;    ///< by receiver, name and source
  std::map<std::pair<Device, std::uint64_t>, std::vector<std::size_t>> operands_;  ///< by device and source: candidates
  std::map<Device, std::vector<std::size_t>> arrivals_;
  std::map<std::pair<Device, std::uint32_t>, std::size_t> next_arrival_;  ///< by device and track
  std::map<Device, std::size_t> emissions_;
  std::set<std::pair<std::size_t, std::uint32_t>> taken_;  ///< packets and the tracks on which they continue
};

}  // namespace

Trails::Trails(const std::vector<TimelineEvent>& events, const std::vector<TimelineTrack>& tracks) {
  const Devices devices(tracks);
  std::set<Device> endpoints;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].role == Role::arrival) endpoints.insert(devices.of_track[events[i].track]);
    if (events[i].role != Role::other && events[i].flow.block != PacketTrail::none) order.push_back(i);
  }
  const auto block_of = [&](std::size_t i) { return std::make_pair(events[i].flow.block, events[i].flow.job); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return block_of(a) < block_of(b); });
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    OneBlock one(events, devices, endpoints);
    for (end = begin; end < order.size() && block_of(order[end]) == block_of(order[begin]); ++end) one.add(order[end]);
    const PacketTrail& block = events[order[begin]].flow;
    one.finish([&](std::size_t event, std::uint64_t number) { members_.push_back({event, mixed(block, number)}); });
  }
  std::stable_sort(members_.begin(), members_.end(), [](const Member& a, const Member& b) { return a.event < b.event; });
}

std::vector<std::uint64_t> Trails::of(std::size_t event) const {
  std::vector<std::uint64_t> trails;
  const auto first = std::lower_bound(members_.begin(), members_.end(), event,
                                      [](const Member& member, std::size_t e) { return member.event < e; });
  for (auto at = first; at != members_.end() && at->event == event; ++at) trails.push_back(at->trail);
  return trails;
}

}  // namespace tributary
