#include "testbench/family/blink/tree_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "modules/base/text_format.h"

namespace tributary {
namespace {

using collective::PackedTree;
using Json = nlohmann::ordered_json;

struct Edge {
  int parent, child;
};

/// Returns the edges between ranks in breadth-first order.
std::vector<Edge> edges_of(const TreeReport& r, const PackedTree& tree) {
  const auto rooted = collective::rooted_tree(r.trees.graph, tree.edges, tree.root, r.rooted);
  std::vector<Edge> edges;
  for (int depth = 1; depth <= tree.depth; ++depth)
    for (std::size_t v = 0; v < rooted.parent.size(); ++v)
      if (rooted.depth[v] == depth) edges.push_back({rooted.parent[v], static_cast<int>(v)});
  return edges;
}

/// Escapes a text for a label of Graphviz.
std::string in_quotes(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += (c == '"' || c == '\\') ? std::string("\\") + c : std::string(1, c);
  return safe;
}

std::string line(const std::string& what, const std::string& value) { return left(what, 18) + value + "\n"; }
std::string gpu(const TreeReport& r, int rank) { return std::to_string(r.allocation.gpus[static_cast<std::size_t>(rank)]); }
std::string count(std::int64_t n, const std::string& what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

std::string links(const collective::Fraction& rate) {
  return rate.text() + (rate == collective::Fraction(1) ? " link" : " links");
}

/// Returns a text such as `{0 3}`.
std::string gpu_set(const TreeReport& r, const std::vector<int>& ranks) {
  std::string text;
  for (const int rank : ranks) text += (text.empty() ? "" : " ") + gpu(r, rank);
  return "{" + text + "}";
}

std::vector<std::vector<int>> parts_of(const TreeReport& r) {
  std::vector<std::vector<int>> parts(static_cast<std::size_t>(r.trees.partition->parts));
  for (int v = 0; v < r.allocation.ranks(); ++v)
    parts[static_cast<std::size_t>(r.trees.partition->part[static_cast<std::size_t>(v)])].push_back(v);
  return parts;
}

std::string bound_text(const TreeReport& r) {
  const std::string rate = links(r.trees.bound) + ": ";
  if (r.trees.cut) return rate + count(r.trees.cut->capacity, "link") + " into " + gpu_set(r, r.trees.cut->nodes);
  std::string parts;
  for (const std::vector<int>& part : parts_of(r)) parts += " " + gpu_set(r, part);
  return rate + count(r.trees.partition->crossing, "link") + " between " + std::to_string(r.trees.partition->parts) +
         " parts" + parts;
}

std::string weights_text(const TreeReport& r) {
  const std::int64_t step = r.trees.step;
  return (step == 1   ? "whole links"
          : step == 0 ? "any, by the linear program"
                      : "multiples of 1/" + std::to_string(step)) +
         std::string(r.trees.fewest ? ", fewest trees" : ", not proved fewest") +
         (!r.trees.completed ? ""
          : r.rooted         ? "; candidates completed by cuts"
                             : "; candidates completed by matroid union");
}

/// True if each ring is followed by the ring over the same links in the other direction.
bool in_both_directions(const std::vector<std::vector<int>>& rings) {
  for (std::size_t i = 0; i < rings.size(); i += 2)
    if (i + 1 == rings.size() || rings[i].front() != rings[i + 1].front() ||
        !std::equal(rings[i].begin() + 1, rings[i].end(), rings[i + 1].rbegin()))
      return false;
  return true;
}

std::string rings_text(const TreeReport& r) {
  if (r.rings.directed.empty()) return "none: a ring over PCIe, " + fixed(r.pcie_ring, 3) + " of a link";
  const bool both = in_both_directions(r.rings.directed);
  std::string text = std::to_string(r.rings.directed.size()) + (r.rings.on_link > 1 ? " of half a link" : "") +
                     (r.rings.most ? "" : " found, search not complete") + (both ? ", in both directions:" : ":");
  for (std::size_t i = 0; i < r.rings.directed.size(); i += both ? 2 : 1) {
    text += text.back() == ':' ? " " : ", ";
    const std::vector<int>& ring = r.rings.directed[i];
    for (std::size_t k = 0; k < ring.size(); ++k) text += (k == 0 ? "" : both ? "-" : ">") + gpu(r, ring[k]);
  }
  return text;
}

int nvlinks(const TreeReport& r) {
  int all = 0;
  for (const auto& edge : collective::undirected_links(r.allocation).edges) all += edge.capacity;
  return all;
}

std::string speed_up_text(const TreeReport& r) {
  const double bound = r.trees.bound.value() / r.ring_rate(), here = r.trees.packing.rate().value() / r.ring_rate();
  return fixed(bound, 3) + " in theory" + (here < bound ? ", " + fixed(here, 3) + " with these trees" : "") + "; rings " +
         fixed(r.ring_rate(), 3) + " links";
}

}  // namespace

std::string screen_text(const TreeReport& r) {
  const auto& packing = r.trees.packing;
  std::vector<int> ranks;
  for (int v = 0; v < r.allocation.ranks(); ++v) ranks.push_back(v);
  std::string text =
      line("topology", one_line(r.topology) + ", GPUs " + gpu_set(r, ranks) + ", " + count(nvlinks(r), "NVLink")) +
      line("schedule", r.algorithm.collective + " by " + r.algorithm.name + (r.rooted ? " from GPU " + gpu(r, r.root) : "") +
                           ", verified") +
      line("rate", links(packing.rate()) + " (" + fixed(packing.rate().value(), 3) + "), " +
                       count(static_cast<std::int64_t>(packing.trees.size()), "tree") + ", depth " +
                       std::to_string(packing.depth())) +
      line("bound", bound_text(r)) + line("weights", weights_text(r)) +
      line("candidates", count(static_cast<std::int64_t>(r.trees.candidates), "tree") + ", together " +
                             fixed(r.trees.fractional_rate, 3) + " links") +
      line("rings", rings_text(r)) + line("speed-up", speed_up_text(r));
  for (const std::string& note : r.notes) text += line("note", note);
  for (std::size_t t = 0; t < packing.trees.size(); ++t) {
    const PackedTree& tree = packing.trees[t];
    std::string edges;
    for (const Edge& e : edges_of(r, tree)) edges += " " + gpu(r, e.parent) + ">" + gpu(r, e.child);
    text += line("tree " + std::to_string(t),
                 "weight " + packing.weight(tree).text() + ", depth " + std::to_string(tree.depth) + ":" + edges);
  }
  return text;
}

std::string tree_json(const TreeReport& r) {
  const auto& packing = r.trees.packing;
  Json trees = Json::array();
  for (const PackedTree& tree : packing.trees) {
    Json edges = Json::array();
    for (const Edge& e : edges_of(r, tree)) edges.push_back({{"parent", e.parent}, {"child", e.child}});
    trees.push_back({{"root", tree.root},
                     {"weight", packing.weight(tree).value()},
                     {"units", tree.units},
                     {"depth", tree.depth},
                     {"edges", std::move(edges)}});
  }
  Json document{{"tributary", TRIBUTARY_VERSION},
                {"topology", r.topology},
                {"notes", r.notes},
                {"collective", r.algorithm.collective},
                {"algorithm", r.algorithm.name},
                {"ranks", r.allocation.ranks()},
                {"gpus", r.allocation.gpus},
                {"root", r.rooted ? Json(r.root) : Json(nullptr)},
                {"nvlinks", nvlinks(r)},
                {"rate", packing.rate().value()},
                {"rate_exact", packing.rate().text()},
                {"bound", r.trees.bound.value()},
                {"bound_exact", r.trees.bound.text()},
                {"cut", nullptr},
                {"partition", nullptr},
                {"units_per_link", packing.denominator},
                {"fewest", r.trees.fewest},
                {"completed_by_cuts", r.trees.completed},
                {"candidates", r.trees.candidates},
                {"fractional_rate", r.trees.fractional_rate},
                {"depth", packing.depth()},
                {"rings", r.rings.directed.size()},
                {"rings_on_link", r.rings.on_link},
                {"rings_complete", r.rings.most},
                {"ring_cycles", r.rings.directed},
                {"pcie_ring", r.pcie_ring},
                {"ring_rate", r.ring_rate()},
                {"speed_up", r.trees.bound.value() / r.ring_rate()},
                {"speed_up_with_trees", packing.rate().value() / r.ring_rate()},
                {"verified", true},
                {"trees", std::move(trees)}};
  if (r.trees.cut) document["cut"] = {{"ranks", r.trees.cut->nodes}, {"links", r.trees.cut->capacity}};
  if (r.trees.partition) document["partition"] = {{"parts", parts_of(r)}, {"links", r.trees.partition->crossing}};
  std::string text;
  for (const auto& [key, value] : document.items()) {
    text += (text.empty() ? "{\n  \"" : ",\n  \"") + key + "\": ";
    if (value.is_array() && !value.empty() && value.front().is_object()) {  // one tree to a line
      std::string records;
      for (const Json& record : value) records += (records.empty() ? "[\n    " : ",\n    ") + record.dump();
      text += records + "\n  ]";
    } else {
      text += value.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
  }
  return text + "\n}\n";
}

std::string tree_drawing(const TreeReport& r) {
  const auto& packing = r.trees.packing;
  std::string text = "digraph trees {\n  label=\"" + in_quotes(r.topology) + ", " + r.algorithm.collective + ": " +
                     links(packing.rate()) + "\";\n  node [shape=circle];\n";
  for (std::size_t t = 0; t < packing.trees.size(); ++t) {
    const PackedTree& tree = packing.trees[t];
    const std::string name = "t" + std::to_string(t) + "_";
    text += "  subgraph cluster_" + std::to_string(t) + " {\n    label=\"tree " + std::to_string(t) + ": weight " +
            packing.weight(tree).text() + "\";\n";
    for (int v = 0; v < r.allocation.ranks(); ++v)
      text += "    " + name + gpu(r, v) + " [label=\"" + gpu(r, v) + "\"" + (v == tree.root ? ", shape=doublecircle" : "") +
              "];\n";
    for (const Edge& e : edges_of(r, tree)) {
      const std::string down = name + gpu(r, e.parent) + " -> " + name + gpu(r, e.child);
      text += "    " + down + (r.rooted ? "" : " [dir=both]") + ";\n";
    }
    text += "  }\n";
  }
  return text + "}\n";
}

}  // namespace tributary
