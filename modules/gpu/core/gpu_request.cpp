/// What a GPU sends of its own accord: the blocks of DMA requests and of the commands of a software schedule.

#include <algorithm>
#include <array>

#include "modules/gpu/core/gpu_core.h"

namespace tributary {

void GpuCore::arm_issue(Tick now) {
  if (!dma_.ready() && !executor_.ready()) {
    if (dma_.retry_at() == never || dma_.retry_at() == retry_armed_) return;
    retry_armed_ = dma_.retry_at();
    events_.schedule(retry_armed_, key(retry_event));
    return;
  }
  const Tick when = std::max(now, pace_.free_at());
  if (when >= issue_armed_) return;
  issue_armed_ = when;
  events_.schedule(when, key(issue_event));
}

void GpuCore::issue(Tick now) {
  if (pace_.free_at() <= now && blocked_links_ == 0 && (issue_dma(now) || issue_command(now)))
    pace_.serve(now, max_packet_flits);
  if (blocked_links_ == 0) arm_issue(now);
}

bool GpuCore::blocked(std::uint64_t address, Tick now) {
  const unsigned port = map_.locate(address).plane;
  const auto full = [&] { return transmitters_[port]->queued_packets(request_vc) >= config_.params.dma.tx_queue; };
  if (!full()) return false;
  const Tick next = run_link(port, now - 1);
  if (!full()) return false;
  blocked_links_ |= 1u << port;
  arm_link(port, next);
  return true;
}

bool GpuCore::issue_dma(Tick now) {
  if (!dma_.ready()) return false;
  const DmaStage& s = operation_.stages[dma_.tag()];
  const std::uint64_t block = dma_.next_block();
  if (blocked(s.message.address(block), now)) return false;
  request_block(s, block, now);
  dma_.issued(now);
  return true;
}

bool GpuCore::issue_command(Tick now) {
  if (!executor_.ready()) return false;
  const GpuCommand& command = executor_.current();
  const std::uint64_t block = executor_.next_block();
  if (command.send && blocked(command.send->mailbox + (block - command.first_block) * block_bytes, now)) return false;
  executor_.issued(now, execute_block(command, block, now));
  check_commands(now);
  return true;
}

Packet* GpuCore::make(Opcode opcode, Target target, std::uint64_t address, unsigned bytes, bool data, Tick now) {
  Packet* packet = pool_.make(bytes, data && config_.with_data);
  const FabricLocation where = map_.locate(address);
  NvHeader& h = nv(*packet);
  h.address = address;
  h.source = config_.gpu;
  h.count = 1;
  h.opcode = opcode;
  h.target = target;
  h.merge_acks = config_.merge_acks && opcode == Opcode::mc_write;
  h.type = operation_.type;
  h.op = operation_.op;
  h.plane = where.plane;
  h.home_switch = where.home_switch;
  h.home_port = where.home_port;
  h.trunk = where.trunk;
  packet->vc = request_vc;
  packet->born = now;
  return packet;
}

void GpuCore::request_block(const DmaStage& s, std::uint64_t block, Tick now) {
  const std::uint64_t address = s.message.address(block);
  const unsigned length = s.message.length(block);
  const std::uint64_t local = translation_.local(address);
  if (s.flags) {
    Packet* flag = make(Opcode::mc_write, Target::region, address, flit_bytes, false, now);
    nv(*flag).flag = true;
    return send(flag, now);
  }
  if (s.kind == DmaStage::Kind::pull) {
    Packet* own = pool_.make(length, config_.with_data);
    own->born = now + wires_.read(local, own->payload, length);
    own_operands_[block - s.first_block] = own;
    Packet* pull = make(Opcode::pull, Target::region, address, 0, false, now);
    nv(*pull).destination = config_.gpu;
    nv(*pull).length = static_cast<std::uint8_t>(length);
    return send(pull, now);
  }
  const bool push = s.kind == DmaStage::Kind::push;
  Packet* packet =
      make(push ? Opcode::red_write : Opcode::mc_write, push ? Target::home : Target::region, address, length, true, now);
  if (config_.rank_order) nv(*packet).rank = translation_.rank(address);
  send(packet, now + wires_.read(local, packet->payload, length));
}

Tick GpuCore::execute_block(const GpuCommand& command, std::uint64_t block, Tick now) {
  const unsigned length = operation_.message.length(block);
  const std::uint64_t own = operation_.local + block * block_bytes;
  const std::uint64_t offset = (block - command.first_block) * block_bytes;
  alignas(16) std::array<std::byte, block_bytes> scratch, operand;
  Packet* packet = nullptr;
  if (command.send) packet = make(Opcode::write, Target::gpu, command.send->mailbox + offset, length, true, now);
  std::byte* data = !config_.with_data ? nullptr : packet != nullptr ? packet->payload : scratch.data();
  Tick latency = wires_.read(command.receive ? command.receive->mailbox + offset : own, data, length);
  if (command.reduce) {
    latency = std::max(latency, wires_.read(own, config_.with_data ? operand.data() : nullptr, length));
    if (config_.with_data) apply(operation_.op, operation_.type, data, operand.data(), length);
  }
  if (command.store) wires_.write(own, data, length);
  if (packet != nullptr) {
    nv(*packet).destination = command.send->gpu;
    nv(*packet).slot = command.send->slot;
    send(packet, now + latency);
  }
  return command.store ? now + latency : now;
}

void GpuCore::send_flag(const GpuCommand& command, Tick now) {
  Packet* flag = make(Opcode::write, Target::gpu, command.send->mailbox, flit_bytes, false, now);
  NvHeader& h = nv(*flag);
  h.destination = command.send->gpu;
  h.slot = command.send->slot;
  h.flag = true;
  send(flag, now);
}

}  // namespace tributary
