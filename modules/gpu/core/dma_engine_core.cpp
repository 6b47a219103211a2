#include "modules/gpu/core/dma_engine_core.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tributary {
namespace {

void check_operands(const NvHeader& h, unsigned expected) {
  if (h.count != expected)
    throw std::logic_error("a result counts " + std::to_string(h.count) + " operands instead of " +
                           std::to_string(expected));
}

bool pulls(const DmaStage& s) { return s.kind == DmaStage::Kind::pull; }
bool pushes(const DmaStage& s) { return s.kind == DmaStage::Kind::push; }

}  // namespace

DmaEngineCore::DmaEngineCore(EngineSeat seat)
    : seat_(seat),
      requests_(seat.config().params.dma, seat.config().wave_counters, seat.config().seed, seat.config().random_stream(),
                seat.config().multicast_counters) {}

EngineScope DmaEngineCore::scope() const {
  return {EngineScope::bit_of(Opcode::mc_write) | EngineScope::bit_of(Opcode::rsp), 0, 0};
}

// ---- stages

bool DmaEngineCore::load(const GpuProgram& program) {
  stages_.clear();
  operations_.clear();
  by_address_.clear();
  last_found_ = 0;
  for (const DmaStage& s : program.stages) stages_.push_back({StageProgress(s)});
  if (!program.commands.empty() || program.streams || program.nvls) return false;
  const auto stages = static_cast<std::uint32_t>(stages_.size());
  unsigned lanes = 1;
  for (const GpuOperation& o : program.operations)
    operations_.push_back({o.first, o.first + o.count, o.lane, false}), lanes = std::max(lanes, o.lane + 1);
  if (program.operations.empty()) operations_.push_back({0, stages, 0, false});
  for (std::uint32_t o = 0; o < operations_.size(); ++o)
    for (std::uint32_t s = operations_[o].stage; s < operations_[o].end; ++s) stages_[s].operation = o;
  std::vector<RequestLanes::Tag> tags;
  for (unsigned s = 0; s < stages; ++s)
    tags.push_back({operations_[stages_[s].operation].lane, program.stages[s].own_waves});
  requests_.use(lanes, std::move(tags));
  for (unsigned s = 0; s < stages; ++s) by_address_.push_back(s);
  std::stable_sort(by_address_.begin(), by_address_.end(), [&](unsigned a, unsigned b) {
    return program.stages[a].message.network < program.stages[b].message.network;
  });
  return true;
}

void DmaEngineCore::begin_operation(std::uint32_t operation, Tick now) {
  operations_[operation].begun = true;
  begin_stage(operation, now);
}

void DmaEngineCore::begin_stage(std::uint32_t operation, Tick now) {
  const Operation& o = operations_[operation];
  if (o.stage < o.end) {
    const DmaStage& s = seat_.program().stages[o.stage];
    seat_.show_stage(now, o.stage + 1);
    seat_.show_remaining(now, stages_[o.stage].progress.remaining());
    stages_[o.stage].own_operands.assign(pulls(s) ? s.block_count : 0, nullptr);
    if (s.kind != DmaStage::Kind::none && s.block_count > 0) {
      requests_.submit(request_of(o.stage), o.lane, now);
      arm(now);
    }
  }
  end_stages(operation, now);
}

unsigned DmaEngineCore::responses_of(const DmaStage& s) const {
  const GpuConfig& config = seat_.config();
  const unsigned members = s.members != 0 ? s.members : seat_.program().members;
  const unsigned acks = config.acks ? members - 1 : 0;
  if (s.kind == DmaStage::Kind::multicast) return acks;
  return pulls(s) && !s.keeps && config.wave_needs_acks ? 1 + acks : 1;
}

RequestGenerator::Request DmaEngineCore::request_of(std::uint32_t stage) const {
  const DmaStage& s = seat_.program().stages[stage];
  const GpuConfig& config = seat_.config();
  RequestGenerator::Request request;
  request.first_block = s.first_block;
  request.block_count = s.block_count;
  request.wave_blocks = s.wave_blocks;
  request.waves = s.waves;
  request.multicasts = s.own_waves;
  request.tag = stage;
  request.responses_per_block = responses_of(s);
  if (!s.leaves_result_at(config.gpu)) request.responses_per_wave = 1;
  if (config.pull_requests && pulls(s)) request.segment_blocks = s.wave_blocks * std::max(1u, config.wave_counters);
  if (cores()) {
    request.segment_blocks = 0;
    // Stores are posted: GPUs that each waited for different blocks of a push would deadlock.
    request.waves = !pushes(s);
    request.outstanding = request.waves ? config.params.cores.outstanding : 0;
    request.shuffle_window = config.params.cores.window;
  }
  return request;
}

void DmaEngineCore::end_stages(std::uint32_t operation, Tick now) {
  Operation& o = operations_[operation];
  if (!seat_.active() || !o.begun) return;
  if (o.stage < o.end && !stages_[o.stage].progress.over()) return;
  if (o.stage < o.end) ++o.stage;
  if (o.stage < o.end) return begin_stage(operation, now);
  seat_.show_stage(now, 0);
  if (seat_.program().operations.empty()) return seat_.finish(now);
  seat_.operation_over(operation, now, now);
}

unsigned DmaEngineCore::stage_of(std::uint64_t address) {
  if (last_found_ >= stages_.size() || !seat_.program().stages[last_found_].message.holds(address))
    last_found_ = find_stage(address);
  return last_found_;
}

unsigned DmaEngineCore::find_stage(std::uint64_t address) const {
  const std::vector<DmaStage>& stages = seat_.program().stages;
  const auto beyond = std::upper_bound(by_address_.begin(), by_address_.end(), address,
                                       [&](std::uint64_t a, unsigned s) { return a < stages[s].message.network; });
  if (beyond != by_address_.begin() && stages[*(beyond - 1)].message.holds(address)) return *(beyond - 1);
  throw std::logic_error("address " + std::to_string(address) + " belongs to no stage of the operation");
}

void DmaEngineCore::block_visible(unsigned s, std::uint64_t address, Tick when) {
  Stage& stage = stages_[s];
  stage.progress.arrived(seat_.program().stages[s].message.block_of(address), when);
  if (s != operations_[stage.operation].stage) return;
  seat_.show_remaining(when, stage.progress.remaining());
  if (stage.progress.over()) end_stages(stage.operation, when);
}

// ---- requests

void DmaEngineCore::run(Tick now, EngineTimer) {
  requests_.retry(now);
  if (!requests_.error().empty()) return seat_.fail(now, requests_.error());
  arm(now);
}

bool DmaEngineCore::issue(Tick now) {
  const unsigned stage = requests_.tag();
  const DmaStage& s = seat_.program().stages[stage];
  const std::uint64_t block = requests_.next_block();
  const EngineSeat::Place place = seat_.place_of(s.message.address(block));
  if (!seat_.pause_unless_room(place.where.plane, now)) return false;
  request_block(s, block, place, now);
  const bool all = requests_.issued(now);
  arm(now);
  if (all && stage + 1 == operations_[stages_[stage].operation].end && seat_.program().tasks)
    seat_.operation_issued(stages_[stage].operation, now);
  return true;
}

Packet* DmaEngineCore::make(Opcode opcode, Target target, const EngineSeat::Place& place, unsigned bytes, bool data,
                            Tick now) {
  Packet* packet = seat_.make(opcode, target, place, bytes, data, now);
  nv(*packet).counter = requests_.counter();
  return packet;
}

void DmaEngineCore::request_block(const DmaStage& s, std::uint64_t block, const EngineSeat::Place& place, Tick now) {
  if (s.flags) {
    Packet* flag = make(Opcode::mc_write, Target::region, place, NvLink::flit_bytes, false, now);
    nv(*flag).flag = true;
    return seat_.send(flag, now);
  }
  if (pulls(s)) return request_pull(s, block, place, now);
  const unsigned length = s.length(block);
  const std::uint64_t local = seat_.local(place.address);
  if (s.kind == DmaStage::Kind::load) {
    Packet* data = make(Opcode::rsp, Target::gpu, place, length, true, now);  // never on a link
    return seat_.loop_back(data, seat_.read_at(local, data->payload, length, now), Arrival::memory);
  }
  Packet* packet = make(pushes(s) ? Opcode::red_write : Opcode::mc_write, pushes(s) ? Target::home : Target::region, place,
                        length, true, now);
  nv(*packet).to_one = s.root && !s.ends_wave(block);
  nv(*packet).destination = s.root.value_or(0);
  if (seat_.config().rank_order) nv(*packet).rank = seat_.memory().translation().rank(place.address);
  seat_.send_read(packet, local, length, now);
}

void DmaEngineCore::request_pull(const DmaStage& s, std::uint64_t block, const EngineSeat::Place& place, Tick now) {
  const unsigned length = s.length(block);
  Packet* own = seat_.pool().make(length, seat_.config().with_data);
  own->born = seat_.read_at(seat_.local(place.address), own->payload, length, now);
  if (__builtin_expect(own->born == never, 0))
    seat_.when_read(0, nullptr, [this, own](Tick when) { own_operand_read(own, when); });
  stages_[requests_.tag()].own_operands[block - s.first_block] = own;
  Packet* pull = make(Opcode::pull, Target::region, place, 0, false, now);
  nv(*pull).destination = seat_.config().gpu;
  nv(*pull).length = static_cast<std::uint8_t>(length);
  seat_.send(pull, now);
}

// ---- arrivals

void DmaEngineCore::packet(Packet* packet, Arrival from, Tick now) {
  if (from != Arrival::link) return on_local(packet, from == Arrival::memory, now);
  switch (nv(*packet).opcode) {
    case Opcode::mc_write:
      return on_result(packet, now);
    case Opcode::rsp:
      return on_response(packet, now);
    case Opcode::ack:
      return on_ack(packet, now);
    default:
      throw std::logic_error("a DMA engine received a packet of another engine");
  }
}

void DmaEngineCore::on_result(Packet* packet, Tick now) {
  const NvHeader& h = nv(*packet);
  seat_.acknowledge(*packet, now);
  const unsigned index = stage_of(h.address);
  const DmaStage& s = seat_.program().stages[index];
  if (pushes(s) || pulls(s)) check_operands(h, seat_.program().members);
  if (!h.flag && s.leaves_result_at(seat_.config().gpu))
    seat_.write(seat_.local(h.address), packet->payload, packet->payload_bytes);
  if (pushes(s)) {
    if (cores()) return poll(packet, now);
    requests_.arrived(s.message.block_of(h.address), now, 1, h.counter, index);
    arm(now);
  }
  block_visible(index, h.address, now);
  packet->release();
}

/// A core is not notified of a push: it reads the block's completion flag, stored with the data, until it is set.
void DmaEngineCore::poll(Packet* packet, Tick now) {
  std::array<std::byte, NvLink::flit_bytes> flag{};
  const Tick ready = seat_.read_at(seat_.local(nv(*packet).address), flag.data(), NvLink::flit_bytes, now);
  seat_.loop_back(packet, ready, Arrival::memory);
}

void DmaEngineCore::on_response(Packet* packet, Tick now) {
  const NvHeader& h = nv(*packet);
  check_operands(h, seat_.program().members - 1);
  const unsigned index = stage_of(h.address);
  const DmaStage& s = seat_.program().stages[index];
  const std::uint64_t block = s.message.block_of(h.address);
  Packet*& own = stages_[index].own_operands.at(block - s.first_block);
  if (packet->payload != nullptr) apply(h.op, h.type, packet->payload, own->payload, packet->payload_bytes);
  seat_.count_added(packet->payload_bytes);
  const Tick ready = std::max(now, own->born);
  if (__builtin_expect(ready == never, 0))
    late_results_[own] = packet;
  else
    own->release();
  own = nullptr;
  requests_.arrived(block, now, 1, h.counter, index);
  if (__builtin_expect(ready == never, 0)) {
    if (!s.keeps) seat_.hold_result(packet, now);
  } else if (s.keeps) {
    seat_.loop_back(packet, ready, Arrival::local);
  } else {
    seat_.multicast_result(packet, ready, now);
  }
  arm(now);
}

/// The memory has answered the read of an operand later, perhaps after the operands of the others.
void DmaEngineCore::own_operand_read(Packet* own, Tick when) {
  own->born = when;
  const auto result = late_results_.find(own);
  if (result == late_results_.end()) return;
  Packet* const packet = result->second;
  late_results_.erase(result);
  own->release();
  if (seat_.program().stages[stage_of(nv(*packet).address)].keeps)
    seat_.loop_back(packet, when, Arrival::local);
  else
    seat_.multicast_held(packet, when);
}

void DmaEngineCore::on_local(Packet* packet, bool written, Tick now) {
  const NvHeader& h = nv(*packet);
  const unsigned index = stage_of(h.address);
  const DmaStage& s = seat_.program().stages[index];
  if (!written && s.leaves_result_at(seat_.config().gpu))
    seat_.write(seat_.local(h.address), packet->payload, packet->payload_bytes);
  if (pushes(s) && cores() && !written) return poll(packet, now);
  if (pushes(s) || s.kind == DmaStage::Kind::load) {
    requests_.arrived(s.message.block_of(h.address), now, 1, h.counter, index);
    arm(now);
  }
  block_visible(index, h.address, now);
  packet->release();
}

void DmaEngineCore::on_ack(Packet* packet, Tick now) {
  const NvHeader& h = nv(*packet);
  const unsigned index = stage_of(h.address);
  const DmaStage& s = seat_.program().stages[index];
  if ((s.kind == DmaStage::Kind::multicast && s.waves) || (pulls(s) && seat_.config().wave_needs_acks)) {
    requests_.arrived(s.message.block_of(h.address), now, h.count, h.counter, index);
    arm(now);
  }
  packet->release();
}

// ---- reports

std::vector<std::string> DmaEngineCore::waiting() const {
  std::vector<std::string> lines;
  for (const Operation& o : operations_)
    if (seat_.active() && o.stage < o.end && (o.begun || operations_.size() == 1))
      lines.push_back("rank: " + std::to_string(stages_[o.stage].progress.remaining()) + " of " +
                      std::to_string(seat_.program().stages[o.stage].arrivals) + " blocks of the result are missing");
  for (const std::string& line : requests_.waiting()) lines.push_back(line);
  return lines;
}

void DmaEngineCore::reset() {
  for (const Stage& s : stages_)
    for (Packet* p : s.own_operands)
      if (p != nullptr) p->release();
  for (const auto& [own, result] : late_results_) own->release(), result->release();
  late_results_.clear();
  requests_.reset();
  stages_.clear(), operations_.clear(), by_address_.clear();
}

}  // namespace tributary
