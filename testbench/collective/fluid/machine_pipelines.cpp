#include "testbench/collective/fluid/machine_pipelines.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tributary::collective {
namespace {

using Id = ActivityGraph::Id;
using Ids = std::vector<Id>;
using Uses = std::vector<FluidUse>;

constexpr int switched_chunks = 16;
constexpr double least_tree_chunk = 64 * 1024, most_tree_chunks = 2048;

/// Stages of chunks; activities of one lane carry chunks in order.
class Pipeline {
 public:
  Pipeline(const MachineCost& m, double bytes) : m_(m) {
    if (m.gpus_per_machine < 1 || m.gpus < 1 || m.gpus % m.gpus_per_machine != 0)
      throw std::invalid_argument("fluid: " + std::to_string(m.gpus) + " GPUs cannot be divided into machines of " +
                                  std::to_string(m.gpus_per_machine));
    if (!(bytes > 0)) throw std::invalid_argument("fluid: bytes must be above 0");
  }

  int machines() const { return m_.gpus / m_.gpus_per_machine; }
  std::uint32_t link(double rate, double count) { return graph_.add_link(rate, count); }
  /// Adds `senders` equal sends of `bytes` after all of `earlier` have arrived.
  Id send(const Ids& earlier, double senders, double bytes, const Uses& uses, std::uint32_t lane = no_lane) {
    Activity a;
    a.bytes = bytes;
    a.multiplicity = senders;
    a.uses = uses;
    a.latency = m_.step_time * 1e12;
    a.lane = lane;
    const Id id = graph_.add(a);
    for (const Id before : earlier) graph_.after(id, before, Moment::arrived);
    return id;
  }
  ActivityGraph finish() { return std::move(graph_); }

 private:
  MachineCost m_;
  ActivityGraph graph_;
};

/// Two trees, each with one half of every chunk. Depth 0 is a root, which has one child; depth `levels` holds the leaves,
/// half of the machines of a tree. Class c holds the machines at depth c of one tree, which are leaves of the other.
class TwoTrees {
 public:
  TwoTrees(Pipeline& pipeline, double nic_rate, int machines, std::uint32_t first_lane)
      : pipeline_(pipeline), lane_(first_lane) {
    while ((1 << levels_) < machines) ++levels_;
    for (int c = 0; c < levels_; ++c) {
      out_.push_back(pipeline.link(nic_rate, machines_of(c)));
      in_.push_back(pipeline.link(nic_rate, machines_of(c)));
    }
  }
  /// Sends one chunk up to the roots and down to the leaves. Returns the last sends.
  Ids carry(const Ids& earlier, double chunk) {
    half_ = chunk / 2;
    number_ = 0;
    Ids last = edge(levels_, true, earlier);
    for (int depth = levels_ - 1; depth > 0; --depth) last = edge(depth, true, last);
    Ids all;
    for (int depth = 1; depth <= levels_; ++depth) {
      last = edge(depth, false, last);
      all.insert(all.end(), last.begin(), last.end());
    }
    return all;
  }

 private:
  /// Returns the number of machines in class c of both trees together.
  static double machines_of(int c) { return c == 0 ? 2 : 2.0 * (1 << (c - 1)); }
  /// Adds the sends of both trees between depths d and d - 1: one class, or for leaves one per class of machines.
  Ids edge(int depth, bool up, const Ids& earlier) {
    const auto parents = static_cast<std::size_t>(depth - 1);
    Ids sends;
    const auto add = [&](std::size_t children, double count) {
      const std::uint32_t from = up ? out_[children] : out_[parents], to = up ? in_[parents] : in_[children];
      sends.push_back(pipeline_.send(earlier, count, half_, {{from, 1}, {to, 1}}, lane_ + number_++));
    };
    if (depth < levels_)
      add(static_cast<std::size_t>(depth), machines_of(depth));
    else
      for (int c = 0; c < levels_; ++c) add(static_cast<std::size_t>(c), machines_of(c));
    return sends;
  }

  Pipeline& pipeline_;
  std::uint32_t lane_, number_ = 0;
  int levels_ = 0;
  double half_ = 0;
  std::vector<std::uint32_t> out_, in_;
};

}  // namespace

ActivityGraph switched_machine_flows(const MachineCost& m, double bytes, Between between) {
  Pipeline pipeline(m, bytes);
  const double gpus = m.gpus, n = m.gpus_per_machine;
  const std::uint32_t up = pipeline.link(m.intra_rate, gpus), down = pipeline.link(m.intra_rate, gpus);
  const int machines = pipeline.machines();
  const std::uint32_t nics = pipeline.link(m.inter_rate, machines);
  const double chunk = bytes / switched_chunks;
  for (int i = 0; i < switched_chunks; ++i) {
    if (machines == 1) {
      pipeline.send({}, gpus, chunk, {{up, 1}, {down, 1}}, 0);
      continue;
    }
    Id last = pipeline.send({}, gpus, chunk, {{up, 1}, {down, 1 / n}}, 0);
    if (between == Between::adding) last = pipeline.send({last}, machines, chunk, {{nics, 1}}, 1);
    if (between == Between::rings)
      for (int step = 0; step < 2 * (machines - 1); ++step)
        last = pipeline.send({last}, machines, chunk / machines, {{nics, 1}});
    pipeline.send({last}, gpus, chunk, {{up, 1 / n}, {down, 1}}, 2);
  }
  return pipeline.finish();
}

ActivityGraph parallel_tree_flows(const MachineCost& m, double bytes) {
  Pipeline pipeline(m, bytes);
  const int n = m.gpus_per_machine, machines = pipeline.machines();
  if ((machines & (machines - 1)) != 0)
    throw std::invalid_argument("fluid: " + std::to_string(machines) + " machines is not a power of two");
  const std::uint32_t inside = pipeline.link(m.intra_rate, m.gpus);
  const auto steps = static_cast<std::uint32_t>(n - 1);
  TwoTrees trees(pipeline, m.inter_rate, machines, 2 * steps);
  const double chunks = std::clamp(std::ceil(bytes / least_tree_chunk), 1.0, most_tree_chunks), chunk = bytes / chunks;
  for (int i = 0; i < static_cast<int>(chunks); ++i) {
    Ids last;
    const auto ring = [&](std::uint32_t lane) {
      for (std::uint32_t step = 0; step < steps; ++step)
        last = {pipeline.send(last, m.gpus, chunk / n, {{inside, 1}}, lane + step)};
    };
    ring(0);
    if (machines > 1) last = trees.carry(last, chunk);
    ring(steps);
  }
  return pipeline.finish();
}

}  // namespace tributary::collective
