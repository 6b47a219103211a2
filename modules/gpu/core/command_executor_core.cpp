#include "modules/gpu/core/command_executor_core.h"

#include <algorithm>
#include <array>

namespace tributary {

bool CommandExecutorCore::load(const GpuProgram& program) {
  if (program.commands.empty()) return false;
  scheduler_.load(program.commands, seat_.config().fence, program.operations);
  in_operations_ = !program.operations.empty();
  if (seat_.nic() != nullptr) listen(program.commands);
  return true;
}

void CommandExecutorCore::listen(const std::vector<GpuCommand>& commands) {
  mailbox_of_.clear();
  for (const GpuCommand& c : commands) {
    if (c.by_nic()) seat_.nic()->listen(*c.send->nic_pair, this);
    if (!c.receive || !c.receive->nic_pair) continue;
    seat_.nic()->listen(*c.receive->nic_pair, this);
    mailbox_of_[c.receive->slot] = c.receive->mailbox;
  }
}

void CommandExecutorCore::begin_operation(std::uint32_t operation, Tick now) {
  scheduler_.begin(operation, now);
  finish_if_over(now);
  arm(now);
}

void CommandExecutorCore::run(Tick now, EngineTimer timer) {
  if (timer == EngineTimer::before_issue) return see_slots(now);
  store_block(now);
}

void CommandExecutorCore::see_slots(Tick now) {
  for (; !seen_.empty() && seen_.front().when <= now; seen_.pop()) scheduler_.seen(seen_.front().slot, now);
  if (!seen_.empty()) seat_.call(EngineTimer::before_issue, seen_.front().when);
  finish_if_over(now);
  arm(now);
}

void CommandExecutorCore::arm(Tick now) {
  if (scheduler_.ready(CommandLane::local)) seat_.call(EngineTimer::after_issue, std::max(now, store_pace_.free_at()));
  seat_.offer(scheduler_.ready(CommandLane::wire), now);
}

bool CommandExecutorCore::issue(Tick now) {
  constexpr CommandLane lane = CommandLane::wire;
  const GpuCommand& command = scheduler_.current(lane);
  const std::uint64_t block = scheduler_.next_block(lane);
  const EngineSeat::Place place = seat_.place_of(command.send->mailbox + (block - command.first_block) * block_bytes);
  if (!seat_.pause_unless_room(place.where.plane, now)) return false;
  scheduler_.issued(lane, now, execute_block(command, block, place, now));
  finish_if_over(now);
  arm(now);
  return true;
}

void CommandExecutorCore::store_block(Tick now) {
  constexpr CommandLane lane = CommandLane::local;
  if (scheduler_.ready(lane) && store_pace_.free_at() <= now) {
    const Tick visible = execute_block(scheduler_.current(lane), scheduler_.next_block(lane), {}, now);
    scheduler_.issued(lane, now, visible);
    store_pace_.serve(now, block_bytes / NvLink::flit_bytes);
    finish_if_over(now);
  }
  arm(now);
}

void CommandExecutorCore::finish_if_over(Tick now) {
  if (__builtin_expect(scheduler_.has_messages(), 0)) post_messages(now);
  if (in_operations_) return end_operations(now);
  if (seat_.active() && scheduler_.finished() && late_blocks_.empty()) seat_.finish(std::max(now, scheduler_.visible_at()));
}

void CommandExecutorCore::end_operations(Tick now) {
  for (const std::uint32_t operation : scheduler_.take_over()) {
    seat_.operation_issued(operation, now);
    if (late_blocks_.count(operation) != 0)
      over_.insert(operation);
    else
      end_operation(operation, now);
  }
}

Tick CommandExecutorCore::execute_block(const GpuCommand& command, std::uint64_t block, const EngineSeat::Place& place,
                                        Tick now) {
  const GpuProgram& program = seat_.program();
  const bool with_data = seat_.config().with_data;
  const unsigned length = cut_block(program.message.length(block), command.bytes, block - command.first_block);
  const std::uint64_t own = program.local + block * block_bytes;
  const std::uint64_t offset = (block - command.first_block) * block_bytes;
  alignas(16) std::array<std::byte, block_bytes> scratch, operand;
  Packet* packet = nullptr;
  if (command.send && !command.by_nic()) packet = seat_.make(Opcode::write, Target::gpu, place, length, true, now);
  std::byte* data = !with_data ? nullptr : packet != nullptr ? packet->payload : scratch.data();
  const Tick first = seat_.read_at(command.receive ? command.receive->mailbox + offset : own, data, length, now);
  Tick second = now;
  if (command.reduce) {
    second = seat_.read_at(own, with_data ? operand.data() : nullptr, length, now);
    if (with_data) apply(program.op, program.type, data, operand.data(), length);
    seat_.count_added(length);
  }
  if (command.store) seat_.write(own, data, length);
  if (packet != nullptr) {
    nv(*packet).destination = command.send->gpu;
    nv(*packet).slot = command.send->slot;
  }
  const Tick ready = std::max(first, second);
  if (__builtin_expect(ready == never, 0)) {
    wait_for_data(command, packet, std::min(first, second));
    return now;
  }
  if (packet != nullptr) seat_.send(packet, ready);
  return command.store ? ready : now;
}

/// The memory answers the reads of a block later. `known`: the time of the data of one of them, or `never`.
void CommandExecutorCore::wait_for_data(const GpuCommand& command, Packet* packet, Tick known) {
  if (packet != nullptr) seat_.hold(*packet);
  const std::uint32_t operation = scheduler_.operation(packet != nullptr ? CommandLane::wire : CommandLane::local);
  const bool stores = command.store;
  if (stores) ++late_blocks_[operation];
  seat_.when_read(known == never ? 0 : known, packet, [this, packet, operation, stores](Tick when) {
    if (packet != nullptr) seat_.send_held(packet, when);
    if (stores) block_stored(operation, when);
  });
}

/// A block that waited for its data is visible at `when`. The last one may end its operation.
void CommandExecutorCore::block_stored(std::uint32_t operation, Tick when) {
  scheduler_.visible_from(operation, when);
  const auto late = late_blocks_.find(operation);
  if (--late->second != 0) return;
  late_blocks_.erase(late);
  if (!in_operations_) return finish_if_over(when);
  if (over_.erase(operation) != 0) end_operation(operation, when);
}

void CommandExecutorCore::end_operation(std::uint32_t operation, Tick now) {
  seat_.operation_over(operation, now, std::max(now, scheduler_.visible_at(operation)));
}

void CommandExecutorCore::packet(Packet* packet, Arrival, Tick now) {
  nv(*packet).opcode == Opcode::ack ? on_ack(packet, now) : on_write(packet, now);
}

void CommandExecutorCore::on_write(Packet* packet, Tick now) {
  const NvHeader& h = nv(*packet);
  bool full;
  seat_.acknowledge(*packet, now);
  if (h.flag) {
    full = scheduler_.flag_arrived(h.slot);
  } else {
    seat_.write(seat_.local(h.address), packet->payload, packet->payload_bytes);
    full = scheduler_.block_arrived(h.slot);
  }
  if (full) poll(h.slot, seat_.local(h.address), now);
  packet->release();
}

/// The poll that sees a full slot is a memory read.
void CommandExecutorCore::poll(std::uint16_t slot, std::uint64_t local, Tick now) {
  std::array<std::byte, NvLink::flit_bytes> flag{};
  const Tick when = seat_.read_at(local, flag.data(), NvLink::flit_bytes, now);
  if (__builtin_expect(when == never, 0))
    seat_.when_read(0, nullptr, [this, slot](Tick read) { see(slot, read); });
  else
    see(slot, when);
}

void CommandExecutorCore::see(std::uint16_t slot, Tick when) {
  seen_.insert_sorted([](const Seen& a, const Seen& b) { return a.when < b.when; }, when, slot);
  seat_.call(EngineTimer::before_issue, seen_.front().when);
}

void CommandExecutorCore::on_ack(Packet* packet, Tick now) {
  const NvHeader& h = nv(*packet);
  // the ack of a flag has no effect
  if (const GpuCommand* command = h.flag ? nullptr : scheduler_.acknowledged(h.source, h.slot)) send_flag(*command, now);
  packet->release();
}

void CommandExecutorCore::send_flag(const GpuCommand& command, Tick now) {
  Packet* flag =
      seat_.make(Opcode::write, Target::gpu, seat_.place_of(command.send->mailbox), NvLink::flit_bytes, false, now);
  NvHeader& h = nv(*flag);
  h.destination = command.send->gpu;
  h.slot = command.send->slot;
  h.flag = true;
  seat_.send(flag, now);
}

// ---- messages of other servers

/// Messages that end when they are posted may release others.
void CommandExecutorCore::post_messages(Tick now) {
  while (scheduler_.has_messages())
    for (const CommandScheduler::Message& message : scheduler_.take_messages()) post_message(message, now);
}

void CommandExecutorCore::post_message(const CommandScheduler::Message& message, Tick now) {
  const GpuCommand& command = scheduler_.command(message.command);
  const bool passes_on = command.receive && !command.store;
  WriteRequest write;
  write.id = message.command;
  write.local = passes_on ? command.receive->mailbox : seat_.program().local + command.first_block * block_bytes;
  write.remote = command.send->mailbox;
  write.bytes = write.data_bytes = static_cast<std::uint32_t>(command.message_bytes());
  write.immediate_valid = true;
  write.immediate = command.send->slot;
  seat_.nic()->post_write(*command.send->nic_pair, write, std::max(now, message.ready));
  if (!command.acknowledged) scheduler_.message_sent(message.command, now);
}

void CommandExecutorCore::completed(unsigned, std::uint64_t id, Tick when) {
  const auto number = static_cast<std::uint32_t>(id);
  if (!seat_.active() || !scheduler_.command(number).acknowledged) return;
  scheduler_.message_sent(number, when);
  finish_if_over(when);
  arm(when);
}

void CommandExecutorCore::arrived(unsigned, std::uint32_t immediate, Tick when) {
  const auto slot = static_cast<std::uint16_t>(immediate);
  scheduler_.message_arrived(slot);
  poll(slot, mailbox_of_.at(slot), when);
}

std::vector<std::string> CommandExecutorCore::waiting() const {
  return seat_.active() ? scheduler_.waiting() : std::vector<std::string>{};
}

void CommandExecutorCore::reset() {
  late_blocks_.clear();
  over_.clear();
  mailbox_of_.clear();
  scheduler_.reset();
  store_pace_.reset();
  seen_.clear();
}

}  // namespace tributary
