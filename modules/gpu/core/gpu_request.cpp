/// What a GPU sends of its own accord: the blocks of DMA requests and of the commands of a software schedule.

#include <algorithm>
#include <array>

#include "modules/gpu/core/gpu_core.h"

namespace tributary {

Tick GpuCore::next_issue(Tick now) const {
  return dma_.ready() || executor_.ready(CommandLane::wire) ? std::max(now, pace_.free_at()) : never;
}

void GpuCore::arm_issue(Tick now) {
  if (executor_.ready(CommandLane::local)) events_.advance(store_event, std::max(now, store_pace_.free_at()));
  const Tick next = next_issue(now);
  events_.advance(issue_event, next);
  if (next == never && dma_.retry_at() != never) events_.advance(retry_event, dma_.retry_at());
}

// Its event stays in the slot meanwhile: it is set once, to the next one.
void GpuCore::issue(Tick now) {
  if (pace_.free_at() <= now && blocked_links_ == 0 && (issue_dma(now) || issue_command(now)))
    pace_.serve(now, max_packet_flits);
  const Tick next = blocked_links_ == 0 ? next_issue(now) : never;
  events_.set(issue_event, next);
  if (blocked_links_ == 0 && (next == never || executor_.ready(CommandLane::local))) arm_issue(now);
}

/// No room for a request in the queue of a link, or for a write of background traffic, which has as much room of its own;
/// then the link has run up to now, and sends next at `next`.
bool GpuCore::full(unsigned port, bool background, Tick now, Tick& next) {
  const auto no_room = [&] {
    const std::size_t others = background_queued_[port], all = links_[port].queued_packets(request_vc);
    const std::size_t own = all > others ? all - others : 0;  // one that was corrupted has left the queue, not the count
    return (background ? others : own) >= config_.params.dma.tx_queue;
  };
  if (!no_room()) return false;
  next = links_.run(port, now - 1, on_sent());
  return no_room();
}

bool GpuCore::blocked(unsigned port, Tick now) {
  Tick next = never;
  if (!full(port, false, now, next)) return false;
  blocked_links_ |= 1u << port;
  arm_link(port, next);
  return true;
}

/// A write that finds no room is dropped before it is sent, for a queue that grows without end would tell nothing.
void GpuCore::send_background(Tick now) {
  if (background_.next() != now) return;  // stopped meanwhile
  const BackgroundTraffic::Write write = background_.take();
  events_.set(background_event, background_.next());
  const Place place = place_of(write.address);
  Tick next = never;
  if (full(place.where.plane, true, now, next)) {
    ++background_.counts().skipped;
    return;
  }
  ++background_.counts().sent;
  ++background_queued_[place.where.plane];
  Packet* packet = make(Opcode::write, Target::gpu, place, block_bytes, false, now);
  nv(*packet).counter = 0;
  nv(*packet).destination = write.destination;
  send(packet, now);
}

bool GpuCore::issue_dma(Tick now) {
  if (!dma_.ready()) return false;
  const DmaStage& s = operation_.stages[dma_.tag()];
  const std::uint64_t block = dma_.next_block();
  const Place place = place_of(s.message.address(block));
  if (blocked(place.where.plane, now)) return false;
  request_block(s, block, place, now);
  dma_.issued(now);
  return true;
}

bool GpuCore::issue_command(Tick now) {
  constexpr CommandLane lane = CommandLane::wire;
  if (!executor_.ready(lane)) return false;
  const GpuCommand& command = executor_.current(lane);
  const std::uint64_t block = executor_.next_block(lane);
  const Place place = place_of(command.send->mailbox + (block - command.first_block) * block_bytes);
  if (blocked(place.where.plane, now)) return false;
  executor_.issued(lane, now, execute_block(command, block, place, now));
  check_commands(now);
  return true;
}

void GpuCore::issue_store(Tick now) {
  constexpr CommandLane lane = CommandLane::local;
  if (executor_.ready(lane) && store_pace_.free_at() <= now) {
    const Tick visible = execute_block(executor_.current(lane), executor_.next_block(lane), {}, now);
    executor_.issued(lane, now, visible);
    store_pace_.serve(now, block_bytes / flit_bytes);
    check_commands(now);
  }
  arm_issue(now);
}

Packet* GpuCore::make(Opcode opcode, Target target, const Place& place, unsigned bytes, bool data, Tick now) {
  Packet* packet = pool_.make(bytes, data && config_.with_data);
  NvHeader& h = nv(*packet);
  h.address = place.address;
  h.source = config_.gpu;
  h.count = 1;
  h.opcode = opcode;
  h.target = target;
  h.counter = dma_.ready() ? dma_.counter() : std::uint8_t{0};
  h.merge_acks = config_.merge_acks && opcode == Opcode::mc_write;
  h.type = operation_.type;
  h.op = operation_.op;
  h.plane = place.where.plane;
  h.home_switch = place.where.home_switch;
  h.home_port = place.where.home_port;
  h.trunk = place.where.trunk;
  packet->vc = request_vc;
  packet->born = now;
  return packet;
}

void GpuCore::request_block(const DmaStage& s, std::uint64_t block, const Place& place, Tick now) {
  const unsigned length = s.length(block);
  const std::uint64_t local = translation_.local(place.address);
  if (s.flags) {
    Packet* flag = make(Opcode::mc_write, Target::region, place, flit_bytes, false, now);
    nv(*flag).flag = true;
    return send(flag, now);
  }
  if (s.kind == DmaStage::Kind::pull) {
    Packet* own = pool_.make(length, config_.with_data);
    own->born = now + read(local, own->payload, length);
    own_operands_[block - s.first_block] = own;
    Packet* pull = make(Opcode::pull, Target::region, place, 0, false, now);
    nv(*pull).destination = config_.gpu;
    nv(*pull).length = static_cast<std::uint8_t>(length);
    return send(pull, now);
  }
  if (s.kind == DmaStage::Kind::load) {
    Packet* data = make(Opcode::rsp, Target::gpu, place, length, true, now);  // never on a link
    return visible_later(data, now + read(local, data->payload, length), true);
  }
  const bool push = s.kind == DmaStage::Kind::push;
  Packet* packet =
      make(push ? Opcode::red_write : Opcode::mc_write, push ? Target::home : Target::region, place, length, true, now);
  nv(*packet).to_one = s.root && !s.ends_wave(block);
  nv(*packet).destination = s.root.value_or(0);
  if (config_.rank_order) nv(*packet).rank = translation_.rank(place.address);
  send(packet, now + read(local, packet->payload, length));
}

Tick GpuCore::execute_block(const GpuCommand& command, std::uint64_t block, const Place& place, Tick now) {
  const unsigned length = cut_block(operation_.message.length(block), command.bytes, block - command.first_block);
  const std::uint64_t own = operation_.local + block * block_bytes;
  const std::uint64_t offset = (block - command.first_block) * block_bytes;
  alignas(16) std::array<std::byte, block_bytes> scratch, operand;
  Packet* packet = nullptr;
  if (command.send) packet = make(Opcode::write, Target::gpu, place, length, true, now);
  std::byte* data = !config_.with_data ? nullptr : packet != nullptr ? packet->payload : scratch.data();
  Tick latency = read(command.receive ? command.receive->mailbox + offset : own, data, length);
  if (command.reduce) {
    latency = std::max(latency, read(own, config_.with_data ? operand.data() : nullptr, length));
    if (config_.with_data) apply(operation_.op, operation_.type, data, operand.data(), length);
  }
  if (command.store) write(own, data, length);
  if (packet != nullptr) {
    nv(*packet).destination = command.send->gpu;
    nv(*packet).slot = command.send->slot;
    send(packet, now + latency);
  }
  return command.store ? now + latency : now;
}

void GpuCore::send_flag(const GpuCommand& command, Tick now) {
  Packet* flag = make(Opcode::write, Target::gpu, place_of(command.send->mailbox), flit_bytes, false, now);
  NvHeader& h = nv(*flag);
  h.destination = command.send->gpu;
  h.slot = command.send->slot;
  h.flag = true;
  send(flag, now);
}

}  // namespace tributary
