#include "testbench/interchange/msccl/execution.h"

#include "modules/base/index.h"

namespace tributary::msccl {
namespace {

const char* name(Buffer buffer) { return buffer == Buffer::input ? "i" : buffer == Buffer::output ? "o" : "s"; }

std::string text(const Place& place, int chunk) {
  return std::string(name(place.buffer)) + "[" + std::to_string(place.offset + chunk) + "]";
}

}  // namespace

Execution::Execution(const StepGraph& graph, const Layout& layout, const Extent& extent, Sums& sums)
    : graph_(graph), layout_(layout), extent_(extent), sums_(sums), sent_(graph.nodes().size()) {
  const Algorithm& a = graph.algorithm();
  const int inputs = rule_of(a).inputs(extent);
  for (int g = 0; g < a.ranks(); ++g) {
    memory_.emplace_back(layout.chunks(g), Sums::nothing);
    if (a.gpus[at(g)].input == 0 && !layout.inplace()) continue;
    for (int c = 0; c < inputs; ++c) memory_.back()[layout.of(g, {Buffer::input, c})] = sums.of({g, c});
  }
}

int Execution::read(std::size_t node, const Place& place, int chunk) {
  const int gpu = graph_.nodes()[node].gpu;
  const int found = value(gpu, layout_.of(gpu, place, chunk));
  if (found == Sums::nothing && error_.empty())
    error_ = graph_.text(node) + " reads " + text(place, chunk) + ", which was never written";
  return found;
}

bool Execution::run(std::size_t node) {
  const Step& step = graph_.step(node);
  const StepTraits& t = traits(step.type);
  const int gpu = graph_.nodes()[node].gpu;
  std::vector<int> values;
  for (int c = 0; c < step.count && step.type != StepType::nop; ++c) {
    int result = t.receives ? sent_[graph_.nodes()[node].sender][at(c)] : Sums::nothing;
    for (const auto& [reads, place] : {std::pair{t.reads_source, step.source}, {t.adds_destination, step.destination}}) {
      if (!reads) continue;
      const int operand = read(node, place, c);
      if (!error_.empty()) return false;
      result = result == Sums::nothing ? operand : sums_.add(result, operand);
    }
    values.push_back(result);
  }
  // A step reads all its chunks before it writes any.
  for (int c = 0; t.writes && c < step.count; ++c) memory_[at(gpu)][layout_.of(gpu, step.destination, c)] = values[at(c)];
  if (t.sends) sent_[node] = std::move(values);
  return true;
}

std::string Execution::wrong_output(int root) {
  const Algorithm& a = graph_.algorithm();
  const CollectiveRule& rule = rule_of(a);
  for (int g = 0; g < a.ranks(); ++g) {
    if (rule.output_at_root && g != root) continue;
    for (int c = 0; c < rule.outputs(extent_); ++c) {
      const Atom atom = rule.wanted(extent_, root, g, c);
      const int wanted = atom.rank == collective::every_rank ? sums_.all_ranks(extent_.ranks, atom.chunk) : sums_.of(atom);
      const bool there = layout_.inplace() || a.gpus[at(g)].output > c;
      const int found = there ? value(g, layout_.of(g, {Buffer::output, c})) : Sums::nothing;
      if (found != wanted)
        return "output chunk " + std::to_string(c) + " of gpu " + std::to_string(g) + " ends with " + sums_.text(found) +
               " (legal: " + sums_.text(wanted) + ")";
    }
  }
  return {};
}

}  // namespace tributary::msccl
