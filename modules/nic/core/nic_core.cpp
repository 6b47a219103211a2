#include "modules/nic/core/nic_core.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "modules/base/host/streaming_copy.h"

namespace tributary {
namespace {

/// Prefetches the next packet of this chunk: packets of several chunks alternate, too far apart for the processor's own
/// prefetcher.
template <int write>
void fetch_next(const std::byte* place, unsigned bytes) {
  constexpr unsigned line = 64, most = 512;
  for (unsigned at = 0; at < bytes && at < most; at += line) __builtin_prefetch(place + bytes + at, write);
}

}  // namespace

NicCore::NicCore(const Config& config, PacketPool& pool, PayloadViews& views, CompletionListener& listener,
                 const Ports& ports)
    : config_(config),
      pool_(pool),
      views_(views),
      listener_(listener),
      packets_in_turn_(config.schedule.params.vc == VcChoice::packet &&
                       config.schedule.flow_control.kind == FlowControl::packet),
      ports_(ports),
      dma_(config.schedule.params.memory),
      schedule_(config.schedule, *this, ports.table, ports.reduction),
      commands_(*this, ports.reduction, schedule_.sums) {
  for (unsigned i = 0; i < config.interfaces; ++i)
    interfaces_.push_back(std::make_unique<Interface>(config.schedule.flow_control, config.channels));
}

void NicCore::post(NicProgram work, Tick t0) {
  type_ = work.type;
  op_ = work.op;
  schedule_.sums.begin(config_.schedule.node, type_, op_);
  routes_.set(std::move(work.routes));
  work.table.type = type_;
  const bool by_commands = !work.commands.empty();
  if (by_commands) commands_.post(std::move(work.commands), type_, t0);
  if (!by_commands || !work.table.entries.empty())
    schedule_.post(std::move(work.table), t0, by_commands ? &commands_ : nullptr);
}

void NicCore::post_short(std::uint16_t destination, unsigned bytes, Tick when) {
  const Bytes most = config_.schedule.flow_control.payload;
  if (bytes > most.value)
    throw std::invalid_argument("a short packet of " + std::to_string(bytes) + " B; a packet has at most " +
                                to_string(most));
  shorts_.insert_sorted([](const Short& a, const Short& b) { return a.when < b.when; }, when, destination,
                        static_cast<std::uint16_t>(bytes));
}

Tick NicCore::next() const {
  const Tick first_short = shorts_.empty() ? never : shorts_.front().when;
  Tick next = std::min(std::min(schedule_.next(), commands_.next()), first_short);
  if (step_.active()) next = std::min(next, step_.next());
  if (__builtin_expect(defers_, 0)) next = std::min(next, next_answer());
  return next;
}

Tick NicCore::next_answer() const {
  Tick next = never;
  for (const LateAnswers* const part : ports_.late) next = std::min(next, part->next());
  return next;
}

void NicCore::advance_answers(Tick horizon) {
  for (LateAnswers* const part : ports_.late)
    if (part->next() <= horizon) part->advance();
}

// Answers of one instant have their effect before the decisions of the blocks, and before those of the router.
void NicCore::run_until(Tick horizon) {
  if (__builtin_expect(defers_, 0)) advance_answers(horizon);
  run_blocks(horizon);
  if (__builtin_expect(!defers_, 1)) return;
  while (next() <= horizon) {
    advance_answers(horizon);
    run_blocks(horizon);
  }
}

void NicCore::run_blocks(Tick horizon) {
  schedule_.run_until(horizon);
  do commands_.run_until(horizon);
  while (schedule_.gated() && schedule_.look(horizon));
  if (step_.active()) step_.run_until(horizon);
  send_shorts(horizon);
  push_back(horizon);
}

void NicCore::begin_operation(std::uint32_t operation, NicProgram program, Tick now) {
  program.table.loaded = now;
  program.table.number = operation;
  post(std::move(program), now);
  const auto mine = [&](const Early& e) { return e.operation == operation; };
  for (const Early& e : early_)
    if (mine(e)) take_chunk(e.kind, e.tag, e.from, e.bytes, now);
  early_.erase(std::remove_if(early_.begin(), early_.end(), mine), early_.end());
}

/// Packets stay in the router while the reduction unit's queue is full.
void NicCore::push_back(Tick now) {
  const auto& most = config_.schedule.params.reduction.queue;
  if (!most || stalled_ == (schedule_.operands() + commands_.operands() >= *most)) return;
  stalled_ = !stalled_;
  router_->stall_ejection(stalled_, now);
}

// ---- out

DmaReader::Burst NicCore::request(std::uint64_t address, std::uint32_t bytes, Tick now) {
  const AccessTime time = ports_.memory.request(address, bytes, dma_.accepts(now), *this);
  if (__builtin_expect(time.pending(), 0)) late_ = ports_.memory.late_answers();
  if (__builtin_expect(late_ != nullptr, 0)) dma_.expect(late_->ticket(), !late_->out_of_order());
  return dma_.request(now, bytes, time.latency, time.interval);
}

void NicCore::send(const ScheduleEntry& entry, Tick now) {
  const DmaReader::Burst burst = request(entry.start, entry.bytes, now);
  const auto send_to = [&](ChunkKind kind, std::uint16_t to) {
    const SourceRoute route = routes_.find(entry.tree, to);
    const std::uint32_t link = routes_.path(route, to).link;
    queue({kind, entry.tree, to, entry.start, entry.start, entry.bytes, 0, burst, now, route, link}, now);
  };
  if (entry.op == ScheduleEntry::Op::reduce) return send_to(ChunkKind::reduce, entry.parent);
  for (const std::uint16_t child : entry.children)
    if (child != ScheduleEntry::nil) send_to(ChunkKind::gather, child);
}

void NicCore::send(std::uint32_t number, std::uint64_t address, std::uint32_t bytes, const NicTarget& to, Tick now) {
  const DmaReader::Burst burst = request(address, bytes, now);
  queue({ChunkKind::command,
         to.command,
         to.nic,
         address,
         to.address,
         bytes,
         number,
         burst,
         now,
         {},
         routes_.path({}, to.nic).link},
        now);
}

/// An empty queue accepts all chunks of a row.
bool NicCore::has_room(unsigned interface, std::size_t more) const {
  const auto& most = config_.schedule.params.interfaces.queue;
  const std::size_t held = interfaces_[interface]->queue.chunks();
  return !most || held == 0 || held + more <= *most;
}

std::optional<unsigned> NicCore::full_interface(const ScheduleEntry& entry) const {
  if (!config_.schedule.params.interfaces.queue || entry.op == ScheduleEntry::Op::nop) return {};
  const bool reduce = entry.op == ScheduleEntry::Op::reduce;
  std::array<std::size_t, max_router_inputs> more{};
  for (const std::uint16_t to :
       reduce ? decltype(entry.children){entry.parent, ScheduleEntry::nil, ScheduleEntry::nil, ScheduleEntry::nil}
              : entry.children) {
    if (to == ScheduleEntry::nil) continue;
    const unsigned i = routes_.interface(routes_.find(entry.tree, to), to);
    if (!has_room(i, ++more[i])) return i;
  }
  return {};
}

void NicCore::queue(const Chunk& chunk, Tick now) {
  const unsigned i = routes_.interface(chunk.route, chunk.destination);
  interfaces_[i]->queue.push(chunk, now);
  fill(i, now);
}

void NicCore::injected(unsigned interface, Tick now) {
  --interfaces_[interface]->waiting;
  fill(interface, now);
}

/// Chunks use the VCs of their class in turn, so that a chunk can pass one that waits.
void NicCore::inject_next(unsigned i, unsigned channel, Tick now) {
  Interface& interface = *interfaces_[i];
  Chunk& next = interface.queue.chunk(channel);
  const std::uint64_t chunk_number = interface.queue.number(channel);
  const auto [number, s, at_hand] = interface.queue.next(channel);
  const std::uint64_t from = next.from + s.offset, to = next.to + s.offset;
  if (memory_ != nullptr && next.view == PayloadViews::none)
    next.view = views_.add(payload_owner_, memory_, from, next.bytes - s.offset, to);
  const Chunk chunk = next;  // copied, as the chunk is removed with its last packet
  const bool copied = has_data_ && chunk.view == PayloadViews::none;
  Packet* const packet = pool_.make(s.bytes, copied);
  packet->wire_bytes = static_cast<std::uint16_t>(s.flits * ScheduleNicLink::flit_bytes);
  packet->born = chunk.born;
  RouterHeader& h = router_header(*packet);
  h.address = to;
  h.source = config_.schedule.node;
  h.destination = chunk.destination;
  h.sequence = static_cast<std::uint16_t>(number);
  h.tag = chunk.tag;
  h.kind = chunk.kind;
  h.lane = (packets_in_turn_ ? number : chunk_number) & 1u;
  h.ends = ends_route(s.last);
  h.chunk_bytes = chunk.bytes;
  h.route = chunk.route;
  h.payload_view = chunk.view;
  if (h.payload_view != PayloadViews::none) views_.sent(h.payload_view, s.bytes);
  if (copied && memory_ != nullptr) std::memcpy(packet->payload, memory_ + from, s.bytes);
  if (copied && memory_ == nullptr) ports_.memory.read(from, packet->payload, s.bytes);
  ++traffic_.reads;
  const Tick ready = std::max(now, at_hand);
  const bool last = interface.queue.pop(now, channel);
  if (last) {
    if (config_.schedule.params.interfaces.queue) schedule_.wake(now), commands_.wake(now);
    if (chunk.view != PayloadViews::none) views_.close(chunk.view);
  }
  ++interface.waiting;
  const bool ends_command = last && chunk.kind == ChunkKind::command;
  if (__builtin_expect(chunk.burst.pending(), 0))
    return hold({chunk.burst.ticket, i, packet, s.offset + s.bytes, now, ends_command, chunk.command});
  if (ends_command) commands_.sent(chunk.command, ready);
  router_->inject(i, packet, ready);
}

void NicCore::fill(unsigned i, Tick now) {
  Interface& interface = *interfaces_[i];
  const unsigned channels = interface.queue.channels();
  for (unsigned idle = 0; idle < channels && interface.waiting < packets_ahead * channels; ++idle) {
    const unsigned channel = interface.turn;
    interface.turn = channel + 1 == channels ? 0 : channel + 1;
    if (!interface.queue.sends(channel)) continue;
    inject_next(i, channel, now);
    idle = ~0u;
  }
}

void NicCore::hold(const Held& held) {
  held_.push_back(held);
  router_->hold(held.interface, held.packet);
}

void NicCore::answered(Ticket ticket, Tick when) {
  dma_.answered(ticket, when, [this](const DmaReader::Burst& burst) { set_burst(burst); });
}

/// The memory has answered a pending request: packets in the router that wait for it are ready at the times of their data.
void NicCore::set_burst(const DmaReader::Burst& burst) {
  for (const auto& interface : interfaces_) interface->queue.set_burst(burst);
  const auto mine = [&](const Held& h) { return h.ticket == burst.ticket; };
  for (const Held& held : held_)
    if (mine(held)) release(held, burst);
  held_.erase(std::remove_if(held_.begin(), held_.end(), mine), held_.end());
}

void NicCore::release(const Held& held, const DmaReader::Burst& burst) {
  const Tick ready = std::max(held.since, burst.at(held.end));
  router_->make_ready(held.interface, held.packet, ready);
  if (held.ends_command) commands_.sent(held.command, ready);
}

void NicCore::send_shorts(Tick now) {
  for (; !shorts_.empty() && shorts_.front().when <= now; shorts_.pop()) {
    const Short& s = shorts_.front();
    Packet* const packet = pool_.make(s.bytes, false);
    packet->born = s.when;
    RouterHeader& h = router_header(*packet);
    h.source = config_.schedule.node;
    h.destination = s.destination;
    h.kind = ChunkKind::short_packet;
    h.short_class = h.ends = 1;
    const unsigned i = config_.interface_of[s.destination];
    ++interfaces_[i]->waiting;
    router_->inject(i, packet, s.when);
  }
}

// ---- in: packets become chunks, which are added or stored

void NicCore::eject(unsigned, Packet* packet, Tick end) {
  const RouterHeader& h = router_header(*packet);
  if (h.kind == ChunkKind::short_packet) {
    show<ScheduleNicLink>(short_delivered, end, *packet);
    return packet->release();
  }
  show_delivery<ScheduleNicLink>(delivered, end, *packet);
  const std::uint16_t from = h.route.to_neighbour() ? config_.sender_of_port[h.route.neighbour().eject] : h.source;
  const std::uint32_t operation = step_.active() ? step_.operation_of(h.address) : 0;
  const std::uint64_t chunk = reduction_chunk(operation, h.tag, from);
  if (h.payload_view != PayloadViews::none) {
    store(h, views_.data(h.payload_view, h.address), packet->payload_bytes, chunk);
    views_.arrived(h.payload_view);
  } else if (packet->payload != nullptr) {
    store(h, packet->payload, packet->payload_bytes, chunk);
  }
  ++traffic_.writes;
  if (h.kind == ChunkKind::reduce) traffic_.added_bytes += packet->payload_bytes;
  if (assembly_.arrived({h.kind, h.tag, from, operation}, packet->payload_bytes, h.chunk_bytes)) {
    if (step_.active() && operation != step_.current())
      early_.push_back({operation, h.kind, h.tag, from, h.chunk_bytes});
    else
      take_chunk(h.kind, h.tag, from, h.chunk_bytes, end);
  }
  packet->release();
}

void NicCore::take_chunk(ChunkKind kind, std::uint16_t tag, std::uint16_t from, std::uint64_t bytes, Tick when) {
  using Op = ScheduleEntry::Op;
  if (kind == ChunkKind::command) return commands_.received(tag, when);
  schedule_.receive(kind == ChunkKind::reduce ? Op::reduce : Op::gather, tag, from, bytes, when);
}

void NicCore::store(const RouterHeader& h, const std::byte* data, unsigned bytes, std::uint64_t chunk) {
  if (memory_ == nullptr) return store_over_port(h, data, bytes, chunk);
  about_to_change(h.address, bytes);
  std::byte* const place = memory_ + h.address;
  fetch_next<0>(data, bytes);
  if (h.kind == ChunkKind::reduce) {
    fetch_next<1>(place, bytes);
    observe(h, data, place);
    combine(place, data, bytes, chunk);
  } else {
    copy_streaming(place, data, bytes);
  }
}

void NicCore::observe(const RouterHeader& h, const std::byte* data, const std::byte* sum) {
  if (schedule_.sums.observed() && h.sequence == 0) schedule_.sums.operand(h.tag, h.source, data, sum);
}

void NicCore::store_over_port(const RouterHeader& h, const std::byte* data, unsigned bytes, std::uint64_t chunk) {
  if (h.kind != ChunkKind::reduce) return ports_.memory.write(h.address, data, bytes);
  std::vector<std::byte> sum(bytes);
  ports_.memory.read(h.address, sum.data(), bytes);
  observe(h, data, sum.data());
  combine(sum.data(), data, bytes, chunk);
  ports_.memory.write(h.address, sum.data(), bytes);
}

void NicCore::combine(std::byte* sum, const std::byte* data, std::uint64_t bytes, std::uint64_t chunk) {
  if (ports_.unit_adds_data) return ports_.reduction.combine(sum, data, bytes / element_size(type_), type_, op_, chunk);
  apply(op_, type_, sum, data, bytes);
}

/// Packets already sent from this range keep their data; later packets have the new data.
void NicCore::about_to_change(std::uint64_t address, std::uint64_t bytes) {
  if (!payload_owner_.viewed(address, bytes) || !views_.copy_on_write(payload_owner_, address, bytes)) return;
  for (const auto& interface : interfaces_)
    for (unsigned channel = 0; channel < interface->queue.channels(); ++channel) {
      if (!interface->queue.sends(channel)) continue;
      PayloadViews::Id& view = interface->queue.chunk(channel).view;
      if (view != PayloadViews::none && !views_.open(view)) view = PayloadViews::none;
    }
}

void NicCore::add(const NicCommand& c) {
  traffic_.added_bytes += c.bytes;
  if (!has_data_) return;
  const auto add_to = [&](std::byte* sum, const std::byte* data) {
    if (schedule_.sums.observed()) schedule_.sums.operand(c.number, c.peer, data, sum);
    combine(sum, data, c.bytes, command_chunk);
  };
  if (memory_ != nullptr) {
    about_to_change(c.chunk, c.bytes);
    return add_to(memory_ + c.chunk, memory_ + c.from);
  }
  std::vector<std::byte> sum(c.bytes), data(c.bytes);
  ports_.memory.read(c.chunk, sum.data(), c.bytes);
  ports_.memory.read(c.from, data.data(), c.bytes);
  add_to(sum.data(), data.data());
  ports_.memory.write(c.chunk, sum.data(), c.bytes);
}

// ---- reports

std::vector<std::string> NicCore::waiting() const {
  std::vector<std::string> lines = step_.active() ? step_.waiting() : std::vector<std::string>{};
  for (std::string& line : schedule_.waiting()) lines.push_back(std::move(line));
  for (std::string& line : commands_.waiting()) lines.push_back(std::move(line));
  for (std::string& line : assembly_.waiting()) lines.push_back(std::move(line));
  for (std::size_t i = 0; i < interfaces_.size(); ++i)
    if (!interfaces_[i]->queue.empty())
      lines.push_back("interface" + std::to_string(i) + ": " + std::to_string(interfaces_[i]->queue.chunks()) +
                      " chunks to send");
  if (!held_.empty()) lines.push_back("dma: " + std::to_string(held_.size()) + " packets wait for the memory's answer");
  if (stalled_) lines.push_back("reduction: its queue is full, packets stay in the router");
  return lines;
}

void NicCore::reset() {
  schedule_.reset();
  commands_.reset();
  dma_.reset();
  assembly_.reset();
  step_.reset();
  early_.clear();
  for (const auto& interface : interfaces_) {
    interface->queue.reset();
    interface->waiting = interface->turn = 0;
  }
  held_.clear();
  shorts_.clear();
  stalled_ = false;
  traffic_ = {};
}

void NicCore::describe(ProbeDirectory& directory, const std::string& name) {
  directory.add(name + ".delivered", delivered, "packet at the arrival of its last flit", ScheduleNicLink::chunk_bits,
                chunk_kind_names);
  directory.add(name + ".short.arrived", short_delivered, "short packet at the arrival of its last flit");
  schedule_.describe(directory, name + ".");
  commands_.describe(directory, name + ".");
  dma_.describe(directory, name + ".");
  if (config_.steps) step_.describe(directory, name);
  for (std::size_t i = 0; i < interfaces_.size(); ++i)
    interfaces_[i]->queue.describe(directory, name + ".interface" + std::to_string(i) + ".");
}

}  // namespace tributary
