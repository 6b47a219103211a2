#include "testbench/collective/packing/packed_schedule.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "modules/base/index.h"
#include "testbench/collective/packing/chunk_routes.h"
#include "testbench/collective/schedule/program_builder.h"
#include "testbench/collective/schedule/stepwise_proof.h"

namespace tributary::collective {
namespace {

constexpr int nothing = ProgramBuilder::nothing;

class Writer {
 public:
  Writer(const PackedSchedule& packed, int ranks)
      : packed_(packed), chunks_(static_cast<int>(packed.chunks.size())), builders_(at(ranks)) {
    for (const ChunkRoute& route : packed.routes) depth_.push_back(depths(route.routes, route.root));
    for (const auto& depth : depth_) height_ = std::max(height_, *std::max_element(depth.begin(), depth.end()));
    for (int c = 0; c < chunks_; ++c) write(c);
  }

  std::vector<std::vector<Operation>> finish() {
    std::vector<std::vector<Operation>> programs;
    for (ProgramBuilder& builder : builders_) programs.push_back(builder.finish());
    return programs;
  }

 private:
  void write(int chunk) {
    const int index = packed_.chunks[at(chunk)].route;
    const ChunkRoute& route = packed_.routes[at(index)];
    for (std::size_t r = 0; r < builders_.size(); ++r)
      if (depth_[at(index)][r] >= 0) write(chunk, route, static_cast<int>(r), depth_[at(index)][r]);
  }

  /// Steps order all operations: chunk by chunk, then hop by hop.
  void write(int chunk, const ChunkRoute& route, int rank, int depth) {
    ProgramBuilder& program = builders_[at(rank)];
    const int parent = route.routes.parent[at(rank)], t = route.tree, first = chunk * (2 * height_ + 1);
    const std::vector<int>& children = route.routes.children[at(rank)];
    int ready = nothing;  // operation that gives the chunk its value at this rank
    if (route.up) {
      program.at_step(first + height_ - depth - 1);
      for (const int child : children) {
        int& arrived = last(rank, t, child, 0);
        ready = arrived = program.take(OperationKind::reduce, child, chunk, chunk, {arrived}, ready);
      }
      program.at_step(first + height_ - depth);
      if (parent != no_rank) send(program, rank, t, parent, chunk, chunk, ready);
    }
    if (!route.down) return;
    const int slot = chunk + (route.up ? chunks_ : 0);
    if (parent != no_rank) {
      program.at_step(first + height_ + depth - 1);
      int& arrived = last(rank, t, parent, 1);
      ready = arrived = program.take(OperationKind::copy, parent, chunk, slot, {arrived});
    }
    program.at_step(first + height_ + depth);
    for (const int child : children) send(program, rank, t, child, chunk, slot, ready);
  }

  void send(ProgramBuilder& program, int rank, int tree, int peer, int chunk, int slot, int ready) {
    int& sent = last(rank, tree, peer, 2);
    sent = program.send(peer, chunk, slot, {ready, sent});
  }

  /// Returns the last operation between a rank and a peer on one tree. `kind`: 0 sums in, 1 copies in, 2 sends.
  int& last(int rank, int tree, int peer, int kind) {
    return last_.try_emplace({rank, tree, peer, kind}, nothing).first->second;
  }

  const PackedSchedule& packed_;
  int chunks_, height_ = 0;
  std::vector<std::vector<int>> depth_;  ///< [route][rank]
  std::vector<ProgramBuilder> builders_;
  std::map<std::tuple<int, int, int, int>, int> last_;
};

const char* name(TreeUse use) {
  switch (use) {
    case TreeUse::broadcast:
      return "down trees";
    case TreeUse::reduce:
      return "up trees";
    case TreeUse::allreduce:
      return "up and down trees";
    case TreeUse::gather:
      return "slices up trees";
    case TreeUse::allgather:
      return "slices along trees";
    case TreeUse::reduce_scatter:
      return "sums along trees";
  }
  return "trees";
}

}  // namespace

PackedSchedule packed_schedule(const TreeRequest& request) {
  PackedSchedule packed = routed_chunks(request);
  const auto chunks = static_cast<int>(packed.chunks.size());
  const auto ranks = static_cast<int>(request.trees.front().tree.parent.size());
  const bool both = request.use == TreeUse::allreduce;
  packed.schedule = {name(request.use), ranks, chunks, both ? 2 * chunks : chunks, Writer(packed, ranks).finish()};
  for (const PackedChunk& chunk : packed.chunks) packed.schedule.goals.push_back(packed.routes[at(chunk.route)].goal);
  verify_any(packed.schedule);
  return packed;
}

}  // namespace tributary::collective
