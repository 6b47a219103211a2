#include "testbench/collective/staged/flat_ring.h"

#include <map>
#include <string>

#include "modules/base/index.h"
#include "testbench/collective/algorithm/ring.h"
#include "testbench/collective/schedule/placed.h"

namespace tributary::collective {
namespace {

/// Returns all places, the first and last as given, the others in cyclic order.
std::vector<int> path(int first, int last, int places) {
  std::vector<int> order{first};
  for (int i = 1; i < places; ++i)
    if (const int place = (first + i) % places; place != last) order.push_back(place);
  if (last != first) order.push_back(last);
  return order;
}

/// Returns the NIC by which ring `ring` enters each server, if each NIC has one place: two in turn, and a third one where
/// the number of servers is odd.
std::vector<int> entries(int ring, int nics, int servers) {
  if (nics < 2 || (servers % 2 != 0 && nics < 3))
    throw ScheduleError("ring: " + std::to_string(nics) + " rails of " + std::to_string(servers) +
                        " servers with a GPU each have no ring (legal: an even number of servers, or more rails)");
  std::vector<int> nic(at(servers));
  for (int s = 0; s < servers; ++s) nic[at(s)] = (ring + (s % 2) * (nics - 1)) % nics;
  if (servers % 2 != 0) nic.back() = (ring + nics - 2) % nics;
  return nic;
}

/// Adds the operations of a schedule to those of the same ranks, with other slots and chunks.
template <class ChunkOf>
void append(Schedule& all, const Schedule& one, int first_slot, ChunkOf chunk_of) {
  for (std::size_t r = 0; r < one.programs.size(); ++r) {
    const auto first = static_cast<int>(all.programs[r].size());
    for (Operation o : one.programs[r]) {
      o.id += first, o.chunk = chunk_of(o.chunk), o.slot += first_slot;
      for (int& before : o.deps) before += first;
      all.programs[r].push_back(std::move(o));
    }
  }
}

}  // namespace

std::vector<std::vector<int>> flat_ring_orders(const RailPlaces& places) {
  const int each = places.each();
  std::map<int, std::vector<int>> of_nic;
  for (int j = 0; j < each; ++j) of_nic[places.nic_of[at(j)]].push_back(j);
  std::vector<std::vector<int>> nics;
  nics.reserve(of_nic.size());
  for (const auto& [nic, of] : of_nic) nics.push_back(of);
  std::vector<std::vector<int>> orders;
  for (int k = 0; k < static_cast<int>(nics.size()); ++k) {
    const std::vector<int>& own = nics[at(k)];
    const bool in_turn = !places.joined && own.size() == 1 && each > 1;
    const std::vector<int> entry = in_turn ? entries(k, static_cast<int>(nics.size()), places.servers) : std::vector<int>{};
    std::vector<int>& order = orders.emplace_back();
    for (int s = 0; s < places.servers; ++s) {
      int first = own.front(), last = (first + each - 1) % each;
      if (!places.joined && own.size() > 1) first = own[1], last = own[0];
      if (in_turn) first = nics[at(entry[at(s)])].front(), last = nics[at(entry[at((s + 1) % places.servers)])].front();
      for (const int place : path(first, last, each)) order.push_back(s * each + place);
    }
  }
  return orders;
}

Schedule flat_ring_allreduce(const std::vector<std::vector<int>>& orders) {
  const auto ranks = static_cast<int>(orders.front().size()), rings = static_cast<int>(orders.size());
  Schedule all{"ring", ranks, rings * ranks, rings * ranks, std::vector<std::vector<Operation>>(at(ranks))};
  for (int k = 0; k < rings; ++k)
    append(all, placed(ring_allreduce(ranks), orders[at(k)]), k * ranks, [&](int chunk) { return chunk + k * ranks; });
  return all;
}

Schedule flat_ring_of_slices(StageWork work, const std::vector<std::vector<int>>& orders) {
  const bool gathers = work == StageWork::allgather;
  if (!gathers && work != StageWork::reduce_scatter) throw ScheduleError("ring: the collective has no slices of ranks");
  const auto ranks = static_cast<int>(orders.front().size()), rings = static_cast<int>(orders.size());
  const Schedule ring = gathers ? ring_allgather(ranks) : ring_reduce_scatter(ranks);
  Schedule all{"ring", ranks, rings * ranks, rings * ring.slots, std::vector<std::vector<Operation>>(at(ranks))};
  all.goals.resize(at(all.chunks));
  for (int k = 0; k < rings; ++k) {
    const Schedule one = placed(ring, orders[at(k)]);
    append(all, one, k * ring.slots, [&](int chunk) { return chunk * rings + k; });
    for (int r = 0; r < ranks; ++r) all.goals[at(r * rings + k)] = one.goals[at(r)];
  }
  return all;
}

}  // namespace tributary::collective
