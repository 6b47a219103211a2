#include "modules/streams/core/channel_engine.h"

#include <algorithm>
#include <stdexcept>

#include "modules/base/host/wide.h"

namespace tributary {
namespace {

constexpr std::uint32_t arrival = 0, slot_free = 1;  // values of the last bit of a waiter's token

/// Returns x / y, rounded up.
Tick over(Wide x, Wide y) { return static_cast<Tick>((x + y - 1) / y); }

Tick hop_time(const HopTimes& times, CopyPath path) {
  switch (path) {
    case CopyPath::nvlink:
      return times.nvlink.value;
    case CopyPath::pcie:
      return times.pcie.value;
    case CopyPath::network:
      break;
  }
  return times.network.value;
}

bool sends(const ChannelStep& s) { return s.peer != ChannelStep::none; }

}  // namespace

Tick ChannelEngine::of_host(const ChannelStep& s) const {
  if (!s.from_host || program_ == nullptr || program_->host_rate == 0) return 0;
  return over(static_cast<Wide>(s.bytes) * 1'000'000'000'000ull, program_->host_rate);
}

Tick ChannelEngine::of_channel(const ChannelStep& s) const {
  if (s.direct && s.peer == ChannelStep::none) return 0;
  if (times() != nullptr) {
    const std::uint64_t rate = times()->rate_of(sends(s));
    const Wide bytes = static_cast<Wide>(s.bytes) * 1'000'000'000'000ull * s.of_warps;
    return rate == 0 ? 0 : over(bytes, static_cast<Wide>(rate) * s.warps);
  }
  const std::uint64_t of = program_ == nullptr ? 1 : program_->rate_of,
                      share = program_ == nullptr ? 1 : program_->rate_over;
  const std::uint64_t rate = (adds(s) ? params_.reduce_rate : params_.link_rate)->value;
  const std::uint64_t slower = s.low_latency ? params_.low_latency.rate_share : 1;
  return over(static_cast<Wide>(s.bytes) * 1'000'000'000'000ull * (slower * share), static_cast<Wide>(rate) * of);
}

void ChannelEngine::post(const StreamProgram& program, Tick t0) {
  if (program.channels > channels_.size())
    throw std::invalid_argument(std::to_string(program.channels) + " channels on a GPU (legal: at most " +
                                std::to_string(channels_.size()) + ")");
  if (program.rate_of == 0 || program.rate_over == 0)
    throw std::invalid_argument("channels whose rate is no fraction of a link");
  if (!program.steps.empty() && !(params_.link_rate && params_.reduce_rate))
    throw std::invalid_argument("channels without rates");
  reset();
  program_ = &program;
  pending_.assign(program.steps.size(), {});
  left_ = program.steps.size();
  for (std::uint32_t i = 0; i < program.steps.size(); ++i) {
    const ChannelStep& s = program.steps[i];
    if (s.channel >= program.channels) throw std::invalid_argument("no channel " + std::to_string(s.channel));
    if (s.bytes == 0) throw std::invalid_argument("a step of a channel without bytes");
    if (s.warps == 0 || s.warps > s.of_warps) throw std::invalid_argument("a step of a channel without warps");
    channels_[s.channel].steps.push_back(i);
    await(i, t0);
  }
  std::vector<Tick> launches = program.launches.empty() ? std::vector<Tick>{0} : program.launches;
  for (Tick& launch : launches) launch += t0;
  load_blocks(program);
  kernels_.load(std::move(launches), static_cast<unsigned>(blocks_.size()), around_.multiprocessors);
  if (program.channels > 0) begin_blocks(kernels_.start(t0), t0);
}

void ChannelEngine::load_blocks(const StreamProgram& program) {
  blocks_.clear();
  const auto add = [&](unsigned end) {
    const unsigned first = blocks_.empty() ? 0 : blocks_.back().end, block = static_cast<unsigned>(blocks_.size());
    if (end <= first) throw std::invalid_argument("a thread block without channels");
    blocks_.push_back({first, end, 0});
    for (unsigned c = first; c < end; ++c) channels_[c].block = block;
  };
  for (const std::uint32_t end : program.block_ends) add(end);
  if (program.block_ends.empty())
    for (unsigned end = program.groups; end <= program.channels; end += program.groups) add(end);
  if ((blocks_.empty() ? 0 : blocks_.back().end) != program.channels)
    throw std::invalid_argument("channels of no thread block");
}

/// Begins thread blocks of a kernel, now or when its launch ends.
void ChannelEngine::begin_blocks(const KernelSequence::Begun& begun, Tick now) {
  for (unsigned b = begun.first; b < begun.first + begun.count; ++b) {
    Block& block = blocks_[b];
    block.running = block.end - block.first;
    for (unsigned c = block.first; c < block.end; ++c) {
      channels_[c].free_at = now;
      if (begun.when > now)
        events_.set(c, begun.when);
      else
        begin_channel(c, now);
    }
  }
}

/// A channel of the running kernel has ended. Its thread block ends with the last of its channels.
void ChannelEngine::end_channel(unsigned channel, Tick now) {
  if (--blocks_[channels_[channel].block].running == 0) begin_blocks(kernels_.ended(now), now);
}

/// The first step of a block begins `base` after the block, or later if it waits for data or a slot.
void ChannelEngine::begin_channel(unsigned channel, Tick now) {
  Channel& c = channels_[channel];
  if (channel == 0) kernel_(now, kernels_.kernel() + 1);
  if (has_ended(c)) return end_channel(channel, now);
  c.resident = true;
  c.free_at = now;
  Pending& pending = pending_[c.steps[c.head]];
  const Tick seen = seen_after(head(c), ChannelWait::base);
  if (now + seen > pending.ready) pending.ready = now + seen, pending.seen = seen, pending.wait = ChannelWait::base;
  look(channel);
}

/// Returns the time of the launch of the running kernel after the start; 0 if it did not wait for its launch.
Tick ChannelEngine::launched() const { return kernels_.waited_for_launch() ? program_->launches[kernels_.kernel()] : 0; }

/// Every step waits for its semaphores from t0 on, so that it knows when they reached their values.
void ChannelEngine::await(std::uint32_t i, Tick t0) {
  const ChannelStep& s = program_->steps[i];
  pending_[i].seen = seen_after(s, ChannelWait::base);
  pending_[i].ready = t0 + pending_[i].seen;
  const auto wait = [&](std::uint32_t semaphore, std::uint32_t value, std::uint32_t kind) {
    if (value == 0) return;
    ++pending_[i].missing;
    around_.semaphores.wait(semaphore, value, *this, 2 * i + kind);
  };
  wait(s.arrived, s.arrivals, arrival);
  wait(s.granted, s.grants, slot_free);
}

void ChannelEngine::reached(std::uint32_t token, Tick there, Tick now) {
  const std::uint32_t i = token / 2;
  const ChannelStep& s = program_->steps[i];
  const ChannelWait wait = token % 2 == arrival ? ChannelWait::arrival : ChannelWait::slot_free;
  const Tick ready = std::max(now, there + seen_after(s, wait));
  Pending& pending = pending_[i];
  if (ready > pending.ready) pending.ready = ready, pending.seen = ready - there, pending.wait = wait;
  --pending.missing;
  look(s.channel);
}

/// Returns the time from the condition to the begin of a step that it holds back.
Tick ChannelEngine::seen_after(const ChannelStep& s, ChannelWait wait) const {
  const ChannelTimes* const own = times();
  switch (wait) {
    case ChannelWait::base:
      if (own != nullptr) return own->base;
      return (s.low_latency ? params_.low_latency.base : params_.base).value;
    case ChannelWait::arrival:
      if (own != nullptr) return own->step[static_cast<std::size_t>(s.arrived_by)];
      return hop_time(s.low_latency ? params_.low_latency.step : params_.step, s.arrived_by);
    case ChannelWait::slot_free:
      break;
  }
  return acquire_;
}

void ChannelEngine::show(const Channel& c, bool begins, Tick now) const {
  if (!steps_.observed()) return;
  const ChannelStep& s = head(c);
  const Pending& pending = pending_[c.steps[c.head]];
  const bool acquires = pending.wait == ChannelWait::slot_free || pending.seen > seen_after(s, pending.wait);
  const char* const group = times() != nullptr ? times()->group : s.low_latency ? "nccl.low_latency" : "nccl";
  const char* const bound = times() != nullptr ? times()->bound(sends(s)) : "link_rate";
  steps_(now, {&s, begins, pending.wait, acquires, pending.seen, pending.ready, moves(s), overhead(s), group, bound,
               by_host(s), launched()});
}

/// Schedules the begin of the channel's next step, if its time is known.
void ChannelEngine::look(unsigned channel) {
  Channel& c = channels_[channel];
  if (c.running || !c.resident) return;
  const Pending& pending = pending_[c.steps[c.head]];
  if (pending.missing == 0) events_.set(channel, std::max(pending.ready, c.free_at));
}

void ChannelEngine::handle(Tick now) {
  while (events_.next() <= now) {
    const unsigned channel = events_.next_slot();
    events_.set(channel, never);
    Channel& c = channels_[channel];
    if (!c.resident)
      begin_channel(channel, now);
    else if (!c.running)
      begin(channel, now);
    else if (c.access.requests())
      access(channel);
    else if (c.lanes_left == 0)
      end(channel, now);
  }
}

void ChannelEngine::begin(unsigned channel, Tick now) {
  Channel& c = channels_[channel];
  const ChannelStep& s = head(c);
  c.running = true;
  c.begun = now, c.moves_at = now + overhead(s), c.ends = c.moves_at + moves(s);
  c.step(now, c.head + 1);
  show(c, true, now);
  if (c.ends > c.moves_at) c.busy(c.moves_at, level(s)), c.busy(c.ends, 0);
  const std::uint64_t source = move_data(s);
  c.access = {};
  if (s.peer != ChannelStep::none)
    send(c, s, source, now);
  else if (around_.rate != nullptr && around_.rate->limited() && c.ends > now)
    c.access.begin(now, s.bytes, accesses(s), c.ends - now);
  events_.set(channel, c.access.requests() ? c.access.next() : c.ends);
}

/// Requests a slice of the arrays of a step that sends nothing.
void ChannelEngine::access(unsigned channel) {
  Channel& c = channels_[channel];
  c.access.request(*around_.rate);
  events_.set(channel, c.access.next());
}

/// Adds or copies in the GPU's memory, and returns the address of the data to send. A sum that is not stored is made in the
/// slot of the input.
std::uint64_t ChannelEngine::move_data(const ChannelStep& s) {
  if (!s.reads_input) return s.own;
  if (s.reads_own) {
    const std::uint64_t sum = s.stores ? s.own : s.input;
    around_.memory.add(sum, s.stores ? &s.input : &s.own, 1, s.bytes, program_->op, program_->type);
    return sum;
  }
  if (s.stores) around_.memory.move(s.own, s.input, s.bytes);
  return s.input;
}

void ChannelEngine::send(Channel& c, const ChannelStep& s, std::uint64_t source, Tick now) {
  c.copy = {};
  c.copy.stream = s.channel, c.copy.peer = s.peer, c.copy.path = s.path;
  c.copy.two_packets = times() != nullptr ? times()->two_packets : 0;
  c.copy.accesses = static_cast<std::uint8_t>(accesses(s));
  c.copy.source = source, c.copy.destination = s.destination, c.copy.bytes = s.bytes;
  around_.hub.open(c.copy, *this);
  if (senders_.size() <= c.copy.copy) senders_.resize(c.copy.copy + 1u);
  senders_[c.copy.copy] = s.channel;
  c.lanes.clear();
  for (unsigned l = 0; l < c.copy.lanes; ++l) {
    const BurstCutter bursts(c.copy, l);
    c.lanes.push_back({bursts, bursts.left()});
  }
  c.lanes_left = c.copy.lanes;
  for (unsigned l = 0; l < c.copy.lanes; ++l)
    for (unsigned ahead = 0; ahead < CopyHub::bursts_ahead; ++ahead) push(c, l, now);
}

/// Pushes the lane's next burst. It may leave at the time at which the channel, at its rate, has processed the bytes before.
void ChannelEngine::push(Channel& c, unsigned lane, Tick now) {
  Lane& l = c.lanes[lane];
  if (l.bursts.empty()) return;
  const Tick ready = c.moves_at + over(static_cast<Wide>(c.ends - c.moves_at) * (l.bytes - l.bursts.left()), l.bytes);
  around_.hub.push(l.bursts.next(), ready, now);
}

void ChannelEngine::room(std::uint32_t copy, unsigned lane, Tick now) { push(channels_[senders_.at(copy)], lane, now); }

void ChannelEngine::left(std::uint32_t copy, unsigned, Tick now) {
  const unsigned channel = senders_.at(copy);
  Channel& c = channels_[channel];
  if (--c.lanes_left == 0 && now >= c.ends) events_.set(channel, now);
}

void ChannelEngine::end(unsigned channel, Tick now) {
  Channel& c = channels_[channel];
  const ChannelStep& s = head(c);
  show(c, false, now);
  if (s.peer != ChannelStep::none) {
    around_.hub.close(c.copy.copy);
    around_.hub.tell(s.peer, s.path, s.channel, s.tell, now);
  }
  if (s.giver != ChannelStep::none) around_.hub.tell(s.giver, s.arrived_by, CopyHub::no_stream, s.grant, now);
  c.running = false;
  c.free_at = now;
  ++c.head, --left_;
  if (c.head == c.steps.size()) c.step(now, 0);
  if (!has_ended(c)) return look(channel);
  c.resident = false;
  if (left_ == 0) kernel_(now, 0);
  end_channel(channel, now);
}

void ChannelEngine::reset() {
  for (Channel& c : channels_) {
    c.steps.clear(), c.lanes.clear();
    c.head = 0, c.free_at = 0, c.lanes_left = 0;
    c.resident = c.running = false;
  }
  pending_.clear();
  program_ = nullptr;
  left_ = 0;
  events_.clear();
}

}  // namespace tributary
