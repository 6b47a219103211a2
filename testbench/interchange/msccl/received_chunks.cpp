#include "testbench/interchange/msccl/received_chunks.h"

#include "modules/base/index.h"

namespace tributary::msccl {

Takes takes_of(const StepGraph& graph, const Layout& layout, const std::vector<std::size_t>& order) {
  struct Received {
    std::size_t node = StepGraph::none;
    int chunk = 0;
  };
  Takes takes;
  std::map<std::pair<int, std::size_t>, Received> holds;  // (gpu, chunk of its memory) -> the `r` that wrote it
  const auto read = [&](int gpu, std::size_t chunk, bool reduction) {
    const auto found = holds.find({gpu, chunk});
    if (found == holds.end()) return;
    Take& take = takes[{found->second.node, found->second.chunk}];
    take = take == Take::unused && reduction ? Take::reduced : Take::copied;
  };
  for (const std::size_t node : order) {
    const Step& step = graph.step(node);
    const StepTraits& t = traits(step.type);
    const int gpu = graph.nodes()[node].gpu;
    for (int c = 0; c < step.count; ++c) {
      if (t.reads_source) read(gpu, layout.of(gpu, step.source, c), step.type == StepType::reduce);
      if (t.adds_destination) read(gpu, layout.of(gpu, step.destination, c), true);
    }
    for (int c = 0; t.writes && c < step.count; ++c) {
      const std::size_t chunk = layout.of(gpu, step.destination, c);
      holds.erase({gpu, chunk});
      if (step.type != StepType::receive) continue;
      holds[{gpu, chunk}] = {node, c};
      takes[{node, c}] = Take::unused;
    }
  }
  const Algorithm& a = graph.algorithm();
  const Extent extent = extent_of(a);
  for (int g = 0; g < a.ranks(); ++g)
    for (int c = 0; c < rule_of(a).outputs(extent); ++c) {
      const std::size_t chunk = layout.of(g, {Buffer::output, c});
      if (layout.inplace() || c < a.gpus[at(g)].output) read(g, chunk, false);
    }
  return takes;
}

}  // namespace tributary::msccl
