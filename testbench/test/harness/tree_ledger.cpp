#include "testbench/test/harness/tree_ledger.h"

#include <algorithm>

namespace tributary {
namespace {

constexpr std::uint64_t flit = 16;
constexpr int no_group = -1;

/// A header and whole flits of payload.
std::uint64_t data_of(std::uint64_t message, std::uint64_t block) {
  const std::uint64_t payload = std::min<std::uint64_t>(128, message - block * 128);
  return flit + (payload + flit - 1) / flit * flit;
}

std::string port(const std::string& node, int p) { return node + ".port" + std::to_string(p); }
std::string gpu_port(int gpu, int plane) { return port("gpu" + std::to_string(gpu), plane); }
std::string leaf(int group, int plane, int p) {
  return port("leaf" + std::to_string(group) + "_" + std::to_string(plane), p);
}
std::string spine(int j, int plane, int p) { return port("spine" + std::to_string(j) + "_" + std::to_string(plane), p); }

}  // namespace

TreeLedger::TreeLedger(std::vector<int> gpus) : gpus_(std::move(gpus)) {
  for (const int g : gpus_) groups_[g / 8].push_back(g);
}

TreeLedger::Place TreeLedger::place(std::uint64_t block) {
  const std::uint64_t x = block / 6, home = x % 24;
  return {static_cast<int>(block % 6), static_cast<int>(home), static_cast<int>(home >= 16 ? home - 16 : (x + x / 24) % 8)};
}

void TreeLedger::access_up(int gpu, const Place& p, std::uint64_t bytes) {
  add(gpu_port(gpu, p.plane), leaf(gpu / 8, p.plane, gpu % 8), bytes);
}

void TreeLedger::access_down(int gpu, const Place& p, std::uint64_t bytes) {
  add(leaf(gpu / 8, p.plane, gpu % 8), gpu_port(gpu, p.plane), bytes);
}

void TreeLedger::group_up(int group, const Place& p, std::uint64_t bytes) {
  add(leaf(group, p.plane, 8 + p.spine), spine(p.spine, p.plane, group), bytes);
}

void TreeLedger::group_down(int group, const Place& p, std::uint64_t bytes) {
  add(spine(p.spine, p.plane, group), leaf(group, p.plane, 8 + p.spine), bytes);
}

void TreeLedger::unicast(int from, int to, const Place& p, std::uint64_t bytes) {
  access_up(from, p, bytes);
  if (from / 8 != to / 8) group_up(from / 8, p, bytes), group_down(to / 8, p, bytes);
  access_down(to, p, bytes);
}

void TreeLedger::to_home(int gpu, const Place& p, std::uint64_t bytes) {
  access_up(gpu, p, bytes);
  if (p.home == gpu / 8) return;
  group_up(gpu / 8, p, bytes);
  if (p.home < 16) group_down(p.home, p, bytes);
}

/// Adds the bytes from a leaf, or with no_group from the spine, to all members but one.
void TreeLedger::multicast(int from_group, int but, const Place& p, std::uint64_t bytes) {
  const bool elsewhere = groups_.size() > groups_.count(from_group);
  if (from_group != no_group && elsewhere) group_up(from_group, p, bytes);
  for (const auto& [group, members] : groups_) {
    if (group != from_group) group_down(group, p, bytes);
    for (const int g : members)
      if (g != but) access_down(g, p, bytes);
  }
}

void TreeLedger::push(std::uint64_t message) {
  for (std::uint64_t b = 0; b < (message + 127) / 128; ++b) {
    const Place p = place(b);
    for (const int g : gpus_) to_home(g, p, data_of(message, b) + flit);
    multicast(p.home < 16 ? p.home : no_group, -1, p, data_of(message, b));
  }
}

void TreeLedger::pull(std::uint64_t message, bool trunk_tables) {
  const std::uint64_t blocks = (message + 127) / 128, ranks = gpus_.size();
  for (std::uint64_t r = 0; r < ranks; ++r)
    for (std::uint64_t b = blocks * r / ranks; b < blocks * (r + 1) / ranks; ++b) {
      const Place p = place(b);
      const int owner = gpus_[r], own_group = owner / 8;
      const std::uint64_t data = data_of(message, b);
      for (const std::uint64_t bytes : {flit, data}) {  // the request, then the result
        access_up(owner, p, bytes);
        multicast(own_group, owner, p, bytes);
      }
      for (const int g : gpus_)
        if (g != owner) access_up(g, p, data), unicast(g, owner, p, flit);
      for (const auto& [group, members] : groups_)
        if (group != own_group) {
          const std::uint64_t packets = trunk_tables ? 1 : members.size();
          group_up(group, p, packets * data);
          if (!trunk_tables) group_down(own_group, p, packets * data);
        }
      if (trunk_tables && groups_.size() > 1) group_down(own_group, p, data);
      access_down(owner, p, data);
    }
}

std::string TreeLedger::difference(const ResultRow& row) const {
  std::string text;
  std::uint64_t sum = 0;
  for (const LinkUse& link : row.links) {
    const auto it = bytes_.find(link.name);
    const std::uint64_t expected = it == bytes_.end() ? 0 : it->second;
    sum += expected;
    if (link.bytes != expected && text.size() < 2000)
      text += link.name + " carried " + std::to_string(link.bytes) + " B instead of " + std::to_string(expected) + " B\n";
  }
  std::uint64_t all = 0;
  for (const auto& [name, bytes] : bytes_) all += bytes;
  if (all != sum) text += "the run has no such links\n";
  if (row.wire_bytes != sum) text += "wire_bytes " + std::to_string(row.wire_bytes) + ", not " + std::to_string(sum) + "\n";
  return text;
}

}  // namespace tributary
