#include "testbench/codegen/p2p_lowering.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/index.h"
#include "modules/base/units.h"
#include "testbench/codegen/p2p_proof.h"
#include "testbench/collective/schedule/parts.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/workload/collective.h"
#include "testbench/workload/memory_layout.h"

namespace tributary {
namespace {

using collective::Chunking;
using nccl::P2pPart;
using nccl::P2pWarps;
using nccl::Protocol;

constexpr unsigned slots = 8;                   // NCCL_STEPS
constexpr std::uint64_t line_of_warp = 8 * 32;  // bytes of data that a warp moves at once with LL

/// The message of a pair of ranks.
struct Message {
  std::uint64_t bytes = 0, source = 0, destination = 0;
};

Message message_of(const JobSpec& job, Bytes size, int from, int to) {
  const auto ranks = static_cast<int>(job.ranks.size());
  const std::uint64_t received = MemoryLayout::of(job, size).received;
  if (from == to) return {};
  if (collective_of(job.collective).chunking == Chunking::neighbors)
    return (from + 1) % ranks == to ? Message{size.value, 0, received} : Message{};
  const collective::Parts parts = parts_of(job, size);
  const auto i = static_cast<std::uint64_t>(from), j = static_cast<std::uint64_t>(to);
  return {parts.bytes((i + j) % job.ranks.size()), parts.address(j), received + parts.address(i)};
}

/// One end of a connection: the channel of the program, the warps of its group and of all groups that work in its direction,
/// and the semaphore that the other end raises.
struct End {
  std::uint16_t channel = 0;
  unsigned warps = 0, of_warps = 0;
  std::uint32_t semaphore = 0;
};

/// A part of a message on its way through the slots of one channel.
struct Connection {
  int from = 0, to = 0;
  std::uint64_t source = 0, destination = 0, bytes = 0;
  std::uint64_t slots = 0;  ///< address of its slots at the receiver
  End sender = {}, receiver = {};
};

/// A work of a thread block: one send, one receive, or both.
struct Work {
  std::optional<std::size_t> sends = {}, receives = {};  // connections
};

class P2pLowering {
 public:
  P2pLowering(const JobSpec& job, Bytes message, const nccl::P2pRules& rules, Protocol protocol, const ChannelTimes& times)
      : job_(job),
        message_(message),
        layout_(MemoryLayout::of(job, message)),
        rules_(rules),
        protocol_(protocol),
        ranks_(static_cast<int>(job.ranks.size())),
        chunk_(rules.slot(protocol)) {
    plan_.programs.resize(job.ranks.size());
    for (StreamProgram& program : plan_.programs) program.times = times, program.type = job.type, program.op = job.op;
    const std::vector<unsigned> rounds = rules.rounds();
    works_.resize(job.ranks.size());
    for (unsigned i = 0; i < rounds.size(); ++i)
      if (rounds[i] != 0) add_round(i, static_cast<int>(rounds[i]));
    for (int r = 0; r < ranks_; ++r) place_groups(r);
    place_slots();
    for (unsigned k = 0; k < job.back_to_back; ++k)
      for (int r = 0; r < ranks_; ++r) write_steps(r, k);
  }
  ChannelPlan take() { return std::move(plan_); }

 private:
  struct Batch {
    unsigned group = 0;  // P2pRules::batch_of() of its works
    std::vector<Work> works = {};
  };

  /// Adds the works of a round: rank r sends to the rank at the distance after it.
  void add_round(unsigned round, int distance) {
    std::vector<std::vector<std::size_t>> sent(job_.ranks.size());  // [rank][part] connections
    for (int r = 0; r < ranks_; ++r) {
      const int to = (r + distance) % ranks_;
      const Message whole = message_of(job_, message_, r, to);
      for (const P2pPart& part : rules_.share(whole.bytes, protocol_).parts) {
        sent[at(r)].push_back(connections_.size());
        connections_.push_back({r, to, whole.source + part.offset, whole.destination + part.offset, part.bytes});
      }
    }
    for (int r = 0; r < ranks_; ++r) {
      const std::vector<std::size_t>&out = sent[at(r)], &in = sent[at((r + ranks_ - distance) % ranks_)];
      for (unsigned p = 0; p < std::max(out.size(), in.size()); ++p) {
        Work work;
        if (p < out.size()) work.sends = out[p];
        if (p < in.size()) work.receives = in[p];
        add_work(r, round, p, work);
      }
    }
  }

  void add_work(int rank, unsigned round, unsigned part, const Work& work) {
    std::vector<Batch>& batches = works_[at(rank)][rules_.channel(round, part)];
    const unsigned group = rules_.batch_of(round);
    if (batches.empty() || batches.back().works.size() == nccl::P2pRules::most_works || batches.back().group != group)
      batches.push_back({group});
    batches.back().works.push_back(work);
  }

  /// Gives each group of warps of a rank's thread blocks a channel of its program.
  void place_groups(int rank) {
    StreamProgram& program = plan_.programs[at(rank)];
    for (const auto& [block, batches] : works_[at(rank)]) {
      std::map<std::pair<std::size_t, bool>, std::uint16_t> groups;  // by place in the batch, and direction
      const auto group = [&](std::size_t place, bool sends) {
        const auto [found, is_new] = groups.try_emplace({place, sends}, static_cast<std::uint16_t>(program.channels));
        if (is_new) ++program.channels;
        return found->second;
      };
      for (const Batch& batch : batches) {
        P2pWarps all;
        for (const Work& work : batch.works) {
          if (work.sends) all.sends += warps_of(batch, work).sends;
          if (work.receives) all.receives += warps_of(batch, work).receives;
        }
        for (std::size_t i = 0; i < batch.works.size(); ++i) {
          const Work& work = batch.works[i];
          const P2pWarps warps = warps_of(batch, work);
          if (work.sends) connections_[*work.sends].sender = {group(i, true), warps.sends, all.sends, program.semaphores++};
          if (work.receives)
            connections_[*work.receives].receiver = {group(i, false), warps.receives, all.receives, program.semaphores++};
        }
      }
      program.block_ends.push_back(program.channels);
    }
  }

  P2pWarps warps_of(const Batch& batch, const Work& work) const {
    return rules_.warps(static_cast<unsigned>(batch.works.size()), work.sends.has_value(), work.receives.has_value(),
                        protocol_);
  }

  void place_slots() {
    std::vector<std::uint64_t> end(job_.ranks.size(), layout_.mailboxes);
    for (Connection& c : connections_) {
      c.slots = end[at(c.to)];
      end[at(c.to)] += std::min<std::uint64_t>(slots, all_chunks_of(c)) * stride(c);
    }
    plan_.memory_bytes = *std::max_element(end.begin(), end.end());
  }

  std::uint64_t chunks_of(const Connection& c) const { return (c.bytes + chunk_ - 1) / chunk_; }
  std::uint64_t all_chunks_of(const Connection& c) const { return chunks_of(c) * job_.back_to_back; }
  /// Returns the bytes from one slot to the next.
  std::uint64_t stride(const Connection& c) const { return blocks_of(std::min(chunk_, c.bytes)) * block_bytes; }

  void write_steps(int rank, unsigned kernel) {
    for (const auto& [block, batches] : works_[at(rank)])
      for (const Batch& batch : batches)
        for (const Work& work : batch.works) {
          if (work.sends) write(connections_[*work.sends], true, kernel);
          if (work.receives) write(connections_[*work.receives], false, kernel);
        }
  }

  /// Writes the steps of one end of a connection in a kernel. With LL a step moves the lines that the receiving warps read
  /// at once. A slot is free when all steps that read it have ended. Slots and counts go on from kernel to kernel.
  void write(const Connection& c, bool sends, unsigned kernel) {
    const std::uint64_t chunks = chunks_of(c), before = kernel * chunks;
    const std::uint64_t slice = protocol_ == Protocol::ll ? line_of_warp * c.receiver.warps : chunk_;
    auto number = static_cast<std::uint32_t>(kernel * slices_of(c, slice));
    for (std::uint64_t i = before; i < before + chunks; ++i) {
      const std::uint64_t begin = (i - before) * chunk_, end = std::min(c.bytes, begin + chunk_);
      for (std::uint64_t a = begin; a < end; a += slice) {
        ChannelStep s = sends ? sending(c) : receiving(c);
        s.bytes = std::min(end, a + slice) - a;
        s.kernel = static_cast<std::uint16_t>(kernel);
        s.own = kernel * layout_.of_kernel + (sends ? c.source : c.destination) + a;
        (sends ? s.destination : s.input) = c.slots + i % slots * stride(c) + (a - begin);
        ++number;
        if (sends && a == begin && i >= slots) s.grants = static_cast<std::uint32_t>(i - slots + 1);
        if (!sends) s.arrivals = number;
        if (!sends && s.bytes + a == end && i + slots < all_chunks_of(c)) s.giver = endpoint(c.from);
        plan_.programs[at(sends ? c.from : c.to)].steps.push_back(s);
      }
    }
  }

  /// Returns the steps of a message in one kernel.
  std::uint64_t slices_of(const Connection& c, std::uint64_t slice) const {
    const auto parts = [&](std::uint64_t all) { return (all + slice - 1) / slice; };
    const std::uint64_t whole = c.bytes / chunk_;
    return whole * parts(chunk_) + parts(c.bytes % chunk_);
  }

  void set_group(const End& end, ChannelStep& s) const {
    s.channel = end.channel;
    s.warps = static_cast<std::uint8_t>(end.warps), s.of_warps = static_cast<std::uint8_t>(end.of_warps);
    s.low_latency = protocol_ == Protocol::ll;
  }
  ChannelStep sending(const Connection& c) const {
    ChannelStep s;
    set_group(c.sender, s);
    s.reads_own = true;
    s.peer = endpoint(c.to), s.tell = c.receiver.semaphore;
    s.granted = c.sender.semaphore;
    return s;
  }
  ChannelStep receiving(const Connection& c) const {
    ChannelStep s;
    set_group(c.receiver, s);
    s.reads_input = s.stores = true;
    s.arrived = c.receiver.semaphore;
    s.grant = c.sender.semaphore;
    return s;
  }
  std::uint16_t endpoint(int rank) const { return static_cast<std::uint16_t>(job_.ranks[at(rank)]); }

  const JobSpec& job_;
  Bytes message_;
  MemoryLayout layout_;
  const nccl::P2pRules& rules_;
  Protocol protocol_;
  int ranks_;
  std::uint64_t chunk_;
  std::vector<Connection> connections_;
  std::vector<std::map<unsigned, std::vector<Batch>>> works_;  // [rank], by thread block
  ChannelPlan plan_;
};

}  // namespace

bool by_p2p(const std::string& collective) {
  const Chunking chunking = collective_of(collective).chunking;
  return chunking == Chunking::pairs || chunking == Chunking::neighbors;
}

std::uint64_t largest_p2p(const JobSpec& job, Bytes message) {
  return collective_of(job.collective).chunking == Chunking::neighbors ? message.value : parts_of(job, message).bytes(0);
}

std::size_t p2p_peers(const JobSpec& job) {
  const std::size_t others = job.ranks.size() - 1;
  return collective_of(job.collective).chunking == Chunking::neighbors ? std::min<std::size_t>(others, 1) : others;
}

ChannelPlan lower_p2p(const JobSpec& job, Bytes message, const nccl::P2pRules& rules, Protocol protocol,
                      const ChannelTimes& times) {
  ChannelPlan plan = P2pLowering(job, message, rules, protocol, times).take();
  prove_p2p(job, message, plan.programs);
  return plan;
}

}  // namespace tributary
