#include "platforms/nvswitch/fabric_manager.h"

#include <algorithm>
#include <set>

namespace tributary {
namespace {
constexpr std::uint64_t round_up(std::uint64_t bytes) { return blocks_of(bytes) * block_bytes; }
}  // namespace

std::uint64_t FabricManager::reserve(Island& island, std::uint64_t bytes) {
  const std::uint64_t start = island.next;
  island.next += round_up(bytes);
  return start;
}

std::uint64_t FabricManager::registered_bytes() const {
  std::uint64_t most = 0;
  for (const Island& island : islands_) most = std::max(most, island.next);
  return most;
}

void FabricManager::claim(int gpu, const Allocation& a) {
  auto& mine = allocations_.at(static_cast<std::size_t>(gpu));
  for (const Allocation& other : mine)
    if (a.local < other.local + other.size && other.local < a.local + a.size)
      throw FabricError("gpu" + std::to_string(gpu) + ": memory " + std::to_string(a.local) + " to " +
                        std::to_string(a.local + a.size - 1) + " is registered already; regions must not alias");
  mine.push_back(a);
}

void FabricManager::check_members(const std::vector<int>& members) const {
  const std::set<int> distinct(members.begin(), members.end());
  if (distinct.size() != members.size()) throw FabricError("a multicast region names a member twice");
  if (members.size() < 2) throw FabricError("a multicast region needs at least two members");
  for (const int gpu : members)
    if (island_of(gpu) != island_of(members.front()))
      throw FabricError("gpu" + std::to_string(members.front()) + " and gpu" + std::to_string(gpu) +
                        " are members of a multicast region, but belong to islands that no switch joins");
}

BlockRange FabricManager::multicast_region(const std::vector<int>& members, std::uint64_t local, std::uint64_t bytes) {
  check_members(members);
  check_room(members);
  for (const int gpu : members) claim(gpu, {local, round_up(bytes)});
  return add_region(members, local, bytes);
}

BlockRange FabricManager::second_region(const std::vector<int>& members, std::uint64_t local, std::uint64_t bytes) {
  check_members(members);
  check_room(members);
  return add_region(members, local, bytes);
}

void FabricManager::check_room(const std::vector<int>& members) {
  const std::uint32_t capacity = system_.switch_count() == 0 ? 0 : system_.switch_at(0).regions().capacity();
  if (island(members.front()).regions >= capacity)
    throw FabricError(
        "the multicast tables of the switches are full (nvswitch.switch.mcr_entries = " + std::to_string(capacity) + ")");
}

BlockRange FabricManager::add_region(const std::vector<int>& members, std::uint64_t local, std::uint64_t bytes) {
  Island& island = this->island(members.front());
  MulticastRegion region{island.regions++, reserve(island, bytes), round_up(bytes), {members.begin(), members.end()}};
  for (std::size_t rank = 0; rank < members.size(); ++rank)
    system_.gpu(static_cast<unsigned>(members[rank]))
        .translation()
        .add({region.start, region.size, local, static_cast<std::uint8_t>(rank)});
  const int own = island_of(members.front());
  for (unsigned s = 0; s < system_.switch_count(); ++s)
    if (system_.island_of_switch(s) == own) system_.switch_at(s).add_region(region);
  return {region.start, bytes};
}

std::uint64_t FabricManager::unicast_buffer(int gpu, std::uint64_t local, std::uint64_t bytes) {
  claim(gpu, {local, round_up(bytes)});
  const std::uint64_t start = reserve(island(gpu), bytes);
  system_.gpu(static_cast<unsigned>(gpu)).translation().add({start, round_up(bytes), local});
  return start;
}

void FabricManager::clear() {
  for (auto& a : allocations_) a.clear();
  for (unsigned g = 0; g < system_.gpu_count(); ++g) system_.gpu(g).translation().clear();
  for (unsigned s = 0; s < system_.switch_count(); ++s) system_.switch_at(s).clear_regions();
  for (Island& island : islands_) island = {};
}

}  // namespace tributary
