#include "testbench/codegen/chain_trees.h"

#include <algorithm>
#include <utility>

#include "modules/base/index.h"
#include "testbench/codegen/channel_proof.h"
#include "testbench/codegen/channel_slices.h"
#include "testbench/workload/collective.h"
#include "testbench/workload/memory_layout.h"

namespace tributary {
namespace {

using collective::ScheduleError;

constexpr std::uint32_t groups_of_tree = 2;
enum Direction : std::uint32_t { up, down };

class ChainTreeLowering {
 public:
  ChainTreeLowering(const JobSpec& job, Bytes message, const ChainTreeCut& cut)
      : job_(job), cut_(cut), layout_(MemoryLayout::of(job, message)), last_(job.ranks.size() - 1) {
    check();
    std::vector<std::vector<MessageRange>> all;
    for (unsigned b = 0; b < cut.blocks; ++b) all.push_back(slices(part({0, message.value}, b, cut.blocks)));
    of_chunk_ = parts_of_at_most(cut.chunk_bytes, cut.slice_bytes);
    depth_ = cut.slots * of_chunk_;
    for (const auto& of_block : all)
      for (const MessageRange& slice : of_block) stride_ = std::max(stride_, blocks_of(slice.bytes) * block_bytes);
    for (std::size_t r = 0; r <= last_; ++r) plan_.programs.push_back(program(r, all));
    plan_.memory_bytes = layout_.mailboxes + groups_of_tree * cut.blocks * depth_ * stride_;
  }
  ChannelPlan take() { return std::move(plan_); }

 private:
  void check() const {
    if (collective_of(job_.collective).passes != 2) throw ScheduleError("trees of NCCL do not run " + job_.collective);
    if (last_ == 0) throw ScheduleError("a tree of one rank");
    if (cut_.slots == 0 || cut_.slice_bytes == 0 || cut_.chunk_bytes < cut_.slice_bytes ||
        cut_.slice_bytes % block_bytes != 0 || cut_.chunk_bytes % block_bytes != 0)
      throw ScheduleError("a tree without slots, or with slots of partial blocks");
    if (cut_.warps_up == 0 || cut_.warps_up >= cut_.warps) throw ScheduleError("a tree with a group without warps");
  }

  /// Returns the slices of a thread block's range. All chunks but the last one are whole, and all slices of a chunk but its
  /// last.
  std::vector<MessageRange> slices(const MessageRange& range) const {
    std::vector<MessageRange> all;
    for (std::uint64_t done = 0; done < range.bytes;) {
      const std::uint64_t of_chunk = cut_.chunk_bytes - done % cut_.chunk_bytes,
                          bytes = std::min({range.bytes - done, of_chunk, cut_.slice_bytes});
      all.push_back({range.address + done, bytes});
      done += bytes;
    }
    return all;
  }

  StreamProgram program(std::size_t rank, const std::vector<std::vector<MessageRange>>& all) const {
    StreamProgram p;
    p.channels = groups_of_tree * cut_.blocks, p.groups = groups_of_tree;
    p.semaphores = 2 * groups_of_tree * cut_.blocks;
    p.times = cut_.times;
    p.type = job_.type, p.op = job_.op;
    for (unsigned b = 0; b < cut_.blocks; ++b)
      for (std::size_t i = 0, count = all[b].size(); i < count * job_.back_to_back; ++i) {
        const auto kernel = static_cast<std::uint16_t>(i / count);
        const Slice slice{
            b, i, kernel, i % count % of_chunk_ != 0, i + depth_ < count * job_.back_to_back, all[b][i % count]};
        if (rank == 0) {
          p.steps.push_back(at_root(slice));
        } else {
          p.steps.push_back(going_up(rank, slice));
          p.steps.push_back(going_down(rank, slice));
        }
      }
    return p;
  }

  struct Slice {
    unsigned block;
    std::size_t number;  // from the first kernel on
    std::uint16_t kernel;
    bool continues;    // a chunk
    bool is_followed;  // by another one in the same slot
    MessageRange range;
  };

  ChannelStep going_up(std::size_t rank, const Slice& slice) const {
    ChannelStep s = step(up, slice, cut_.warps_up);
    s.reads_own = true;
    if (rank < last_) receive(up, rank + 1, slice, s);
    send(up, rank - 1, slice, s);
    return s;
  }
  ChannelStep going_down(std::size_t rank, const Slice& slice) const {
    ChannelStep s = step(down, slice, cut_.warps - cut_.warps_up);
    s.stores = true;
    s.direct = cut_.direct && !cut_.flags;
    receive(down, rank - 1, slice, s);
    if (rank < last_) send(down, rank + 1, slice, s);
    return s;
  }
  ChannelStep at_root(const Slice& slice) const {
    ChannelStep s = step(up, slice, cut_.warps);
    s.reads_own = s.stores = true;
    receive(up, 1, slice, s);
    send(down, 1, slice, s);
    return s;
  }

  ChannelStep step(Direction group, const Slice& slice, unsigned warps) const {
    ChannelStep s;
    s.channel = static_cast<std::uint16_t>(groups_of_tree * slice.block + group);
    s.low_latency = cut_.flags;
    s.kernel = slice.kernel;
    s.continues = cut_.flags && slice.continues;
    s.own = slice.range.address + slice.kernel * layout_.of_kernel, s.bytes = slice.range.bytes;
    s.warps = static_cast<std::uint8_t>(warps), s.of_warps = static_cast<std::uint8_t>(cut_.warps);
    return s;
  }
  void receive(Direction way, std::size_t from, const Slice& slice, ChannelStep& s) const {
    s.reads_input = true;
    s.input = slot(way, slice);
    s.arrived = semaphore(way, slice.block, arrivals);
    s.arrivals = static_cast<std::uint32_t>(slice.number + 1);
    s.grant = semaphore(way, slice.block, free_slots);
    if (slice.is_followed) s.giver = endpoint(from);
  }
  void send(Direction way, std::size_t to, const Slice& slice, ChannelStep& s) const {
    s.peer = endpoint(to);
    s.destination = slot(way, slice);
    s.tell = semaphore(way, slice.block, arrivals);
    s.granted = semaphore(way, slice.block, free_slots);
    s.grants = slice.number < depth_ ? 0 : static_cast<std::uint32_t>(slice.number - depth_ + 1);
  }

  enum Counter : std::uint32_t { arrivals, free_slots };
  /// Returns the number of a semaphore at the rank that waits for it: the receiver for arrivals, the sender for free slots.
  static std::uint32_t semaphore(Direction way, unsigned block, Counter counter) {
    return 2 * (groups_of_tree * block + way) + counter;
  }
  std::uint64_t slot(Direction way, const Slice& slice) const {
    return layout_.mailboxes + ((groups_of_tree * slice.block + way) * depth_ + slice.number % depth_) * stride_;
  }
  std::uint16_t endpoint(std::size_t rank) const { return static_cast<std::uint16_t>(job_.ranks[rank]); }

  const JobSpec& job_;
  const ChainTreeCut& cut_;
  MemoryLayout layout_;
  std::size_t last_;            // rank at the end of the chain
  std::uint64_t of_chunk_ = 1;  // slices
  std::uint64_t depth_ = 0;     // slices that a buffer holds
  std::uint64_t stride_ = 0;    // bytes of the largest slice
  ChannelPlan plan_;
};

}  // namespace

ChannelPlan lower_chain_trees(const JobSpec& job, Bytes message, const ChainTreeCut& cut) {
  ChannelPlan plan = ChainTreeLowering(job, message, cut).take();
  prove_channels(job, message, plan.programs);
  return plan;
}

}  // namespace tributary
