#include "testbench/interchange/msccl/races.h"

#include <algorithm>
#include <map>
#include <set>

#include "modules/base/index.h"
#include "testbench/workload/input_error.h"

namespace tributary::msccl {

HappensBefore::HappensBefore(const StepGraph& graph, const std::vector<std::size_t>& order)
    : graph_(graph), threads_(graph.threads()) {
  constexpr std::size_t most = std::size_t{1} << 27;
  if (order.size() > most / std::max<std::size_t>(threads_, 1))
    throw InputError(std::to_string(order.size()) + " steps of " + std::to_string(threads_) +
                     " thread blocks are too many for a proof (legal: a product of up to " + std::to_string(most) + ")");
  clock_.resize(order.size() * threads_, 0);
  for (const std::size_t node : order) {
    std::int32_t* const mine = clock_.data() + node * threads_;
    for (const std::size_t other : {graph.previous(node), graph.nodes()[node].depends, graph.nodes()[node].sender}) {
      if (other == StepGraph::none) continue;
      const std::int32_t* const earlier = clock_.data() + other * threads_;
      for (std::size_t t = 0; t < threads_; ++t) mine[t] = std::max(mine[t], earlier[t]);
    }
    mine[graph.nodes()[node].thread] = graph.nodes()[node].step + 1;
  }
}

bool HappensBefore::operator()(std::size_t a, std::size_t b) const {
  const StepGraph::Node& node = graph_.nodes()[a];
  return clock_[b * threads_ + node.thread] > node.step;
}

std::string race(const StepGraph& graph, const Layout& layout, const std::vector<std::size_t>& order,
                 const HappensBefore& before) {
  struct Uses {
    std::vector<std::size_t> reads;  // reads since the last write
    std::vector<std::size_t> write;  // the last write, if any
  };
  std::map<std::pair<int, std::size_t>, Uses> chunks;
  for (const std::size_t node : order) {
    const Step& step = graph.step(node);
    const StepTraits& t = traits(step.type);
    const int gpu = graph.nodes()[node].gpu;
    const auto unordered = [&](const std::vector<std::size_t>& earlier) -> std::string {
      for (const std::size_t other : earlier)
        if (!before(other, node))
          return "race: " + graph.text(other) + " and " + graph.text(node) +
                 " touch one chunk, and neither happens before " + "the other";
      return {};
    };
    std::set<std::size_t> read, written;
    for (int c = 0; c < step.count; ++c) {
      if (t.reads_source) read.insert(layout.of(gpu, step.source, c));
      if (t.adds_destination) read.insert(layout.of(gpu, step.destination, c));
      if (t.writes) written.insert(layout.of(gpu, step.destination, c));
    }
    for (const std::size_t chunk : read) {
      Uses& uses = chunks[{gpu, chunk}];
      if (const std::string found = unordered(uses.write); !found.empty()) return found;
      if (written.count(chunk) == 0) uses.reads.push_back(node);
    }
    for (const std::size_t chunk : written) {
      Uses& uses = chunks[{gpu, chunk}];
      for (const auto* earlier : {&uses.write, &uses.reads})
        if (const std::string found = unordered(*earlier); !found.empty()) return found;
      uses = {{}, {node}};
    }
  }
  return {};
}

}  // namespace tributary::msccl
