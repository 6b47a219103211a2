#include "testbench/interchange/msccl/memory.h"

#include <algorithm>
#include <string>

#include "modules/base/index.h"
#include "modules/base/nearest.h"
#include "platforms/topology/files/topology_text.h"
#include "testbench/workload/input_error.h"

namespace tributary::msccl {

const CollectiveRule& rule_of(const Algorithm& algorithm) {
  if (const CollectiveRule* rule = rule_of_file(algorithm.collective)) return *rule;
  std::vector<std::string> names;
  for (const CollectiveRule& rule : collective_rules()) names.emplace_back(rule.name);
  throw InputError("unknown coll " + topology::quoted(algorithm.collective) + " (legal: " + join_names(names) + ")");
}

Extent extent_of(const Algorithm& algorithm) {
  const CollectiveRule& rule = rule_of(algorithm);
  Extent e{algorithm.ranks(), algorithm.chunks_per_loop, 0};
  if (rule.cut && e.whole % e.ranks != 0)
    throw InputError("nchunksperloop " + std::to_string(e.whole) + " of an " + rule.name + " of " + std::to_string(e.ranks) +
                     " GPUs (legal: a multiple of the GPUs)");
  e.part = rule.cut ? e.whole / e.ranks : e.whole;
  for (int g = 0; g < e.ranks; ++g) {
    const Gpu& gpu = algorithm.gpus[at(g)];
    const auto check = [&](const char* name, int given, int legal) {
      if (given != 0 && given != legal)
        throw InputError("gpu " + std::to_string(g) + " has " + name + " " + std::to_string(given) +
                         " (legal: " + std::to_string(legal) + ", or 0 without the buffer)");
    };
    check("i_chunks", gpu.input, rule.inputs(e));
    check("o_chunks", gpu.output, rule.outputs(e));
  }
  return e;
}

Layout::Layout(const Algorithm& algorithm, bool inplace)
    : rule_(rule_of(algorithm)), extent_(extent_of(algorithm)), inplace_(inplace) {
  for (const Gpu& gpu : algorithm.gpus) {
    const int buffers = inplace ? 2 * extent_.whole : gpu.input + gpu.output;
    scratch_.push_back(at(buffers));
    sizes_.push_back(at(buffers) + at(gpu.scratch));
  }
  // In place both begin at 0.
  for (const Gpu& gpu : algorithm.gpus) outputs_.push_back(inplace ? 0 : at(gpu.input));
}

std::size_t Layout::of(int gpu, const Place& place, int chunk) const {
  const std::size_t offset = at(place.offset + chunk), part = at(gpu) * at(extent_.part);
  switch (place.buffer) {
    case Buffer::input:
      return offset + (inplace_ && rule_.parts_in ? part : 0);
    case Buffer::output:
      return offset + outputs_[at(gpu)] + (inplace_ && rule_.parts_out ? part : 0);
    case Buffer::scratch:
      break;
  }
  return scratch_[at(gpu)] + offset;
}

int Sums::number(Terms terms) {
  const auto [found, fresh] = numbers_.try_emplace(std::move(terms), static_cast<int>(all_.size()));
  if (fresh) all_.push_back(found->first);
  return found->second;
}

int Sums::all_ranks(int ranks, int chunk) {
  Terms terms;
  for (int r = 0; r < ranks; ++r) terms.push_back({{r, chunk}, 1});
  return number(std::move(terms));
}

int Sums::add(int a, int b) {
  const auto key = std::minmax(a, b);
  const auto [found, fresh] = sums_.try_emplace(key, 0);
  if (!fresh) return found->second;
  Terms sum;
  const Terms &x = terms(a), &y = terms(b);
  auto i = x.begin(), j = y.begin();
  while (i != x.end() || j != y.end()) {
    if (j == y.end() || (i != x.end() && i->first < j->first))
      sum.push_back(*i++);
    else if (i == x.end() || j->first < i->first)
      sum.push_back(*j++);
    else
      sum.push_back({i->first, i->second + j->second}), ++i, ++j;
  }
  return found->second = number(std::move(sum));
}

std::string Sums::text(int number) const {
  constexpr std::size_t most = 4;
  if (number == nothing) return "nothing";
  std::string text;
  const Terms& all = terms(number);
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i)
    text += (i == 0 ? "" : " + ") + (all[i].second > 1 ? std::to_string(all[i].second) + " x " : "") + "chunk " +
            std::to_string(all[i].first.second) + " of gpu " + std::to_string(all[i].first.first);
  return text + (all.size() > most ? " + " + std::to_string(all.size() - most) + " more" : "");
}

}  // namespace tributary::msccl
