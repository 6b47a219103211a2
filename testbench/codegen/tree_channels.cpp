#include "testbench/codegen/tree_channels.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "modules/base/index.h"
#include "testbench/codegen/channel_proof.h"
#include "testbench/codegen/channel_protocol.h"
#include "testbench/codegen/channel_slices.h"
#include "testbench/collective/schedule/fused.h"
#include "testbench/collective/schedule/stepwise_proof.h"
#include "testbench/collective/tree/tree_schedule.h"
#include "testbench/workload/memory_layout.h"

namespace tributary {
namespace {

using collective::FusedProgram;
using collective::FusedStep;
using collective::ScheduleError;
using collective::Tree;

/// The proved steps up and down a tree.
struct TreeRoutes {
  FusedProgram up, down;
};

class TreeChannelLowering {
 public:
  TreeChannelLowering(const JobSpec& job, Bytes message, unsigned channels, const NcclParams& params)
      : job_(job),
        params_(params),
        low_latency_(carries_flags(params.low_latency, on_trees(channels), message)),
        slot_bytes_(low_latency_ ? low_latency_slot(params.low_latency) : params.slot.value),
        layout_(MemoryLayout::of(job, message)),
        trees_(collective::double_binary_trees(static_cast<int>(job.ranks.size()))),
        buffers_(job.ranks.size(), 0) {
    plan_.programs.resize(job.ranks.size());
    for (StreamProgram& program : plan_.programs) {
      program.channels = channels;
      program.type = job.type, program.op = job.op;
    }
    std::vector<MessageRange> shares;
    for (unsigned c = 0; c < channels; ++c) {
      shares.push_back(part({0, message.value}, c, channels));
      slot_stride_ = std::max(slot_stride_, std::min(blocks_of(shares[c].bytes) * block_bytes, slot_bytes_));
    }
    for (unsigned c = 0; c < channels; ++c) lower(c, shares[c]);
    const std::uint64_t most = *std::max_element(buffers_.begin(), buffers_.end());
    plan_.memory_bytes = layout_.mailboxes + most * params.slots * slot_stride_;
  }
  ChannelPlan take() { return std::move(plan_); }

 private:
  enum Counter { arrivals, free_slots };
  using Edge = std::pair<int, int>;  // from, to
  /// The messages of one channel.
  struct Messages {
    std::map<Edge, std::vector<collective::MailboxSlot>> sent, taken;
    std::map<Edge, std::vector<std::size_t>> emptying;  // steps of the receiver that empty slots
  };

  /// Returns the steps of a tree; most channels with the same tree have the same number of slices and share them.
  const TreeRoutes& routes(std::size_t tree, std::uint64_t slices) {
    const auto [found, is_new] = routes_.try_emplace({tree, slices});
    if (is_new)
      found->second = {proved(collective::tree_reduce("up", {trees_[tree]}, static_cast<int>(slices))),
                       proved(collective::tree_broadcast("down", {trees_[tree]}, static_cast<int>(slices)))};
    return found->second;
  }
  static FusedProgram proved(const collective::Schedule& schedule) {
    verify_any(schedule);
    FusedProgram fused = fuse(schedule);
    verify_any(fused);
    return fused;
  }

  void lower(unsigned channel, const MessageRange& share) {
    if (share.bytes == 0) return;
    const std::uint64_t count = parts_of_at_most(share.bytes, slot_bytes_);
    std::vector<MessageRange> slices;
    for (std::uint64_t i = 0; i < count; ++i) slices.push_back(part(share, i, count));
    const TreeRoutes& both = routes(channel % trees_.size(), count);
    Messages messages;
    for (const FusedProgram* route : {&both.up, &both.down})
      for (std::size_t r = 0; r < route->steps.size(); ++r)
        for (const FusedStep& fused : route->steps[r]) add(channel, static_cast<int>(r), fused, slices, messages);
    check_order(messages);
    // The last slots are not used again: the receiver does not return them.
    for (const auto& [edge, steps] : messages.emptying)
      for (std::size_t i = 0; i < std::min<std::size_t>(params_.slots, steps.size()); ++i)
        plan_.programs[at(edge.second)].steps[steps[steps.size() - 1 - i]].giver = ChannelStep::none;
  }

  void add(unsigned channel, int rank, const FusedStep& fused, const std::vector<MessageRange>& slices, Messages& messages) {
    ChannelStep s;
    s.channel = static_cast<std::uint16_t>(channel);
    s.low_latency = low_latency_;
    s.reads_input = fused.receive.has_value();
    s.reads_own = !fused.receive || fused.reduce;
    s.stores = fused.store_local;
    s.own = slices[at(fused.chunk)].address, s.bytes = slices[at(fused.chunk)].bytes;
    std::vector<ChannelStep>& steps = plan_.programs[at(rank)].steps;
    if (fused.receive) {
      const Edge edge{fused.receive->peer, rank};
      s.direct = !fused.reduce && !low_latency_;
      s.input = slot(channel, edge, messages.taken[edge].size());
      messages.taken[edge].push_back(*fused.receive);
      s.arrived = semaphore(channel, edge, arrivals);
      s.arrivals = static_cast<std::uint32_t>(messages.taken[edge].size());
      s.giver = endpoint(edge.first);
      s.grant = semaphore(channel, edge, free_slots);
      messages.emptying[edge].push_back(steps.size());
    }
    if (fused.send) {
      const Edge edge{rank, fused.send->peer};
      const std::size_t before = messages.sent[edge].size();
      s.peer = endpoint(edge.second);
      s.destination = slot(channel, edge, before);
      s.tell = semaphore(channel, edge, arrivals);
      s.granted = semaphore(channel, edge, free_slots);
      s.grants = before < params_.slots ? 0 : static_cast<std::uint32_t>(before - params_.slots + 1);
      messages.sent[edge].push_back(*fused.send);
    }
    steps.push_back(s);
  }

  /// Returns the number of a semaphore at the rank that waits for it: the receiver for arrivals, the sender for free slots.
  std::uint32_t semaphore(unsigned channel, const Edge& edge, Counter counter) {
    const auto [found, is_new] = semaphores_.try_emplace({channel, edge, counter});
    if (is_new) found->second = plan_.programs[at(counter == arrivals ? edge.second : edge.first)].semaphores++;
    return found->second;
  }
  std::uint64_t slot(unsigned channel, const Edge& edge, std::size_t message) {
    const auto [found, is_new] = buffer_of_.try_emplace({channel, edge});
    if (is_new) found->second = buffers_[at(edge.second)]++;
    return layout_.mailboxes + (found->second * params_.slots + message % params_.slots) * slot_stride_;
  }

  /// Checks that messages over an edge are read in the order in which they are sent, as slots and counts work like a FIFO.
  static void check_order(const Messages& messages) {
    const auto same = [](const collective::MailboxSlot& a, const collective::MailboxSlot& b) {
      return a.slot == b.slot && a.step == b.step;
    };
    for (const auto& [edge, sent] : messages.sent) {
      const auto taken = messages.taken.find(edge);
      if (taken == messages.taken.end() || taken->second.size() != sent.size() ||
          !std::equal(sent.begin(), sent.end(), taken->second.begin(), same))
        throw ScheduleError("a rank of a tree reads messages in another order than they are sent");
    }
  }
  std::uint16_t endpoint(int rank) const { return static_cast<std::uint16_t>(job_.ranks[at(rank)]); }

  const JobSpec& job_;
  const NcclParams& params_;
  bool low_latency_;
  std::uint64_t slot_bytes_;
  MemoryLayout layout_;
  std::vector<Tree> trees_;
  std::uint64_t slot_stride_ = 0;                                       // bytes of the largest slice
  std::vector<std::uint64_t> buffers_;                                  // [rank] buffers allocated so far
  std::map<std::pair<std::size_t, std::uint64_t>, TreeRoutes> routes_;  // by (tree, slices)
  std::map<std::tuple<unsigned, Edge, Counter>, std::uint32_t> semaphores_;
  std::map<std::pair<unsigned, Edge>, std::uint64_t> buffer_of_;
  ChannelPlan plan_;
};

}  // namespace

ChannelPlan lower_tree_channels(const JobSpec& job, Bytes message, unsigned channels, const NcclParams& params) {
  ChannelPlan plan = TreeChannelLowering(job, message, channels, params).take();
  prove_channels(job, message, plan.programs);
  return plan;
}

}  // namespace tributary
