#include "testbench/family/blink/given_trees.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "modules/base/units.h"
#include "testbench/collective/schedule/schedule.h"

namespace tributary {
namespace {

using collective::ScheduleError;
using Text = ParameterText<GivenTrees>;

[[noreturn]] void refuse(const std::string& word) {
  throw UnitError("'" + word + "' in trees (legal: " + Text::legal() + ")");
}

int number(const std::string& digits, const std::string& word, int least, int most) {
  int n = -1;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, n);
  if (error != std::errc{} || stop != end || n < least || n > most) refuse(word);
  return n;
}

/// `0>1>3`
void add_path(GivenTrees::Tree& tree, const std::string& word) {
  std::istringstream gpus(word);
  std::vector<int> path;
  for (std::string gpu; std::getline(gpus, gpu, '>');) path.push_back(number(gpu, word, 0, 1023));
  if (path.size() < 2 || word.back() == '>') refuse(word);
  for (std::size_t i = 1; i < path.size(); ++i) tree.edges.emplace_back(path[i - 1], path[i]);
  if (tree.edges.size() > Text::max_edges) refuse(word);
}

int rank_of(const topology::Allocation& allocation, int gpu) {
  const auto at = std::find(allocation.gpus.begin(), allocation.gpus.end(), gpu);
  if (at == allocation.gpus.end()) throw ScheduleError("blink.trees: GPU " + std::to_string(gpu) + " does not take part");
  return static_cast<int>(at - allocation.gpus.begin());
}

/// Returns one tree over ranks. It checks each edge, and then that the edges form one tree.
collective::Tree over_ranks(const GivenTrees::Tree& given, const topology::Allocation& allocation) {
  const auto ranks = static_cast<std::size_t>(allocation.ranks());
  collective::Tree tree{std::vector<int>(ranks, collective::no_rank), std::vector<std::vector<int>>(ranks)};
  for (const auto& [from, to] : given.edges) {
    const std::string edge = "blink.trees: " + std::to_string(from) + ">" + std::to_string(to);
    const int parent = rank_of(allocation, from), child = rank_of(allocation, to);
    if (parent == child || allocation.between(parent, child) == 0) throw ScheduleError(edge + ": no NVLink");
    int& known = tree.parent[static_cast<std::size_t>(child)];
    if (known != collective::no_rank) throw ScheduleError(edge + ": the second edge to GPU " + std::to_string(to));
    known = parent;
    tree.children[static_cast<std::size_t>(parent)].push_back(child);
  }
  for (auto& children : tree.children) std::sort(children.begin(), children.end());
  for (std::size_t rank = 0, roots = 0; rank < ranks; ++rank) {
    std::size_t above = rank, steps = 0;
    while (tree.parent[above] != collective::no_rank && steps <= ranks)
      above = static_cast<std::size_t>(tree.parent[above]), ++steps;
    if (tree.parent[rank] == collective::no_rank) ++roots;
    if (steps > ranks || roots > 1)
      throw ScheduleError("blink.trees: in a tree, no path leads from the root to GPU " +
                          std::to_string(allocation.gpus[rank]));
  }
  return tree;
}

}  // namespace

GivenTrees Text::parse(const std::string& text) {
  if (text == "generated") return {};
  GivenTrees given{{GivenTrees::Tree{}}};
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == "/") {
      if (given.trees.back().edges.empty() || given.trees.size() == max_trees) refuse(word);
      given.trees.emplace_back();
    } else if (word.back() == ':') {
      if (!given.trees.back().edges.empty()) refuse(word);
      given.trees.back().weight = number(word.substr(0, word.size() - 1), word, 1, 1000);
    } else {
      add_path(given.trees.back(), word);
    }
  }
  if (given.trees.back().edges.empty()) refuse(text);
  return given;
}

std::string Text::print(const GivenTrees& given) {
  std::string text;
  for (const GivenTrees::Tree& tree : given.trees) {
    text += text.empty() ? "" : " / ";
    std::string words = tree.weight == 1 ? "" : std::to_string(tree.weight) + ":";
    for (const auto& [from, to] : tree.edges)
      words += (words.empty() ? "" : " ") + std::to_string(from) + ">" + std::to_string(to);
    text += words;
  }
  return text.empty() ? "generated" : text;
}

std::vector<collective::WeightedTree> weighted_trees(const GivenTrees& given, const topology::Allocation& allocation,
                                                     int root) {
  std::vector<collective::WeightedTree> trees;
  for (const GivenTrees::Tree& tree : given.trees) {
    trees.push_back({over_ranks(tree, allocation), tree.weight, static_cast<int>(trees.size())});
    if (const int found = trees.back().tree.root(); root >= 0 && found != root)
      throw ScheduleError("blink.trees: the root of a tree is GPU " +
                          std::to_string(allocation.gpus[static_cast<std::size_t>(found)]) + " (legal: GPU " +
                          std::to_string(allocation.gpus[static_cast<std::size_t>(root)]) + ", the root of the collective)");
  }
  return trees;
}

}  // namespace tributary
