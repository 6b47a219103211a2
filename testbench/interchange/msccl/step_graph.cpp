#include "testbench/interchange/msccl/step_graph.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "modules/base/index.h"

namespace tributary::msccl {
namespace {

using Key = std::tuple<int, int, int>;  // sender, receiver, channel

std::string name_of(const Key& key) {
  return "from gpu " + std::to_string(std::get<0>(key)) + " to gpu " + std::to_string(std::get<1>(key)) + " on channel " +
         std::to_string(std::get<2>(key));
}

}  // namespace

StepGraph::StepGraph(const Algorithm& algorithm) : algorithm_(algorithm) {
  for (int g = 0; g < algorithm.ranks(); ++g) {
    const Gpu& gpu = algorithm.gpus[at(g)];
    const std::size_t first_thread = first_.size();
    for (int b = 0; b < static_cast<int>(gpu.blocks.size()); ++b) {
      first_.push_back(nodes_.size());
      length_.push_back(gpu.blocks[at(b)].steps.size());
      for (int s = 0; s < static_cast<int>(length_.back()); ++s)
        nodes_.push_back({g, b, s, first_.size() - 1, none, none, none});
    }
    for (std::size_t n = first_thread < first_.size() ? first_[first_thread] : nodes_.size(); n < nodes_.size(); ++n)
      if (const Step& s = step(n); s.depends_tb >= 0)
        nodes_[n].depends = first_[first_thread + at(s.depends_tb)] + at(s.depends_step);
  }
  match();
}

const Step& StepGraph::step(std::size_t node) const {
  const Node& n = nodes_[node];
  return algorithm_.gpus[at(n.gpu)].blocks[at(n.block)].steps[at(n.step)];
}

std::string StepGraph::text(std::size_t node) const {
  return describe(algorithm_, nodes_[node].gpu, nodes_[node].block, nodes_[node].step);
}

void StepGraph::join(End& end, std::size_t node) {
  if (end.thread == none) end.thread = nodes_[node].thread;
  if (end.thread != nodes_[node].thread && !end.shared) {
    end.shared = true;
    if (mismatch_.empty())
      mismatch_ =
          "race: " + text(end.steps.front()) + " and " + text(node) + " are in two thread blocks at one end of a queue";
  }
  end.steps.push_back(node);
}

void StepGraph::match() {
  std::map<Key, Queue> queues;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    const ThreadBlock& block = algorithm_.gpus[at(node.gpu)].blocks[at(node.block)];
    const StepTraits& t = traits(step(n).type);
    if (t.sends) join(queues[{node.gpu, block.send, block.channel}].sends, n);
    if (t.receives) join(queues[{block.receive, node.gpu, block.channel}].receives, n);
  }
  for (const auto& [key, queue] : queues) {
    const auto &sends = queue.sends.steps, &receives = queue.receives.steps;
    for (std::size_t i = 0; i < std::min(sends.size(), receives.size()); ++i) {
      nodes_[sends[i]].receiver = receives[i];
      nodes_[receives[i]].sender = sends[i];
      if (step(sends[i]).count != step(receives[i]).count && mismatch_.empty())
        mismatch_ = text(sends[i]) + " sends " + std::to_string(step(sends[i]).count) + " chunks, " + text(receives[i]) +
                    " receives " + std::to_string(step(receives[i]).count);
    }
    if (sends.size() > receives.size() && mismatch_.empty())
      mismatch_ = "queue " + name_of(key) + " is not empty at the end: no step receives the message that " +
                  text(sends[receives.size()]) + " sends";
    if (sends.size() < receives.size() && mismatch_.empty())
      mismatch_ = "deadlock: no step sends the message that " + text(receives[sends.size()]) + " waits for";
  }
}

std::string StepGraph::mismatch() const { return mismatch_; }

std::size_t StepGraph::waits_for(std::size_t node, const std::vector<bool>& done) const {
  for (const std::size_t other : {nodes_[node].depends, nodes_[node].sender})
    if (other != none && !done[other]) return other;
  return none;
}

std::vector<std::size_t> StepGraph::execute(bool backwards) const {
  const auto rank_of = [&](std::size_t thread) { return backwards ? first_.size() - 1 - thread : thread; };
  std::vector<std::size_t> next(first_), order;
  std::vector<bool> done(nodes_.size(), false);
  std::vector<std::vector<std::size_t>> waiting(nodes_.size());  // threads by the step that they wait for
  std::set<std::size_t> ready;
  for (std::size_t t = 0; t < first_.size(); ++t) ready.insert(t);
  while (!ready.empty()) {
    const std::size_t thread = rank_of(*ready.begin());
    ready.erase(ready.begin());
    while (next[thread] < first_[thread] + length_[thread]) {
      const std::size_t node = next[thread];
      if (const std::size_t other = waits_for(node, done); other != none) {
        waiting[other].push_back(thread);
        break;
      }
      done[node] = true;
      order.push_back(node);
      ++next[thread];
      for (const std::size_t woken : waiting[node]) ready.insert(rank_of(woken));
    }
  }
  return order;
}

std::string StepGraph::cycle(const std::vector<std::size_t>& order) const {
  std::vector<bool> done(nodes_.size(), false);
  for (const std::size_t n : order) done[n] = true;
  std::vector<std::size_t> current(first_);  // [thread] first step that is not done
  for (std::size_t t = 0; t < first_.size(); ++t)
    while (current[t] < first_[t] + length_[t] && done[current[t]]) ++current[t];
  const auto next = [&](std::size_t node) { return current[nodes_[waits_for(node, done)].thread]; };
  std::size_t node = none;
  for (std::size_t n = 0; n < nodes_.size() && node == none; ++n)
    if (!done[n]) node = n;
  for (std::size_t i = 0; i < first_.size(); ++i) node = next(node);  // `node` is then on the cycle
  std::string lines = "deadlock: these steps wait for each other";
  const std::size_t start = node;
  do {
    const std::size_t awaited = waits_for(node, done);
    lines += "\n  " + text(node) + " waits for " + text(awaited);
    node = next(node);
    if (awaited != node) lines += ", which comes after " + text(node);
  } while (node != start);
  return lines;
}

std::vector<std::size_t> StepGraph::chain_lengths(const std::vector<std::size_t>& order) const {
  std::vector<std::size_t> length(nodes_.size(), 0);
  for (const std::size_t n : order) {
    for (const std::size_t before : {previous(n), nodes_[n].depends, nodes_[n].sender})
      if (before != none) length[n] = std::max(length[n], length[before]);
    ++length[n];
  }
  return length;
}

std::vector<std::size_t> StepGraph::side_by_side() const {
  std::vector<std::size_t> order = execute(false);
  const std::vector<std::size_t> length = chain_lengths(order);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return length[a] != length[b] ? length[a] < length[b] : a < b; });
  return order;
}

}  // namespace tributary::msccl
