#include "testbench/family/blink/switch_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "modules/base/index.h"
#include "modules/base/text_format.h"
#include "testbench/collective/packing/packed_schedule.h"

namespace tributary {
namespace {

using collective::Fraction;
using collective::TreeUse;
using collective::WeightedTree;
using Json = nlohmann::ordered_json;

struct Edge {
  int parent, child;
};
/// Returns the edges in breadth-first order.
std::vector<Edge> edges_of(const WeightedTree& t) {
  std::vector<Edge> edges;
  std::vector<int> open{t.tree.root()};
  for (std::size_t done = 0; done < open.size(); ++done)
    for (const int child : t.tree.children[at(open[done])]) edges.push_back({open[done], child}), open.push_back(child);
  return edges;
}

/// Returns the trees after a proof of the schedule with one block for each tree.
std::vector<WeightedTree> trees_of(const SwitchReport& r) {
  std::vector<WeightedTree> trees = collective::switch_trees(r.use, static_cast<int>(r.gpus.size()), r.root);
  collective::packed_schedule({r.use, trees, trees.size() * block_bytes, 4, block_bytes});
  return trees;
}
Fraction times(const Fraction& rate, int links) { return {rate.numerator * links, rate.denominator}; }
std::string links(const Fraction& rate) { return rate.text() + (rate == Fraction(1) ? " link" : " links"); }
std::string line(const std::string& what, const std::string& value) { return left(what, 18) + value + "\n"; }
std::string gpu(const SwitchReport& r, int rank) { return std::to_string(r.gpus[at(rank)]); }
std::string count(std::size_t n, const std::string& what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

/// Returns the reason for switch_bound(). A ring through the switches reaches this bound at each GPU.
std::string bound_reason(const SwitchReport& r) {
  switch (r.use) {
    case TreeUse::broadcast:
      return "all of the message leaves the root";
    case TreeUse::reduce:
      return "all of the sum's last operands enter the root";
    default:
      return "each GPU sends 2(N-1)/N of the message";
  }
}

}  // namespace

Fraction switch_rate(const std::vector<WeightedTree>& trees, TreeUse use) {
  const std::size_t ranks = trees.front().tree.parent.size();
  std::vector<std::int64_t> out(ranks, 0), in(ranks, 0);
  std::int64_t all = 0;
  for (const WeightedTree& t : trees) {
    all += t.units;
    for (const Edge& e : edges_of(t)) {
      const bool up = use == TreeUse::reduce || use == TreeUse::allreduce;
      const bool down = use == TreeUse::broadcast || use == TreeUse::allreduce;
      out[at(e.parent)] += down ? t.units : 0, in[at(e.child)] += down ? t.units : 0;
      out[at(e.child)] += up ? t.units : 0, in[at(e.parent)] += up ? t.units : 0;
    }
  }
  return {all, std::max(*std::max_element(out.begin(), out.end()), *std::max_element(in.begin(), in.end()))};
}

Fraction switch_bound(TreeUse use, int ranks) {
  if (use == TreeUse::allreduce) return {ranks, 2 * (ranks - 1)};
  return 1;
}

std::string screen_text(const SwitchReport& r) {
  const std::vector<WeightedTree> trees = trees_of(r);
  const Fraction rate = times(switch_rate(trees, r.use), r.links);
  const Fraction bound = times(switch_bound(r.use, static_cast<int>(r.gpus.size())), r.links);
  std::string gpus, edges;
  for (const int g : r.gpus) gpus += (gpus.empty() ? "" : " ") + std::to_string(g);
  std::string text =
      line("topology",
           one_line(r.topology) + ", GPUs {" + gpus + "}, " + count(at(r.links), "NVLink") + " of each to switches") +
      line("schedule", r.algorithm.collective + " by " + r.algorithm.name + (r.rooted ? " from GPU " + gpu(r, r.root) : "") +
                           ", verified") +
      line("rate", links(rate) + " (" + fixed(rate.value(), 3) + "), " + count(trees.size(), "tree") + ", depth " +
                       std::to_string(trees.front().tree.height())) +
      line("bound", links(bound) + ": " + bound_reason(r)) +
      line("speed-up", fixed(rate.value() / bound.value(), 3) + " in theory; rings " + fixed(bound.value(), 3) + " links");
  for (std::size_t t = 0; t < trees.size(); ++t) {
    edges.clear();
    for (const Edge& e : edges_of(trees[t])) edges += " " + gpu(r, e.parent) + ">" + gpu(r, e.child);
    text += line("tree " + std::to_string(t), "weight 1/" + std::to_string(trees.size()) + " of the message, depth " +
                                                  std::to_string(trees[t].tree.height()) + ":" + edges);
  }
  return text;
}

std::string tree_json(const SwitchReport& r) {
  const std::vector<WeightedTree> trees = trees_of(r);
  const Fraction rate = times(switch_rate(trees, r.use), r.links);
  const Fraction bound = times(switch_bound(r.use, static_cast<int>(r.gpus.size())), r.links);
  Json list = Json::array();
  for (const WeightedTree& t : trees) {
    Json edges = Json::array();
    for (const Edge& e : edges_of(t)) edges.push_back({{"parent", e.parent}, {"child", e.child}});
    list.push_back({{"root", t.tree.root()},
                    {"share", 1 / static_cast<double>(trees.size())},
                    {"depth", t.tree.height()},
                    {"edges", std::move(edges)}});
  }
  const Json document{{"tributary", TRIBUTARY_VERSION},
                      {"topology", r.topology},
                      {"collective", r.algorithm.collective},
                      {"algorithm", r.algorithm.name},
                      {"ranks", r.gpus.size()},
                      {"gpus", r.gpus},
                      {"root", r.rooted ? Json(r.root) : Json(nullptr)},
                      {"links_per_gpu", r.links},
                      {"rate", rate.value()},
                      {"rate_exact", rate.text()},
                      {"bound", bound.value()},
                      {"bound_exact", bound.text()},
                      {"ring_rate", bound.value()},
                      {"speed_up", rate.value() / bound.value()},
                      {"verified", true},
                      {"trees", std::move(list)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string tree_drawing(const SwitchReport& r) {
  const std::vector<WeightedTree> trees = trees_of(r);
  std::string text = "digraph trees {\n  node [shape=circle];\n";
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const std::string name = "t" + std::to_string(t) + "_";
    text += "  subgraph cluster_" + std::to_string(t) + " {\n    label=\"tree " + std::to_string(t) + "\";\n";
    for (std::size_t v = 0; v < r.gpus.size(); ++v) {
      const std::string here = gpu(r, static_cast<int>(v));
      text += "    " + name + here + " [label=\"" + here + "\"" +
              (static_cast<int>(v) == trees[t].tree.root() ? ", shape=doublecircle" : "") + "];\n";
    }
    for (const Edge& e : edges_of(trees[t]))
      text += "    " + name + gpu(r, e.parent) + " -> " + name + gpu(r, e.child) + (r.rooted ? "" : " [dir=both]") + ";\n";
    text += "  }\n";
  }
  return text + "}\n";
}

}  // namespace tributary
