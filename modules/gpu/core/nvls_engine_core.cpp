#include "modules/gpu/core/nvls_engine_core.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace tributary {
static_assert(sizeof(NvlsFlag) == NvLink::flit_bytes);

NvlsEngineCore::NvlsEngineCore(EngineSeat seat, const NvlsParams& params, unsigned multiprocessors)
    : seat_(seat),
      base_(params.base.value),
      merge_acks_(params.merge_acks && seat.config().acks),
      multiprocessors_(multiprocessors),
      memory_(seat),
      sums_(NvlsParams::most_blocks) {
  for (std::uint32_t b = 0; b < params.channels.value_or(NvlsParams::most_blocks); ++b)
    blocks_.emplace_back(NvlsBlock::Config{params.copy_rate.value_or(Bandwidth{}).value,
                                           params.peer.value_or(NvlsParams::hopper_peer).value, seat.config().acks},
                         static_cast<NvlsHost&>(*this));
}

// ---- programs

bool NvlsEngineCore::load(const GpuProgram& program) {
  reset();
  if (!program.nvls) return false;
  const NvlsPlan& plan = *program.nvls->plan;
  if (plan.blocks.size() > blocks_.size())
    throw std::invalid_argument("NVLS has at most " + std::to_string(blocks_.size()) + " thread blocks");
  used_ = static_cast<std::uint32_t>(plan.blocks.size());
  for (std::uint32_t b = 0; b < used_; ++b) blocks_[b].load(plan, b, program.nvls->rank);
  return true;
}

void NvlsEngineCore::start(Tick now) {
  runs_ = true;
  std::vector<Tick> launched = work().launches;
  for (Tick& launch : launched) launch += now;
  kernels_.load(std::move(launched), used_, multiprocessors_);
  begin_blocks(kernels_.start(now));
  seat_.show_stage(now, 1);
  arm();
}

/// The first copy of a thread block follows `base` after the begin of its kernel.
void NvlsEngineCore::begin_blocks(const KernelSequence::Begun& begun) {
  for (std::uint32_t b = begun.first; b < begun.first + begun.count; ++b) {
    blocks_[b].start(begun.when + base_);
    resident_ |= std::uint32_t{1} << b;
  }
}

/// Ends the thread blocks whose kernel is done, and begins those that follow. Returns true if none is left.
bool NvlsEngineCore::end_blocks(Tick now) {
  for (std::uint32_t b = 0; b < used_; ++b) {
    const std::uint32_t bit = std::uint32_t{1} << b;
    if ((resident_ & bit) == 0 || !blocks_[b].kernel_done()) continue;
    resident_ &= ~bit;
    begin_blocks(kernels_.ended(now));
  }
  return resident_ == 0;
}

void NvlsEngineCore::arm() {
  Tick next = never;
  for (std::uint32_t b = 0; b < used_; ++b) next = std::min(next, blocks_[b].next());
  seat_.call(EngineTimer::before_issue, next);
}

void NvlsEngineCore::run(Tick now, EngineTimer) {
  for (std::uint32_t b = 0; b < used_; ++b) {
    if (blocks_[b].next() > now) continue;
    blocks_[b].handle(now);
    offer(b, now);
  }
  const bool done = end_blocks(now);
  arm();
  if (!done || !runs_) return;
  runs_ = false;
  seat_.show_stage(now, 0);
  seat_.finish(now);
}

// ---- requests

void NvlsEngineCore::offer(std::uint32_t block, Tick now) {
  const std::uint32_t bit = std::uint32_t{1} << block, before = ready_;
  ready_ = blocks_[block].ready() ? ready_ | bit : ready_ & ~bit;
  if ((ready_ != 0) != (before != 0)) seat_.offer(ready_ != 0, now);
}

bool NvlsEngineCore::issue(Tick now) {
  const std::uint32_t later = ready_ >> turn_ << turn_,
                      block = static_cast<std::uint32_t>(__builtin_ctz(later != 0 ? later : ready_));
  const NvlsBlock::Unit unit = blocks_[block].unit();
  const EngineSeat::Place place = seat_.place_of(work().region + (pieces().loads ? unit.address : unit.sum));
  if (!seat_.pause_unless_room(place.where.plane, now)) return false;
  blocks_[block].requested();
  pieces().loads ? load(block, unit, place, now) : store_message(block, unit, now);
  turn_ = (block + 1) % NvlsParams::most_blocks;
  offer(block, now);
  wake(block, now);
  return true;
}

void NvlsEngineCore::load(std::uint32_t block, const NvlsBlock::Unit& unit, const EngineSeat::Place& place, Tick now) {
  Packet* const pull = seat_.make(Opcode::pull, Target::region, place, 0, false, now);
  NvHeader& h = nv(*pull);
  h.destination = seat_.config().gpu;
  h.length = static_cast<std::uint8_t>(unit.bytes);
  h.slot = static_cast<std::uint16_t>(block);
  h.counter = static_cast<std::uint8_t>(unit.slot);
  h.to_self = true;
  seat_.send(pull, now);
  ++load_reduces_;
}

Packet* NvlsEngineCore::make_store(std::uint32_t block, const NvlsBlock::Unit& unit, Tick now) {
  const EngineSeat::Place place = seat_.place_of(work().region + unit.sum);
  Packet* const store = seat_.make(Opcode::mc_write, Target::region, place, unit.bytes, true, now);
  NvHeader& h = nv(*store);
  h.count = static_cast<std::uint16_t>(pieces().ranks);
  h.slot = static_cast<std::uint16_t>(block);
  h.counter = static_cast<std::uint8_t>(unit.slot);
  h.to_self = true;
  h.merge_acks |= merge_acks_;
  return store;
}

/// An all-gather stores the message itself. The queue of a link limits its reads.
void NvlsEngineCore::store_message(std::uint32_t block, const NvlsBlock::Unit& unit, Tick now) {
  seat_.send_read(make_store(block, unit, now), work().message + unit.address, unit.bytes, now);
  blocks_[block].answered(unit.address, now);
}

// ---- arrivals

void NvlsEngineCore::packet(Packet* packet, Arrival, Tick now) {
  const NvHeader& h = nv(*packet);
  switch (h.opcode) {
    case Opcode::rsp:
      return on_sum(packet, now);
    case Opcode::ack:
      if (!h.flag) blocks_.at(h.slot).acknowledged(h.counter, h.count, now), wake(h.slot, now);
      return packet->release();
    case Opcode::mc_write:
    case Opcode::write:
      return on_write(packet, now);
    default:
      throw std::logic_error("NVLS received a packet of another engine");
  }
}

/// The registers that received the sum store it to all ranks with the others of its block, or to the message at once.
void NvlsEngineCore::on_sum(Packet* packet, Tick now) {
  const NvHeader& h = nv(*packet);
  if (h.count != pieces().ranks)
    throw std::logic_error("a sum counts " + std::to_string(h.count) + " operands instead of " +
                           std::to_string(pieces().ranks));
  const std::uint32_t block = h.slot;
  const NvlsBlock::Unit unit = blocks_.at(block).answered(h.address - work().region, now);
  if (pieces().stores)
    store_sum(block, unit, packet->payload, now);
  else
    seat_.write(work().message + unit.sum, packet->payload, unit.bytes);
  packet->release();
  offer(block, now);
  wake(block, now);
}

void NvlsEngineCore::store_sum(std::uint32_t block, const NvlsBlock::Unit& unit, const std::byte* data, Tick now) {
  const NvlsBlock& b = blocks_.at(block);
  std::vector<std::byte>& sums = sums_[block];
  if (data != nullptr) {
    sums.resize(std::max<std::size_t>(sums.size(), b.offset_of(unit) + unit.bytes));
    std::memcpy(sums.data() + b.offset_of(unit), data, unit.bytes);
  }
  if (!b.complete(unit)) return;
  const NvlsBlock::Unit whole = b.block_of(unit);
  Packet* const store = make_store(block, whole, now);
  if (data != nullptr) std::memcpy(store->payload, sums.data() + b.offset_of(whole), whole.bytes);
  seat_.send(store, now);
}

void NvlsEngineCore::on_write(Packet* packet, Tick now) {
  const NvHeader& h = nv(*packet);
  seat_.acknowledge(*packet, now);
  if (h.flag) {
    NvlsFlag flag;
    std::memcpy(&flag, packet->payload, sizeof flag);
    blocks_.at(flag.block).flag(flag, now);
    wake(flag.block, now);
  } else {
    seat_.write(seat_.local(h.address), packet->payload, packet->payload_bytes);
    if (!seat_.config().acks) {
      const auto head = std::find(work().gpus.begin(), work().gpus.end(), h.source) - work().gpus.begin();
      blocks_.at(h.slot).stored(static_cast<std::uint32_t>(head), h.counter, now);
      wake(h.slot, now);
    }
  }
  packet->release();
}

// ---- actions of blocks

void NvlsEngineCore::scatter(std::uint32_t block, const NvlsStep& step) {
  if (pieces().registered) return;
  for (std::uint32_t head = 0; head < pieces().ranks; ++head) {
    const NvlsRange& range = pieces().range(step, head);
    memory_.move(work().slots + pieces().operand_at(block, step, head), work().message + range.offset, range.bytes);
    copied_bytes_ += range.bytes;
  }
}

void NvlsEngineCore::gather(std::uint32_t block, const NvlsStep& step) {
  if (pieces().registered) return;
  for (std::uint32_t head = 0; head < pieces().ranks; ++head) {
    const NvlsRange& range = pieces().range(step, head);
    memory_.move(work().message + range.offset, work().slots + pieces().sum_at(block, step, head), range.bytes);
    copied_bytes_ += range.bytes;
  }
}

void NvlsEngineCore::post(const NvlsFlag& flag, Tick now) {
  if (flag.kind == NvlsFlag::Kind::summed) return send_flag(flag, Opcode::mc_write, seat_.config().gpu, now);
  for (const std::uint16_t head : work().gpus)
    if (head != seat_.config().gpu) send_flag(flag, Opcode::write, head, now);
}

void NvlsEngineCore::send_flag(const NvlsFlag& flag, Opcode opcode, std::uint16_t gpu, Tick now) {
  const EngineSeat::Place place = seat_.place_of(work().flags + std::uint64_t{flag.block} * block_bytes);
  const Target target = opcode == Opcode::write ? Target::gpu : Target::region;
  Packet* const packet = seat_.make_message(opcode, target, place, NvLink::flit_bytes, now);
  std::memcpy(packet->payload, &flag, sizeof flag);
  nv(*packet).destination = gpu;
  nv(*packet).flag = true;
  seat_.send(packet, now);
}

// ---- reports

std::vector<std::string> NvlsEngineCore::waiting() const {
  std::vector<std::string> lines;
  for (std::uint32_t b = 0; b < used_ && seat_.active(); ++b) {
    const std::string name = "nvls" + std::to_string(b) + ".";
    if (runs_ && !kernels_.is_placed(b)) {
      lines.push_back(name + "waits for a multiprocessor");
      continue;
    }
    for (const std::string& line : blocks_[b].waiting()) lines.push_back(name + line);
  }
  return lines;
}

void NvlsEngineCore::reset() {
  for (NvlsBlock& block : blocks_) block.reset();
  used_ = ready_ = turn_ = resident_ = 0;
  runs_ = false;
  load_reduces_ = copied_bytes_ = 0;
}

void NvlsEngineCore::describe(ProbeDirectory& directory, const std::string& name) {
  for (std::size_t b = 0; b < blocks_.size(); ++b) blocks_[b].describe(directory, name + std::to_string(b));
}

void NvlsEngineCore::count(std::map<std::string, double>& counters) const {
  counters["gpu.load_reduces"] += static_cast<double>(load_reduces_);
  counters["gpu.copied_bytes"] += static_cast<double>(copied_bytes_);
}

}  // namespace tributary
