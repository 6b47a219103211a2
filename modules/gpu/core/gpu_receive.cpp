/// What a GPU does with the packets that reach it (docs/systems/klenk.md#acknowledgements).

#include <algorithm>
#include <array>
#include <cstring>

#include "modules/gpu/core/gpu_core.h"

namespace tributary {
namespace {
void check_operands(const NvHeader& h, unsigned expected) {
  if (h.count != expected)
    throw std::logic_error("a result counts " + std::to_string(h.count) + " operands instead of " +
                           std::to_string(expected));
}
}  // namespace

void GpuCore::receive(unsigned port, Tick now) {
  Packet* packet = incoming_[port].front().packet;
  incoming_[port].pop();
  if (!incoming_[port].empty()) __builtin_prefetch(incoming_[port].front().packet);
  events_.set(receive_event + port, incoming_[port].empty() ? never : incoming_[port].front().tail);
  links_.free(port, now, packet->vc, flits_of<NvLink>(*packet));
  if (BackgroundTraffic::owns(nv(*packet).address)) return on_background(packet, now);
  if (nv(*packet).opcode != Opcode::ack) show<NvLink>(delivered, now, *packet);
  switch (nv(*packet).opcode) {
    case Opcode::mc_write:
      return on_result(packet, now);
    case Opcode::write:
      return on_write(packet, now);
    case Opcode::red_partial:
      return on_partial(packet, now);
    case Opcode::pull:
      return on_pull(packet, now);
    case Opcode::rsp:
      return on_response(packet, now);
    case Opcode::ack:
      return on_ack(packet, now);
    case Opcode::red_write:
      throw std::logic_error("an operand of a push reduction reached a GPU");
  }
}

void GpuCore::acknowledge(const Packet& packet, Tick now) {
  if (!config_.acks) return;
  Packet* ack = pool_.make(0, false);
  NvHeader& h = nv(*ack);
  h = nv(packet);
  h.opcode = Opcode::ack;
  h.target = h.reply_home ? Target::home : Target::gpu;
  h.destination = h.source;
  h.source = config_.gpu;
  h.count = 1;
  ack->vc = response_vc;
  ack->born = now;
  send(ack, now);
}

/// Background writes are acknowledged as all are, and change no memory.
void GpuCore::on_background(Packet* packet, Tick now) {
  BackgroundTraffic::Counts& counts = background_.counts();
  if (nv(*packet).opcode == Opcode::ack) {
    ++counts.acknowledged;
  } else {
    ++counts.received;
    show<NvLink>(background_delivered, now, *packet);
    acknowledge(*packet, now);
  }
  packet->release();
}

void GpuCore::on_result(Packet* packet, Tick now) {
  const NvHeader& h = nv(*packet);
  acknowledge(*packet, now);
  const unsigned index = stage_of(h.address);
  const DmaStage& s = operation_.stages[index];
  if (s.kind == DmaStage::Kind::push || s.kind == DmaStage::Kind::pull) check_operands(h, operation_.members);
  if (!h.flag && s.leaves_result_at(config_.gpu))
    write(translation_.local(h.address), packet->payload, packet->payload_bytes);
  if (s.kind == DmaStage::Kind::push) {
    if (cores()) return poll(packet, now);
    dma_.arrived(s.message.block_of(h.address), now, 1, h.counter, index);
    arm_issue(now);
  }
  block_visible(index, h.address, now);
  packet->release();
}

/// A core hears nothing of a push: it reads the block's completion flag, which lies with the data, until it is set.
void GpuCore::poll(Packet* packet, Tick now) {
  std::array<std::byte, flit_bytes> flag{};
  visible_later(packet, now + read(translation_.local(nv(*packet).address), flag.data(), flit_bytes), true);
}

void GpuCore::block_visible(unsigned s, std::uint64_t address, Tick when) {
  progress_[s].arrived(operation_.stages[s].message.block_of(address), when);
  if (s != stage_) return;
  remaining_probe_(when, progress_[s].remaining());
  if (progress_[s].over()) end_stages(when);
}

void GpuCore::on_write(Packet* packet, Tick now) {
  const NvHeader& h = nv(*packet);
  bool full;
  acknowledge(*packet, now);
  if (h.flag) {
    full = executor_.flag_arrived(h.slot);
  } else {
    write(translation_.local(h.address), packet->payload, packet->payload_bytes);
    full = executor_.block_arrived(h.slot);
  }
  if (full) {  // the poll that sees it is a memory read
    std::array<std::byte, flit_bytes> flag{};
    const Tick when = now + read(translation_.local(h.address), flag.data(), flit_bytes);
    seen_.insert_sorted([](const Seen& a, const Seen& b) { return a.when < b.when; }, when, h.slot);
    events_.advance(seen_event, when);
  }
  packet->release();
}

void GpuCore::on_partial(Packet* packet, Tick now) {
  const std::uint64_t address = nv(*packet).address;
  const bool everybody_adds = nv(*packet).target == Target::region;
  acknowledge(*packet, now);
  partials(now, address / block_bytes);
  Packet* sum = home_.add(everybody_adds ? own_copy(packet) : packet, operation_.members);
  if (sum == nullptr) {
    ++memory_use_.reads, ++memory_use_.writes;  // added to what lies there
    return;
  }
  home_results(now, address / block_bytes);
  std::array<std::byte, block_bytes> scratch{};
  const Tick ready = now + read(translation_.local(address), scratch.data(), sum->payload_bytes);
  if (everybody_adds || nv(*sum).to_one)
    visible_later(sum, ready);
  else
    multicast_result(sum, ready, now);
}

/// The copies of a multicast share one packet.
Packet* GpuCore::own_copy(Packet* packet) {
  if (packet->references() == 1) return packet;
  Packet* copy = pool_.make(packet->payload_bytes, packet->payload != nullptr);
  nv(*copy) = nv(*packet);
  copy->born = packet->born;
  if (copy->payload != nullptr) std::memcpy(copy->payload, packet->payload, packet->payload_bytes);
  packet->release();
  return copy;
}

void GpuCore::on_pull(Packet* packet, Tick now) {
  const NvHeader& request = nv(*packet);
  const unsigned length = request.length;
  Packet* response = pool_.make(length, config_.with_data);
  NvHeader& h = nv(*response);
  h = request;
  h.opcode = Opcode::rsp;
  h.target = Target::gpu;
  h.source = config_.gpu;
  h.count = 1;
  if (config_.rank_order) h.rank = translation_.rank(h.address);
  response->vc = response_vc;
  response->born = now;
  const Tick latency = read(translation_.local(h.address), response->payload, length);
  packet->release();
  send(response, now + latency);
}

void GpuCore::on_response(Packet* packet, Tick now) {
  const NvHeader& h = nv(*packet);
  check_operands(h, operation_.members - 1);
  const unsigned index = stage_of(h.address);
  const DmaStage& s = operation_.stages[index];
  const std::uint64_t block = s.message.block_of(h.address);
  Packet*& own = own_operands_.at(block - s.first_block);
  if (packet->payload != nullptr) apply(h.op, h.type, packet->payload, own->payload, packet->payload_bytes);
  const Tick ready = std::max(now, own->born);
  own->release();
  own = nullptr;
  dma_.arrived(block, now, 1, h.counter, index);
  if (s.keeps)
    visible_later(packet, ready);
  else
    multicast_result(packet, ready, now);
  arm_issue(now);
}

void GpuCore::multicast_result(Packet* packet, Tick ready, Tick now) {
  NvHeader& h = nv(*packet);
  h.opcode = Opcode::mc_write;
  h.target = Target::region;
  h.merge_acks = config_.merge_acks;
  h.source = config_.gpu;
  h.count = static_cast<std::uint16_t>(operation_.members);
  h.reply_home = false;
  packet->vc = request_vc;
  packet->born = now;
  packet->acquire();  // its own copy does not cross a link
  visible_later(packet, ready);
  send(packet, ready);
}

/// The packet becomes visible as this GPU's own result at `ready`; `written`: it lies in memory already.
void GpuCore::visible_later(Packet* packet, Tick ready, bool written) {
  local_.insert_sorted([](const Local& a, const Local& b) { return a.when < b.when; }, ready, packet, written);
  events_.advance(local_event, ready);
}

void GpuCore::local_visible(Tick now) {
  while (!local_.empty() && local_.front().when <= now) {
    Packet* packet = local_.front().packet;
    const bool written = local_.front().written;
    local_.pop();
    const NvHeader& h = nv(*packet);
    const unsigned index = stage_of(h.address);
    const DmaStage& s = operation_.stages[index];
    if (!written && s.leaves_result_at(config_.gpu))
      write(translation_.local(h.address), packet->payload, packet->payload_bytes);
    if (s.kind == DmaStage::Kind::push && cores() && !written) {
      poll(packet, now);
      continue;
    }
    if (s.kind == DmaStage::Kind::push || s.kind == DmaStage::Kind::load) {
      dma_.arrived(s.message.block_of(h.address), now, 1, h.counter, index);
      arm_issue(now);
    }
    block_visible(index, h.address, now);
    packet->release();
  }
  if (!local_.empty()) events_.advance(local_event, local_.front().when);
}

void GpuCore::on_ack(Packet* packet, Tick now) {
  const NvHeader& h = nv(*packet);
  if (!operation_.commands.empty()) {
    // the ack of a flag tells its writer nothing new
    if (const GpuCommand* command = h.flag ? nullptr : executor_.acknowledged(h.source, h.slot)) send_flag(*command, now);
  } else {
    const unsigned index = stage_of(h.address);
    const DmaStage& s = operation_.stages[index];
    const bool counts = s.kind == DmaStage::Kind::multicast || (s.kind == DmaStage::Kind::pull && config_.wave_needs_acks);
    if (counts) dma_.arrived(s.message.block_of(h.address), now, h.count, h.counter, index), arm_issue(now);
  }
  packet->release();
}

}  // namespace tributary
