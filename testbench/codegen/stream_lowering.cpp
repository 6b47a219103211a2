#include "testbench/codegen/stream_lowering.h"

#include <algorithm>
#include <map>
#include <set>

#include "modules/base/index.h"
#include "testbench/codegen/stream_proof.h"
#include "testbench/codegen/stream_writer.h"
#include "testbench/workload/memory_layout.h"

namespace tributary {
namespace {

using collective::ChunkRoute;
using collective::no_rank;
using collective::PackedChunk;
using collective::PackedSchedule;

/// The first field of the key of a stream.
enum StreamUse { towards_root, away_from_root, sums_towards_root, sums_away, root_sums, last_waits };
/// The first field of the key of a semaphore.
enum Signal { sum_arrives, chunk_arrives, sum_ready, kernel_done };

class StreamLowering {
 public:
  StreamLowering(const JobSpec& job, std::uint64_t buffer_bytes, const std::vector<StreamTree>& trees,
                 const PackedSchedule& packed, const StreamOptions& options)
      : trees_(trees), packed_(packed), options_(options), memory_(job.ranks.size(), buffer_bytes) {
    for (const int endpoint : job.ranks) writers_.emplace_back(static_cast<std::uint16_t>(endpoint));
    for (const ChunkRoute& route : packed.routes) order_.push_back(by_depth(route));
    place_edges();
    place_mailboxes();
    if (options.sequential_phases) {
      for (const PackedChunk& chunk : packed.chunks) begin(chunk), go_up(chunk);
      for (const PackedChunk& chunk : packed.chunks) begin(chunk), go_down(chunk);
    } else {
      for (const PackedChunk& chunk : packed.chunks) begin(chunk), go_up(chunk), go_down(chunk);
    }
    for (StreamWriter& writer : writers_) writer.at_chunk(StreamCommand::no_chunk);
    for (std::size_t r = 0; r < writers_.size(); ++r) await_the_rest(static_cast<int>(r));
    switch_peers();
    if (options.staggered) stagger();
  }

  std::vector<StreamProgram> programs(const JobSpec& job) {
    std::vector<StreamProgram> programs;
    for (StreamWriter& writer : writers_) programs.push_back(writer.finish(job.type, job.op));
    return programs;
  }
  const std::vector<std::uint64_t>& memory() const { return memory_; }

 private:
  /// Returns the ranks of a route, each after its parent.
  static std::vector<int> by_depth(const ChunkRoute& route) {
    std::vector<int> ranks{route.root};
    for (std::size_t done = 0; done < ranks.size(); ++done) {
      const std::vector<int>& children = route.routes.children[at(ranks[done])];
      ranks.insert(ranks.end(), children.begin(), children.end());
    }
    return ranks;
  }

  /// Finds the depth of each edge below the root: the least over the trees of a group.
  void place_edges() {
    for (const StreamTree& t : trees_) {
      const collective::Tree& tree = t.tree.tree;
      const std::vector<int> depth = collective::depths(tree, tree.root());
      for (std::size_t r = 0; r < depth.size(); ++r) {
        if (tree.parent[r] == no_rank) continue;
        const auto [place, first] = depth_.try_emplace(edge(t, static_cast<int>(r), tree.parent[r]), depth[r]);
        if (!first) place->second = std::min(place->second, depth[r]);
      }
    }
  }
  static std::tuple<int, int, int> edge(const StreamTree& t, int a, int b) {
    return {t.tree.group, std::min(a, b), std::max(a, b)};
  }

  /// Each child's sums have a mailbox with the size of the whole range that the route carries.
  void place_mailboxes() {
    std::vector<std::uint64_t> end(packed_.routes.size(), 0);
    start_.assign(packed_.routes.size(), ~std::uint64_t{0});
    for (const PackedChunk& c : packed_.chunks) {
      start_[at(c.route)] = std::min(start_[at(c.route)], c.address);
      end[at(c.route)] = std::max(end[at(c.route)], c.address + blocks_of(c.bytes) * block_bytes);
    }
    for (std::size_t i = 0; i < packed_.routes.size(); ++i)
      if (packed_.routes[i].up)
        for (const int r : order_[i])
          for (const int child : packed_.routes[i].routes.children[at(r)]) {
            mailbox_[{static_cast<int>(i), child}] = memory_[at(r)];
            memory_[at(r)] += end[i] - start_[i];
          }
  }
  std::uint64_t mailbox(const PackedChunk& c, int child) const {
    return mailbox_.at({c.route, child}) + c.address - start_[at(c.route)];
  }

  CopyPath path(const StreamTree& tree, int from, int to) const {
    const bool leaves = !options_.server_of.empty() && options_.server_of.at(at(from)) != options_.server_of.at(at(to));
    if (leaves) return CopyPath::network;
    const bool apart = !options_.island_of.empty() && options_.island_of.at(at(from)) != options_.island_of.at(at(to));
    return apart ? CopyPath::pcie : tree.path;
  }

  /// Returns the key of an edge's stream. Edges of equal depth share a stream with StreamOptions::reuse, else those of the
  /// trees of one group.
  StreamKey edge_stream(const ChunkRoute& route, int rank, int peer, bool kernel = false) const {
    const StreamTree& t = trees_[at(route.tree)];
    const bool up = t.tree.tree.parent[at(rank)] == peer;
    const int shared = options_.reuse ? depth_.at(edge(t, rank, peer)) : t.tree.group;
    const StreamUse kind = kernel ? (up ? sums_towards_root : sums_away) : (up ? towards_root : away_from_root);
    return {kind, peer, shared, static_cast<int>(path(t, rank, peer))};
  }
  StreamKey tree_stream(const ChunkRoute& route, StreamUse kind, int peer = no_rank) const {
    return {kind, peer, trees_[at(route.tree)].tree.group, static_cast<int>(trees_[at(route.tree)].path)};
  }

  void begin(const PackedChunk& c) {
    for (StreamWriter& writer : writers_) writer.at_chunk(static_cast<std::uint32_t>(&c - packed_.chunks.data()));
  }

  void go_up(const PackedChunk& c) {
    const ChunkRoute& route = packed_.routes[at(c.route)];
    if (!route.up) return;
    for (auto r = order_[at(c.route)].rbegin(); r != order_[at(c.route)].rend(); ++r) {
      const int parent = route.routes.parent[at(*r)];
      if (parent == no_rank) {
        add_up(c, route, *r, writers_[at(*r)].stream(tree_stream(route, root_sums)));
        if (route.down) signal(*r, tree_stream(route, root_sums), arrival(*r, no_rank, route, sum_ready));
        continue;
      }
      const StreamKey onward = edge_stream(route, *r, parent);
      if (options_.own_kernel_streams && !route.routes.children[at(*r)].empty()) {
        const StreamKey beside = edge_stream(route, *r, parent, true);
        add_up(c, route, *r, writers_[at(*r)].stream(beside));
        signal(*r, beside, arrival(*r, parent, route, kernel_done));
        writers_[at(*r)].wait(writers_[at(*r)].stream(onward), arrival(*r, parent, route, kernel_done));
      } else {
        add_up(c, route, *r, writers_[at(*r)].stream(onward));
      }
      copy(c, route, *r, parent, mailbox(c, *r), sum_arrives);
    }
  }

  void add_up(const PackedChunk& c, const ChunkRoute& route, int rank, std::uint16_t stream) {
    std::vector<std::uint64_t> inputs;
    for (const int child : route.routes.children[at(rank)]) {
      writers_[at(rank)].wait(stream, arrival(rank, child, route, sum_arrives));
      inputs.push_back(mailbox(c, child));
    }
    writers_[at(rank)].add(stream, c.address, c.bytes, inputs, options_.fan_in);
  }

  void go_down(const PackedChunk& c) {
    const ChunkRoute& route = packed_.routes[at(c.route)];
    if (!route.down) return;
    for (const int r : order_[at(c.route)])
      for (const int child : route.routes.children[at(r)]) {
        const std::uint16_t stream = writers_[at(r)].stream(edge_stream(route, r, child));
        if (const int parent = route.routes.parent[at(r)]; parent != no_rank)
          writers_[at(r)].wait(stream, arrival(r, parent, route, chunk_arrives));
        else if (route.up)
          writers_[at(r)].wait(stream, arrival(r, no_rank, route, sum_ready));
        copy(c, route, r, child, c.address, chunk_arrives);
      }
  }

  void copy(const PackedChunk& c, const ChunkRoute& route, int from, int to, std::uint64_t destination, Signal kind) {
    const CopyPath copy_path = path(trees_[at(route.tree)], from, to);
    const std::uint16_t stream = writers_[at(from)].stream(edge_stream(route, from, to));
    if (trees_[at(route.tree)].path == CopyPath::pcie && copy_path == CopyPath::pcie) pcie_[from].insert(stream);
    writers_[at(from)].copy(stream, copy_path, writers_[at(to)].self(), c.address, destination, c.bytes);
    writers_[at(from)].record(stream, copy_path, writers_[at(to)], arrival(to, from, route, kind));
  }

  /// Returns the semaphore for data from the peer `from`, or for a signal within the rank.
  std::uint32_t arrival(int rank, int from, const ChunkRoute& route, Signal kind) {
    return writers_[at(rank)].semaphore({kind, route.tree, from, 0});
  }
  /// Records a semaphore for another stream of the rank.
  void signal(int rank, const StreamKey& stream, std::uint32_t semaphore) {
    StreamWriter& writer = writers_[at(rank)];
    writer.record(writer.stream(stream), CopyPath::nvlink, writer, semaphore);
  }

  /// Waits for chunks that the rank does not forward, in the stream of its sums of that tree or in a separate stream.
  void await_the_rest(int rank) {
    const auto semaphores = writers_[at(rank)].semaphores();
    for (const auto& [key, semaphore] : semaphores) {
      if (!writers_[at(rank)].unawaited(semaphore)) continue;
      const int tree = std::get<1>(key), from = std::get<2>(key);
      ChunkRoute route;
      route.tree = tree;
      StreamKey stream = edge_stream(route, rank, from);
      if (!writers_[at(rank)].has_stream(stream)) stream = tree_stream(route, last_waits, from);
      writers_[at(rank)].wait(writers_[at(rank)].stream(stream), semaphore);
    }
  }

  void switch_peers() {
    const auto on = [](CopyPath path) { return [=](const StreamTree& t) { return t.path == path; }; };
    if (std::none_of(trees_.begin(), trees_.end(), on(CopyPath::nvlink))) return;
    const auto gpus = static_cast<std::uint32_t>(writers_.size());
    for (const auto& [rank, streams] : pcie_) writers_[at(rank)].switch_peers_before({streams.begin(), streams.end()}, gpus);
  }

  void stagger() {
    if (std::any_of(writers_.begin(), writers_.end(), [&](const StreamWriter& w) { return w.streams() > options_.queues; }))
      return;
    std::vector<std::uint32_t> turn, seen(packed_.routes.size(), 0);
    for (const PackedChunk& c : packed_.chunks) turn.push_back(seen[at(c.route)]++);
    for (std::size_t r = 0; r < writers_.size(); ++r)
      writers_[r].stagger(turn, static_cast<int>(r), static_cast<int>(writers_.size()));
  }

  const std::vector<StreamTree>& trees_;
  const PackedSchedule& packed_;
  const StreamOptions& options_;
  std::vector<std::uint64_t> memory_;                     ///< [rank] bytes allocated so far
  std::vector<StreamWriter> writers_;                     ///< [rank]
  std::vector<std::vector<int>> order_;                   ///< [route] ranks by depth
  std::map<std::tuple<int, int, int>, int> depth_;        ///< (group, rank, higher rank)
  std::vector<std::uint64_t> start_;                      ///< [route] lowest address
  std::map<std::pair<int, int>, std::uint64_t> mailbox_;  ///< (route, child)
  std::map<int, std::set<std::uint16_t>> pcie_;           ///< [rank] streams
};

void check(const JobSpec& job, const std::vector<StreamTree>& trees, const StreamOptions& options) {
  const auto refuse = [](const std::string& why) { throw collective::ScheduleError("streams: " + why); };
  for (const StreamTree& t : trees)
    if (t.tree.tree.parent.size() != job.ranks.size())
      refuse("a tree over " + std::to_string(t.tree.tree.parent.size()) + " ranks for a job of " +
             std::to_string(job.ranks.size()));
  if (options.fan_in < 1 || options.fan_in > StreamCommand::max_inputs)
    refuse("kernels add 1 to " + std::to_string(StreamCommand::max_inputs) + " mailboxes, not " +
           std::to_string(options.fan_in));
  if (options.queues < 1) refuse("a GPU has at least one hardware queue");
  if (!options.server_of.empty() && options.server_of.size() != job.ranks.size())
    refuse("servers of " + std::to_string(options.server_of.size()) + " ranks for a job of " +
           std::to_string(job.ranks.size()));
  if (!options.island_of.empty() && options.island_of.size() != job.ranks.size())
    refuse("islands of " + std::to_string(options.island_of.size()) + " ranks for a job of " +
           std::to_string(job.ranks.size()));
}

}  // namespace

std::vector<StreamTree> on_path(std::vector<collective::WeightedTree> trees, CopyPath path) {
  std::vector<StreamTree> all;
  for (collective::WeightedTree& tree : trees) all.push_back({std::move(tree), path});
  return all;
}

StreamPlan plan_streams(const JobSpec& job, Bytes message, const std::vector<StreamTree>& trees, collective::TreeUse use,
                        const StreamOptions& options) {
  check(job, trees, options);
  collective::TreeRequest request{use, {}, message.value, element_size(job.type), options.chunk.value, options.from_roots};
  for (const StreamTree& t : trees) request.trees.push_back(t.tree);
  StreamPlan made;
  made.schedule = packed_schedule(request);
  StreamLowering lowering(job, MemoryLayout::of(job, message).mailboxes, trees, made.schedule, options);
  made.programs = lowering.programs(job);
  made.memory = lowering.memory();
  prove_streams(job, message, made.programs, made.memory, options.queues);
  return made;
}

}  // namespace tributary
