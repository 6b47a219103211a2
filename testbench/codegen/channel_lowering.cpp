#include "testbench/codegen/channel_lowering.h"

#include <algorithm>
#include <map>
#include <utility>

#include "modules/base/index.h"
#include "testbench/codegen/channel_collectives.h"
#include "testbench/codegen/channel_proof.h"
#include "testbench/codegen/channel_protocol.h"
#include "testbench/codegen/channel_slices.h"
#include "testbench/collective/schedule/fused.h"
#include "testbench/collective/schedule/pipelining.h"
#include "testbench/collective/schedule/stepwise_proof.h"
#include "testbench/collective/schedule/without_empty_chunks.h"
#include "testbench/workload/collective.h"
#include "testbench/workload/memory_layout.h"

namespace tributary {
namespace {

using collective::FusedProgram;
using collective::FusedStep;
using collective::ScheduleError;

/// One loop of a channel: the address ranges of the schedule's chunks, and the steps on them.
struct Loop {
  std::vector<MessageRange> slices;
  std::size_t of_chunk = 1;  // slices
  const FusedProgram* program = nullptr;
};

const ChannelCollective& algorithm_of(const JobSpec& job) {
  const ChannelCollective* algorithm = find_channel_collective(job.collective);
  if (algorithm == nullptr) throw ScheduleError("channels do not run " + job.collective);
  return *algorithm;
}

/// A message from one rank of a ring to the next.
struct RingMessage {
  const Loop* loop;
  collective::MailboxSlot slot;
};

class ChannelLowering {
 public:
  ChannelLowering(const JobSpec& job, Bytes message, const std::vector<ChannelRing>& rings, const ChannelCut& cut)
      : job_(job),
        message_(message),
        rings_(rings),
        algorithm_(algorithm_of(job)),
        parted_(collective_of(job.collective).chunking == collective::Chunking::parts),
        layout_(MemoryLayout::of(job, message)),
        cut_(cut) {
    plan_.programs.resize(job.ranks.size());
    for (StreamProgram& program : plan_.programs) {
      program.channels = static_cast<std::uint32_t>(rings.size());
      program.semaphores = 2 * program.channels;
      program.times = cut.times;
      program.type = job.type, program.op = job.op;
    }
    for (std::size_t c = 0; c < rings.size(); ++c) {
      orders_.push_back(order(rings[c]));
      loops_.push_back(loops(c, orders_[c].ranks));
    }
    for (std::size_t c = 0; c < rings.size(); ++c) lower(c);
    plan_.memory_bytes = layout_.mailboxes + rings.size() * cut_.depth * slot_stride_;
  }
  ChannelPlan take() { return std::move(plan_); }

 private:
  /// Returns the ring rotated so that the root is first.
  ChannelRing order(ChannelRing ring) const {
    const auto root = std::find(ring.ranks.begin(), ring.ranks.end(), job_.root) - ring.ranks.begin();
    if (ring.ranks.size() != job_.ranks.size() || ring.hops.size() != ring.ranks.size() ||
        root == static_cast<std::ptrdiff_t>(ring.ranks.size()))
      throw ScheduleError("a ring of " + std::to_string(ring.ranks.size()) + " ranks for " +
                          std::to_string(job_.ranks.size()));
    if (!algorithm_.along) return ring;
    std::rotate(ring.ranks.begin(), ring.ranks.begin() + root, ring.ranks.end());
    std::rotate(ring.hops.begin(), ring.hops.begin() + root, ring.hops.end());
    if (!ring.host.empty()) std::rotate(ring.host.begin(), ring.host.begin() + root, ring.host.end());
    return ring;
  }

  /// Returns the ranges of the message that the channel carries: one range, or one of each rank's slice.
  std::vector<MessageRange> shares(std::size_t channel, const std::vector<int>& ranks) const {
    if (!parted_) return {part({0, message_.value}, channel, rings_.size())};
    const collective::Parts parts = parts_of(job_, message_);
    std::vector<MessageRange> all;
    for (const int r : ranks) {
      const auto i = static_cast<std::uint64_t>(r);
      all.push_back(part({parts.address(i), parts.bytes(i)}, channel, rings_.size()));
    }
    return all;
  }

  std::vector<Loop> loops(std::size_t channel, const std::vector<int>& ranks) {
    const std::vector<MessageRange> share = shares(channel, ranks);
    const std::uint64_t chunks = parted_ || algorithm_.along ? 1 : ranks.size();  // chunks of each range
    std::uint64_t most = 0;
    for (const MessageRange& range : share) most = std::max(most, range.bytes);
    const std::uint64_t count = parts_of_at_most(most, chunks * cut_.most_slices * cut_.slice_bytes);
    std::vector<Loop> result;
    for (std::uint64_t l = 0; l < count; ++l) {
      std::vector<MessageRange> in_loop;
      std::uint64_t largest = 0;
      for (const MessageRange& range : share)
        for (std::uint64_t c = 0; c < chunks; ++c) {
          in_loop.push_back(part(part(range, l, count), c, chunks));
          largest = std::max(largest, in_loop.back().bytes);
        }
      const std::uint64_t slices = slices_of(largest);
      Loop loop;
      loop.of_chunk = static_cast<std::size_t>(slices);
      for (const MessageRange& chunk : in_loop)
        for (std::uint64_t i = 0; i < slices; ++i) {
          loop.slices.push_back(part(chunk, i, slices));
          slot_stride_ = std::max(slot_stride_, blocks_of(loop.slices.back().bytes) * block_bytes);
        }
      loop.program = &program(static_cast<int>(ranks.size()), static_cast<int>(slices), loop.slices);
      result.push_back(std::move(loop));
    }
    return result;
  }

  /// If all ranks send their chunks simultaneously, each chunk is cut in two, so that a rank can send one slice while it
  /// waits for the other.
  std::uint64_t slices_of(std::uint64_t chunk) const {
    const std::uint64_t needed = parts_of_at_most(chunk, cut_.slice_bytes);
    if (algorithm_.along || cut_.flags) return needed;
    return std::max(needed, std::min<std::uint64_t>(cut_.most_slices, parts_of_at_most(chunk, cut_.slice_bytes / 32)));
  }

  /// Returns the proved steps of a loop. Loops with the same number of slices and the same empty slices share one program.
  const FusedProgram& program(int ranks, int slices, const std::vector<MessageRange>& ranges) {
    std::vector<bool> empty;
    for (const MessageRange& range : ranges) empty.push_back(range.bytes == 0);
    const auto [found, is_new] = programs_.try_emplace({slices, empty});
    if (is_new) {
      const collective::Schedule schedule = without_chunks(pipelined(algorithm_.schedule(ranks), slices), empty);
      verify_any(schedule);
      found->second = fuse(schedule);
      verify_any(found->second);
    }
    return found->second;
  }

  void lower(std::size_t channel) {
    const std::vector<int>& ranks = orders_[channel].ranks;
    const std::vector<CopyPath>& hops = orders_[channel].hops;
    const std::vector<bool>& host = orders_[channel].host;
    const int n = static_cast<int>(ranks.size());
    std::vector<std::vector<RingMessage>> sent(ranks.size()), taken(ranks.size());
    for (int p = 0; p < n; ++p) {
      const int next = (p + 1) % n, previous = (p + n - 1) % n;
      std::vector<ChannelStep>& steps = plan_.programs[at(ranks[at(p)])].steps;
      std::vector<std::size_t> emptying;  // steps
      const std::size_t loops = loops_[channel].size();
      for (std::size_t l = 0; l < loops * job_.back_to_back; ++l) {
        const Loop& loop = loops_[channel][l % loops];
        for (const FusedStep& fused : loop.program->steps[at(p)]) {
          ChannelStep s = step(channel, fused, loop.slices[at(fused.chunk)]);
          s.continues = at(fused.chunk) % loop.of_chunk % cut_.call != 0;
          s.kernel = static_cast<std::uint16_t>(l / loops);
          s.own += s.kernel * layout_.of_kernel;
          if (fused.receive) {
            if (fused.receive->peer != previous)
              throw ScheduleError("a step receives from a rank that is not the previous one of its ring");
            s.arrived_by = hops[at(previous)];
            s.from_host = !host.empty() && host[at(previous)];
            s.direct = cut_.direct && !algorithm_.along && !cut_.flags && !fused.reduce &&
                       s.arrived_by != CopyPath::network && !s.from_host;
            s.input = slot(channel, taken[at(p)].size());
            taken[at(p)].push_back({&loop, *fused.receive});
            s.arrivals = static_cast<std::uint32_t>(taken[at(p)].size());
            s.giver = endpoint(ranks[at(previous)]);
            emptying.push_back(steps.size());
          }
          if (fused.send) {
            if (fused.send->peer != next) throw ScheduleError("a step sends to a rank that is not the next one of its ring");
            const std::size_t before = sent[at(p)].size();
            s.path = hops[at(p)];
            s.peer = endpoint(ranks[at(next)]);
            s.destination = slot(channel, before);
            s.grants = before < cut_.depth ? 0 : static_cast<std::uint32_t>(before - cut_.depth + 1);
            sent[at(p)].push_back({&loop, *fused.send});
          }
          steps.push_back(s);
        }
      }
      // The last slots are not used again: the receiver does not return them.
      for (std::size_t i = 0; i < std::min<std::size_t>(cut_.depth, emptying.size()); ++i)
        steps[emptying[emptying.size() - 1 - i]].giver = ChannelStep::none;
    }
    for (int p = 0; p < n; ++p) check_order(sent[at(p)], taken[at((p + 1) % n)]);
  }

  ChannelStep step(std::size_t channel, const FusedStep& fused, const MessageRange& slice) const {
    ChannelStep s;
    s.channel = static_cast<std::uint16_t>(channel);
    s.low_latency = cut_.flags;
    s.reads_input = fused.receive.has_value();
    s.reads_own = !fused.receive || fused.reduce;
    s.stores = fused.store_local;
    s.own = slice.address, s.bytes = slice.bytes;
    s.arrived = s.tell = static_cast<std::uint32_t>(2 * channel);
    s.granted = s.grant = s.arrived + 1;
    return s;
  }

  /// Checks that a rank reads messages in the order in which they are sent, as slots and counts work like those of a FIFO.
  static void check_order(const std::vector<RingMessage>& sent, const std::vector<RingMessage>& taken) {
    const auto same = [](const RingMessage& a, const RingMessage& b) {
      return a.loop == b.loop && a.slot.slot == b.slot.slot && a.slot.step == b.slot.step;
    };
    if (sent.size() != taken.size() || !std::equal(sent.begin(), sent.end(), taken.begin(), same))
      throw ScheduleError("a rank of a ring reads messages in another order than they are sent");
  }

  std::uint64_t slot(std::size_t channel, std::size_t message) const {
    return layout_.mailboxes + (channel * cut_.depth + message % cut_.depth) * slot_stride_;
  }
  std::uint16_t endpoint(int rank) const { return static_cast<std::uint16_t>(job_.ranks[at(rank)]); }

  const JobSpec& job_;
  Bytes message_;
  const std::vector<ChannelRing>& rings_;
  const ChannelCollective& algorithm_;
  bool parted_;
  MemoryLayout layout_;
  ChannelCut cut_;
  std::uint64_t slot_stride_ = 0;  // bytes of the largest slice
  std::map<std::pair<int, std::vector<bool>>, FusedProgram> programs_;
  std::vector<ChannelRing> orders_;       // [channel] the root first
  std::vector<std::vector<Loop>> loops_;  // [channel]
  ChannelPlan plan_;
};

ChannelCut plain(const NcclParams& params, bool along) {
  const std::uint64_t slots = along ? 1 : params.slots / 4;  // per slice
  return {params.slots / slots, along ? params.slots : 2, slots * params.slot.value, false, 1, {}};
}

/// Data with flags are read line by line. Along a ring a rank sends each line on when it has arrived. Where all ranks send
/// chunks, their channels are busy with other chunks until then, and a slice is a slot.
ChannelCut with_flags(const NcclParams& params, bool along) {
  const std::uint64_t slices = along ? LowLatencyParams::lines : 1;  // per slot
  return {
      slices * params.slots, along ? slices * params.slots : 1, low_latency_slot(params.low_latency) / slices, true, 1, {}};
}

ChannelUse use_of(const JobSpec& job, const std::vector<ChannelRing>& rings) {
  bool leaves = false;
  for (const ChannelRing& ring : rings)
    leaves = leaves || std::find(ring.hops.begin(), ring.hops.end(), CopyPath::network) != ring.hops.end();
  return {rings.size(), chunks_of_loop(job.collective, job.ranks.size()), leaves};
}

}  // namespace

ChannelPlan lower_rings(const JobSpec& job, Bytes message, const std::vector<ChannelRing>& rings, const ChannelCut& cut) {
  ChannelPlan plan = ChannelLowering(job, message, rings, cut).take();
  prove_channels(job, message, plan.programs);
  return plan;
}

ChannelPlan lower_channels(const JobSpec& job, Bytes message, const std::vector<ChannelRing>& rings,
                           const NcclParams& params) {
  const bool along = algorithm_of(job).along;
  const bool flags = carries_flags(params.low_latency, use_of(job, rings), message);
  return lower_rings(job, message, rings, flags ? with_flags(params, along) : plain(params, along));
}

}  // namespace tributary
