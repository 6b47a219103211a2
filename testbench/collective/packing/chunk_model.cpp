#include "testbench/collective/packing/chunk_model.h"

#include <algorithm>
#include <cmath>

#include "modules/base/index.h"
#include "testbench/collective/packing/chunk_routes.h"

namespace tributary::collective {
namespace {

constexpr std::uint64_t least_chunk = 16'000, most_chunk = 64'000'000, most_pieces = 2'000;
constexpr std::uint64_t whole_message = std::uint64_t{1} << 62;

/// The links of a pair, or those of one rank to all its peers (`to` is no_rank) or from them.
using Links = std::pair<int, int>;

/// Returns the keys of the links that a copy uses.
std::vector<Links> links_of(int from, int to, bool shared) {
  if (!shared) return {{from, to}};
  return {{from, no_rank}, {no_rank, to}};
}

template <class Key>
double longest_of(const std::map<Key, double>& of) {
  double most = 0;
  for (const auto& [key, seconds] : of) most = std::max(most, seconds);
  return most;
}

}  // namespace

struct ChunkModel::Load {
  struct OfTree {
    double seconds = 0, copies = 0;
  };
  std::map<Links, std::map<int, OfTree>> links;         ///< copies of each tree
  std::map<std::tuple<int, int, int>, double> streams;  ///< by tree, from, to; of the rank whose engines copy
  std::map<std::tuple<int, int, int>, double> senders;  ///< the same, of ranks whose data are read
  std::map<int, double> engines, kernels;               ///< by rank

  /// Returns the mean time that a copy of the tree waits for the links while other trees use them.
  double wait(const Links& key, int tree) const {
    double all = 0, wait = 0;
    for (const auto& [other, load] : links.at(key)) all += load.seconds;
    for (const auto& [other, load] : links.at(key))
      if (other != tree) wait += load.seconds / all * (load.seconds / load.copies / 2);
    return wait;
  }

  double longest(unsigned engines_of_rank) const {
    double longest =
        std::max({longest_of(streams), longest_of(senders), longest_of(engines) / engines_of_rank, longest_of(kernels)});
    for (const auto& [key, trees] : links) {
      double all = 0;
      for (const auto& [tree, load] : trees) all += load.seconds;
      longest = std::max(longest, all);
    }
    return longest;
  }
};

ChunkModel::ChunkModel(TreeRequest request, const std::function<ChunkWire(int, int, int)>& wire, const ChunkCosts& costs)
    : costs_(costs), message_(request.message_bytes) {
  request.chunk_bytes = whole_message;
  const PackedSchedule packed = routed_chunks(request);
  routes_.resize(packed.routes.size());
  for (std::size_t r = 0; r < routes_.size(); ++r) add_hops(packed.routes[r], routes_[r]);
  for (const PackedChunk& chunk : packed.chunks) routes_[at(chunk.route)].bytes += chunk.bytes;
  for (const Route& route : routes_)
    for (const Hop& hop : route.hops)
      if (hop.from != hop.to) wires_.try_emplace({hop.tree, hop.from, hop.to}, wire(hop.tree, hop.from, hop.to));
}

void ChunkModel::add_hops(const ChunkRoute& route, Route& made) const {
  const Tree& tree = route.routes;
  std::map<int, std::size_t> up, down;  // by rank: hop to its parent, hop from its parent
  const auto inputs = [&](int rank) { return static_cast<unsigned>(tree.children[at(rank)].size()); };
  const int ranks = static_cast<int>(tree.parent.size());
  for (int r = 0; r < ranks; ++r) {
    const int parent = tree.parent[at(r)];
    if (parent == no_rank) continue;
    if (route.up) {
      up[r] = made.hops.size();
      made.hops.push_back({route.tree, r, parent, inputs(r), inputs(r), true});
    }
    if (route.down) {
      down[r] = made.hops.size();
      made.hops.push_back({route.tree, parent, r, parent == route.root && !route.up ? 0u : 1u, 0, true});
    }
  }
  const std::size_t sums = made.hops.size();
  if (route.up)
    made.hops.push_back({route.tree, route.root, route.root, inputs(route.root), inputs(route.root), route.down});
  for (int leaf = 0; leaf < ranks; ++leaf) {
    std::vector<std::size_t> ascent, descent;
    for (int r = leaf; r != no_rank && tree.parent[at(r)] != no_rank; r = tree.parent[at(r)]) {
      if (route.up) ascent.push_back(up[r]);
      if (route.down) descent.push_back(down[r]);
    }
    if (route.up) ascent.push_back(sums), made.paths.push_back(std::move(ascent));
    if (route.down) made.paths.push_back(std::move(descent));
  }
}

ChunkModel::Cut ChunkModel::cut(std::uint64_t bytes, std::uint64_t chunk) {
  const std::uint64_t chunks = std::max<std::uint64_t>(1, (bytes + chunk - 1) / chunk);
  return {static_cast<double>(chunks), static_cast<double>(bytes) / static_cast<double>(chunks)};
}

double ChunkModel::copy(const Hop& hop, double bytes) const {
  if (hop.from == hop.to) return 0;
  return costs_.launch + costs_.read_trip.value_or(0) + bytes * wires_.at({hop.tree, hop.from, hop.to}).byte;
}

double ChunkModel::handover(const Hop& hop) const { return reads(hop) ? costs_.record + costs_.wait : 0; }

double ChunkModel::kernels(const Hop& hop, double bytes) const {
  double seconds = 0;  // kernels of n inputs read n + 1 arrays and write one
  for (unsigned left = hop.sums; left > 0; left -= std::min(left, costs_.fan_in))
    seconds += bytes * costs_.byte_added * (std::min(left, costs_.fan_in) + 2) / 3;
  return seconds;
}

double ChunkModel::command(const Hop& hop, double bytes) const {
  const double launches = std::ceil(static_cast<double>(hop.sums) / costs_.fan_in) * costs_.kernel_launch;
  return hop.waits * costs_.wait + launches + kernels(hop, bytes) + (hop.records ? costs_.record : 0);
}

ChunkModel::Load ChunkModel::load(std::uint64_t chunk) const {
  Load load;
  for (const Route& route : routes_) {
    if (route.bytes == 0) continue;
    const Cut pieces = cut(route.bytes, chunk);
    for (const Hop& hop : route.hops) {
      const double copies = pieces.chunks * copy(hop, pieces.bytes);
      const double commands = pieces.chunks * command(hop, pieces.bytes);
      const std::tuple<int, int, int> stream{hop.tree, hop.from, hop.to};
      load.streams[stream] += copies + (reads(hop) ? pieces.chunks * handover(hop) : commands);
      if (reads(hop)) load.senders[stream] += commands;
      load.kernels[hop.from] += pieces.chunks * kernels(hop, pieces.bytes);
      if (hop.from == hop.to) continue;
      load.engines[reads(hop) ? hop.to : hop.from] += copies;
      for (const Links& links : links_of(hop.from, hop.to, wires_.at({hop.tree, hop.from, hop.to}).shared)) {
        Load::OfTree& of_tree = load.links[links][hop.tree];
        of_tree.seconds += copies, of_tree.copies += pieces.chunks;
      }
    }
  }
  for (const auto& [key, trees] : load.links)
    for (const auto& [tree, of_tree] : trees)
      if (const auto stream = load.streams.find({tree, key.first, key.second}); stream != load.streams.end())
        stream->second += of_tree.copies * load.wait(key, tree);
  return load;
}

double ChunkModel::fill(const Route& route, const Cut& pieces) const {
  std::vector<double> hops;
  for (const Hop& hop : route.hops) hops.push_back(copy(hop, pieces.bytes) + command(hop, pieces.bytes) + handover(hop));
  double up = 0, down = 0;
  for (const std::vector<std::size_t>& path : route.paths) {
    double all = 0;
    for (const std::size_t h : path) all += hops[h];
    const bool ascends = !path.empty() && route.hops[path.back()].from == route.hops[path.back()].to;
    (ascends ? up : down) = std::max(ascends ? up : down, all);
  }
  return up + down - *std::max_element(hops.begin(), hops.end());
}

double ChunkModel::seconds(std::uint64_t chunk) const {
  const Load all = load(chunk);
  double longest = 0;
  for (const Route& route : routes_)
    if (route.bytes > 0) longest = std::max(longest, fill(route, cut(route.bytes, chunk)));
  return longest + all.longest(costs_.engines);
}

std::uint64_t ChunkModel::best() const {
  constexpr double steps[] = {1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.4, 8};
  const std::uint64_t least = std::max(least_chunk, (message_ / most_pieces + block_bytes) / block_bytes * block_bytes);
  std::uint64_t best = least;
  double fastest = seconds(least);
  for (double power = 1e4; power <= static_cast<double>(most_chunk); power *= 10)
    for (const double step : steps) {
      const auto chunk = static_cast<std::uint64_t>(std::llround(step * power));
      if (chunk < least || chunk > most_chunk) continue;
      const double time = seconds(chunk);
      if (time <= fastest * (1 + 1e-12)) fastest = std::min(fastest, time), best = chunk;
    }
  return best;
}

}  // namespace tributary::collective
