/// Packings of trees, each compared with an independent method: cuts, partitions, matroid union, all trees
/// (docs/systems/blink.md#trees).
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <numeric>
#include <random>
#include <set>

#include "modules/base/index.h"
#include "platforms/topology/dgx1.h"
#include "testbench/collective/packing/candidate_trees.h"
#include "testbench/collective/packing/integral_packing.h"
#include "testbench/collective/packing/ring_search.h"
#include "testbench/collective/packing/undirected_packing.h"
#include "testbench/test/harness/random_links.h"

namespace tributary::test_tree_packing {

using namespace tributary::collective;
using Catch::Matchers::Contains;

namespace {

/// Enumerates all sets of nodes - 1 edges.
void for_each_set(const CapacityGraph& graph, const std::function<void(const EdgeSet&)>& what) {
  std::vector<char> chosen(graph.edges.size(), 0);
  std::fill(chosen.begin(), chosen.begin() + graph.nodes - 1, char{1});
  do {
    EdgeSet edges;
    for (std::size_t e = 0; e < chosen.size(); ++e)
      if (chosen[e] != 0) edges.push_back(static_cast<int>(e));
    what(edges);
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
}

double price(const EdgeSet& edges, const std::vector<double>& costs) {
  double sum = 0;
  for (const int e : edges) sum += costs[static_cast<std::size_t>(e)];
  return sum;
}

double cheapest_of_all(const CapacityGraph& graph, int root, bool along, const std::vector<double>& costs) {
  double least = 1e9;
  for_each_set(graph, [&](const EdgeSet& edges) {
    if (price(edges, costs) >= least) return;
    try {
      rooted_tree(graph, edges, root, along);
      least = price(edges, costs);
    } catch (const std::logic_error&) {  // there is no such tree
    }
  });
  return least;
}

/// Disjoint forests of a multigraph's edges; each edge is added by the shortest chain of exchanges (matroid union).
class ForestUnion {
 public:
  ForestUnion(const CapacityGraph& graph, int copies, int forests) : nodes_(graph.nodes), forests_(forests) {
    for (const CapacityEdge& e : graph.edges)
      for (int i = 0; i < copies * e.capacity; ++i) edges_.push_back({e.from, e.to});
    owner_.assign(edges_.size(), -1);
    for (std::size_t e = 0; e < edges_.size(); ++e) size_ += insert(static_cast<int>(e));
  }
  /// True if all forests are trees that span the graph.
  bool spanning() const { return size_ == forests_ * (nodes_ - 1); }

 private:
  struct Ends {
    int a, b;
  };

  /// Finds the edges of forest f on the path between the ends of edge e; false: there is no path, and e can join the
  /// forest.
  bool circle(int e, int f, std::vector<int>& route) const {
    std::vector<int> by(static_cast<std::size_t>(nodes_), -2);
    std::vector<int> reached{edges_[static_cast<std::size_t>(e)].a};
    by[static_cast<std::size_t>(reached[0])] = -1;
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (std::size_t x = 0; x < edges_.size(); ++x) {
        if (owner_[x] != f || static_cast<int>(x) == e) continue;
        const int v = edges_[x].a == reached[i] ? edges_[x].b : edges_[x].b == reached[i] ? edges_[x].a : reached[i];
        if (by[static_cast<std::size_t>(v)] == -2)
          by[static_cast<std::size_t>(v)] = static_cast<int>(x), reached.push_back(v);
      }
    int v = edges_[static_cast<std::size_t>(e)].b;
    if (by[static_cast<std::size_t>(v)] == -2) return false;
    while (by[static_cast<std::size_t>(v)] >= 0) {
      const int x = by[static_cast<std::size_t>(v)];
      route.push_back(x);
      v = edges_[static_cast<std::size_t>(x)].a == v ? edges_[static_cast<std::size_t>(x)].b
                                                     : edges_[static_cast<std::size_t>(x)].a;
    }
    return true;
  }

  int insert(int first) {
    std::vector<int> from(edges_.size(), -2), queue{first};
    from[static_cast<std::size_t>(first)] = -1;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (int f = 0; f < forests_; ++f) {
        if (owner_[static_cast<std::size_t>(queue[i])] == f) continue;
        std::vector<int> route;
        if (circle(queue[i], f, route)) {
          for (const int x : route)
            if (from[static_cast<std::size_t>(x)] == -2) from[static_cast<std::size_t>(x)] = queue[i], queue.push_back(x);
          continue;
        }
        for (int x = queue[i], to = f; x >= 0; x = from[static_cast<std::size_t>(x)])
          std::swap(owner_[static_cast<std::size_t>(x)], to);
        return 1;
      }
    return 0;
  }

  int nodes_, forests_, size_ = 0;
  std::vector<Ends> edges_;
  std::vector<int> owner_;
};

/// Number of directed cycles that share no link, by trying all sets of them.
int most_cycles(std::vector<std::vector<int>> links, const std::vector<std::vector<int>>& cycles, std::size_t first = 0) {
  int most = 0;
  for (std::size_t c = first; c < cycles.size(); ++c) {
    auto left = links;
    bool fits = true;
    for (std::size_t i = 0; i < cycles[c].size(); ++i) {
      const auto a = static_cast<std::size_t>(cycles[c][i]),
                 b = static_cast<std::size_t>(cycles[c][(i + 1) % cycles[c].size()]);
      fits = fits && left[a][b] > 0;
      --left[a][b];
    }
    if (fits) most = std::max(most, 1 + most_cycles(left, cycles, c));
  }
  return most;
}

/// Checks that each ring visits every rank once, and that no link carries more than its rate in one direction.
void check_disjoint(const Rings& rings, std::vector<std::vector<int>> links) {
  for (std::vector<int>& row : links)
    for (int& count : row) count *= rings.on_link;
  for (const std::vector<int>& ring : rings.directed) {
    CHECK(std::set<int>(ring.begin(), ring.end()).size() == links.size());
    CHECK(ring.size() == links.size());
    for (std::size_t i = 0; i < ring.size(); ++i) CHECK(--links[at(ring[i])][at(ring[(i + 1) % ring.size()])] >= 0);
  }
}

}  // namespace

TEST_CASE("packing: no arborescence and no spanning tree is cheaper than the cheapest", "[pure]") {
  std::mt19937 random(11);
  for (int i = 0; i < 40; ++i) {
    const auto a = random_links(random, 3 + i % 3, 4);
    const CapacityGraph directed = directed_links(a), undirected = undirected_links(a);
    std::vector<double> costs;
    for (std::size_t e = 0; e < directed.edges.size(); ++e) costs.push_back(static_cast<double>(1 + random() % 8));
    const int root = i % a.ranks();
    const EdgeSet tree = cheapest_arborescence(directed, root, costs);
    CHECK_NOTHROW(rooted_tree(directed, tree, root, true));
    CHECK(price(tree, costs) == cheapest_of_all(directed, root, true, costs));
    costs.resize(undirected.edges.size());
    CHECK(price(cheapest_spanning_tree(undirected, costs), costs) == cheapest_of_all(undirected, 0, false, costs));
  }
}

TEST_CASE("packing: a graph with a node that no edges lead to has no spanning tree", "[pure]") {
  const auto directed = [](const CapacityGraph& graph) {
    return cheapest_arborescence(graph, 0, std::vector<double>(graph.edges.size(), 1));
  };
  const auto undirected = [](const CapacityGraph& graph) {
    return cheapest_spanning_tree(graph, std::vector<double>(graph.edges.size(), 1));
  };
  const CapacityGraph alone{3, {{0, 1, 1}, {1, 0, 1}}};                        // no edge at node 2
  const CapacityGraph apart{4, {{0, 1, 1}, {1, 0, 1}, {2, 3, 1}, {3, 2, 1}}};  // two pairs: a cycle without an edge into it
  const CapacityGraph outward{3, {{0, 1, 1}, {1, 0, 1}, {2, 0, 1}, {2, 1, 1}}};  // edges leave node 2, none enter it
  for (const CapacityGraph* graph : {&alone, &apart, &outward})
    CHECK_THROWS_WITH(directed(*graph), "no spanning tree: no edges lead to node 2 from node 0");
  for (const CapacityGraph* graph : {&alone, &apart})
    CHECK_THROWS_WITH(undirected(*graph), "no spanning tree: no edges lead to node 2 from node 0");
  CHECK(undirected(outward).size() == 2);
  CHECK(directed({1, {}}).empty());
  CHECK(undirected({1, {}}).empty());
}

TEST_CASE("packing: multiplicative weights come near the least cut and keep to the capacities", "[pure]") {
  for (const topology::Server& s : {topology::dgx1p(), topology::dgx1v()}) {
    const auto a = topology::allocation(s, {0, 1, 2, 3, 4, 5, 6, 7});
    const CapacityGraph graph = directed_links(a);
    for (const double epsilon : {0.1, 0.05}) {
      const CandidateTrees found = candidate_trees(
          graph, epsilon, [&](const std::vector<double>& costs) { return cheapest_arborescence(graph, 0, costs); });
      const auto cut = static_cast<double>(least_cut(graph, 0).capacity);
      CHECK(found.rate <= cut + 1e-9);
      CHECK(found.rate >= (1 - 2 * epsilon) * cut);
      std::vector<double> load(graph.edges.size(), 0);
      for (std::size_t t = 0; t < found.trees.size(); ++t)
        for (const int e : found.trees[t]) load[static_cast<std::size_t>(e)] += found.weights[t];
      for (std::size_t e = 0; e < load.size(); ++e) CHECK(load[e] <= graph.edges[e].capacity * (1 + 1e-9));
      CHECK(std::is_sorted(found.weights.rbegin(), found.weights.rend()));
    }
  }
}

TEST_CASE("packing: whole trees fill the least cut from every root", "[pure]") {
  std::mt19937 random(5);
  for (int i = 0; i < 40; ++i) {
    const auto a = random_links(random, 3 + i % 8, 3);
    const CapacityGraph graph = directed_links(a);
    const int root = i % a.ranks();
    const RootCut cut = least_cut(graph, root);
    std::int64_t into = 0;  // capacity into the nodes of the cut
    for (const CapacityEdge& e : graph.edges) {
      const auto in = [&](int v) { return std::binary_search(cut.nodes.begin(), cut.nodes.end(), v); };
      if (!in(e.from) && in(e.to)) into += e.capacity;
    }
    CHECK(into == cut.capacity);
    const TreePacking packing = integral_packing(graph, root);
    CHECK_NOTHROW(verify(graph, packing, true));
    CHECK(packing.rate() == Fraction(cut.capacity));
  }
}

TEST_CASE("packing: an undirected packing and its partition have one rate, and matroid union agrees", "[pure]") {
  std::mt19937 random(3);
  for (int i = 0; i < 40; ++i) {
    const auto a = random_links(random, 3 + i % 6, 3);
    const CapacityGraph graph = undirected_links(a);
    const UndirectedPacking found = undirected_packing(graph);
    CHECK_NOTHROW(verify(graph, found.best, false));
    CHECK(found.best.rate() == found.bound.rate());  // the duality gap is 0, in integers
    for (const int parts : {1, 2, 4}) {              // best packing with weights of 1/parts: floor(parts x rate) / parts
      const auto whole = static_cast<int>(parts * found.bound.crossing / (found.bound.parts - 1));
      CHECK((whole == 0 || ForestUnion(graph, parts, whole).spanning()));
      CHECK_FALSE(ForestUnion(graph, parts, whole + 1).spanning());
    }
  }
}

TEST_CASE("packing: invalid packings are rejected", "[pure]") {
  const auto a = topology::allocation(topology::dgx1v(), {0, 1, 2});  // links 1, 1, 2: edges 0>1 1>0 0>2 2>0 1>2 2>1
  const CapacityGraph graph = directed_links(a);
  TreePacking packing;
  packing.trees = {{{0, 4}, 0, 2, 1}};
  CHECK_NOTHROW(verify(graph, packing, true));
  packing.trees.push_back({{0, 2}, 0, 1, 1});
  CHECK_THROWS_WITH(verify(graph, packing, true), Contains("edge from 0 to 1 with 2 of its 1"));
  packing.denominator = 2;
  CHECK_NOTHROW(verify(graph, packing, true));
  packing.trees[1].depth = 2;
  CHECK_THROWS_WITH(verify(graph, packing, true), Contains("depth"));
  packing.trees[1] = {{0, 5}, 0, 1, 1};  // edge 5 leads from 2, which no edge reaches
  CHECK_THROWS_AS(verify(graph, packing, true), PackingError);
  packing.trees[1] = {{2}, 0, 1, 1};
  CHECK_THROWS_AS(verify(graph, packing, true), PackingError);
  packing.trees[1] = {{0, 2}, 0, 1, 0};
  CHECK_THROWS_WITH(verify(graph, packing, true), Contains("no weight"));
}

TEST_CASE("packing: there are as many rings as in any set of directed cycles", "[pure]") {
  std::mt19937 random(9);
  for (int i = 0; i < 60; ++i) {
    const auto a = random_links(random, 3 + i % 3, 2);
    std::vector<std::vector<int>> cycles;
    std::vector<int> order(a.gpus.size());
    std::iota(order.begin(), order.end(), 0);
    do cycles.push_back(order);
    while (std::next_permutation(order.begin() + 1, order.end()));
    const Rings rings = find_rings(a);
    INFO(i << ": " << rings.directed.size() << " rings");
    CHECK(rings.most);
    const int whole = most_cycles(a.links, cycles);
    if (rings.on_link == 1) CHECK(static_cast<int>(rings.directed.size()) == whole);
    if (rings.on_link == 2) CHECK(static_cast<int>(rings.directed.size()) > 2 * whole);
    check_disjoint(rings, a.links);
  }
  CHECK(find_rings(topology::allocation(topology::dgx1v(), {0, 3})).directed.size() == 2);
  CHECK(find_rings(topology::allocation(topology::dgx1v(), {0, 5})).directed.empty());
}

TEST_CASE("packing: a full mesh has as many directed rings as a rank has links, and four ranks share links", "[pure]") {
  const auto mesh = [](int ranks) {
    topology::Allocation a;
    a.gpus.resize(at(ranks));
    std::iota(a.gpus.begin(), a.gpus.end(), 0);
    a.links.assign(at(ranks), std::vector<int>(at(ranks), 1));
    for (int r = 0; r < ranks; ++r) a.links[at(r)][at(r)] = 0;
    return a;
  };
  // Complete directed graphs but those of 4 and 6 nodes consist of Hamiltonian cycles (T. W. Tillson, 1980).
  for (const int ranks : {3, 5, 7, 8}) {
    const Rings rings = find_rings(mesh(ranks));
    INFO(ranks << " ranks");
    CHECK(rings.directed.size() == at(ranks) - 1);
    CHECK(rings.on_link == 1);
    check_disjoint(rings, mesh(ranks).links);
  }
  const Rings four = find_rings(mesh(4));  // two rings of whole links, six of halves
  CHECK(four.directed.size() == 6);
  CHECK(four.on_link == 2);
  check_disjoint(four, mesh(4).links);
}

}  // namespace tributary::test_tree_packing
