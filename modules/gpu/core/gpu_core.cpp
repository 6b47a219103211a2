#include "modules/gpu/core/gpu_core.h"

#include <stdexcept>
#include <utility>

namespace tributary {

GpuCore::GpuCore(const GpuConfig& config, const AddressMap& map, PacketPool& pool, GpuMemoryPort& memory,
                 GpuListener& listener, LinkOutput& output, const std::vector<NvLinkTransmitter*>& transmitters)
    : config_(config),
      map_(map),
      pool_(pool),
      listener_(listener),
      answers_(memory.late_answers(late_reads_)),
      memory_(memory),
      ports_(transmitters, output, config.params.dma.tx_queue),
      pace_(config.injection_rate, NvLink::flit_bytes) {}

void GpuCore::attach(unsigned seat, GpuEngine& engine, const std::string& name) {
  engines_.attach(seat, engine, name);
  ports_.reserve(engine.scope(), seat);
}

Tick GpuCore::post(GpuProgram program, Tick t0) {
  program_ = std::move(program);
  active_ = true;
  started_ = false;
  t0_ = t0;
  engines_.load(program_);
  program_.tasks ? board_.load(*program_.tasks) : board_.clear();
  events_.advance(start_event, t0);
  return t0;
}

Tick GpuCore::run_until(Tick horizon) {
  for (Tick now = events_.soonest(); now <= horizon; now = events_.soonest()) {
    memory_.set_time(now);
    const unsigned slot = events_.next_slot();
    if (slot >= receive_event && slot < receive_event + GpuPorts::max_ports) {
      receive(slot - receive_event, now);
    } else if (slot == issue_event) {
      issue(now);
    } else {
      events_.set(slot, never);
      handle(slot, now);
    }
  }
  return std::min(ports_.finish(horizon), events_.next());
}

void GpuCore::handle(unsigned slot, Tick now) {
  switch (slot) {
    case start_event:
      return start_or_answer(now);
    case local_event:
      return arrive_locally(now);
    case before_issue_event:
    case after_issue_event: {
      const EngineTimer timer = slot == before_issue_event ? EngineTimer::before_issue : EngineTimer::after_issue;
      engines_.run(timer, now);
      return events_.set(slot, engines_.next(timer));
    }
    default:
      ports_.resume(ports_of(slot - link_event));
      return arm_issue(now);
  }
}

/// The memory's edges share the slot of the start, the first at an instant.
void GpuCore::start_or_answer(Tick now) {
  while (answers_ != nullptr && answers_->next() <= now) answers_->advance();
  if (active_ && !started_) t0_ <= now ? start(now) : events_.advance(start_event, t0_);
  if (answers_ != nullptr) events_.advance(start_event, answers_->next());
}

void GpuCore::start(Tick now) {
  started_ = true;
  engines_.runner().start(now);
  if (!board_.loaded()) return;
  board_.start(now, [&](std::uint32_t task) { task_ready(task, now); });
  if (board_.over()) finish(now);
}

void GpuCore::task_ended(std::uint32_t task, Tick now) {
  board_.ended(task, now, [&](std::uint32_t next) { task_ready(next, now); });
  if (board_.over()) finish(now);
}

void GpuCore::finish(Tick when) {
  active_ = false;
  listener_.operation_done(when);
}

// ---- arrivals

void GpuCore::receive(unsigned port, Tick now) {
  Packet* packet = ports_.take(port, now);
  events_.set(receive_event + port, ports_.next_arrival(port));
  const NvHeader& h = nv(*packet);
  if (const int seat = ports_.owner(h.address); seat >= 0)
    return engines_.of(static_cast<unsigned>(seat)).packet(packet, Arrival::link, now);
  if (h.opcode != Opcode::ack) show_delivery<NvLink>(delivered, now, *packet);
  if (GpuEngine* engine = engines_.of(h.opcode)) return engine->packet(packet, Arrival::link, now);
  if (h.opcode == Opcode::pull) return answer_load(packet, now);
  throw std::logic_error("a packet with opcode " + std::to_string(static_cast<unsigned>(h.opcode)) +
                         " reached a GPU that has no engine for it");
}

void GpuCore::answer_load(Packet* packet, Tick now) {
  const NvHeader& request = nv(*packet);
  const unsigned length = request.length;
  Packet* response = pool_.make(length, config_.with_data);
  NvHeader& h = nv(*response);
  h = request;
  h.opcode = Opcode::rsp;
  h.target = Target::gpu;
  h.to_self = false;
  h.source = config_.gpu;
  h.count = 1;
  if (config_.rank_order) h.rank = memory_.translation().rank(h.address);
  response->vc = response_vc;
  response->born = now;
  const Tick ready = read_at(memory_.local(h.address), response->payload, length, now);
  packet->release();
  if (__builtin_expect(ready == never, 0)) return send_when_read(response);
  ports_.send(response, ready);
}

void GpuCore::arrive_locally(Tick now) {
  while (!local_.empty() && local_.front().when <= now) {
    const Local local = local_.front();
    local_.pop();
    engines_.runner().packet(local.packet, local.from, now);
  }
  if (!local_.empty()) events_.advance(local_event, local_.front().when);
}

// ---- departures

// The event stays in its slot meanwhile and is set once, to the next packet.
void GpuCore::issue(Tick now) {
  if (pace_.free_at() <= now && ports_.open() && issue_packet(now)) pace_.serve(now, NvLink::max_packet_flits);
  events_.set(issue_event, engines_.offers() != 0 && ports_.open() ? std::max(now, pace_.free_at()) : never);
}

bool GpuCore::issue_packet(Tick now) {
  for (std::uint32_t left = engines_.offers(); left != 0 && ports_.open(); left &= left - 1)
    if (engines_.of(static_cast<unsigned>(__builtin_ctz(left))).issue(now)) return true;
  return false;
}

bool GpuCore::pause_unless_room(unsigned port, Tick now) {
  Tick next = never;
  if (ports_.room(port, -1, now, next)) return true;
  ports_.pause(port);
  resume_at(port, next);
  return false;
}

Packet* GpuCore::address(Packet* packet, Opcode opcode, Target target, const Place& place, Tick now) {
  NvHeader& h = nv(*packet);
  h.address = place.address;
  h.source = config_.gpu;
  h.count = 1;
  h.opcode = opcode;
  h.target = target;
  h.merge_acks = config_.merge_acks && opcode == Opcode::mc_write;
  h.type = program_.type;
  h.op = program_.op;
  h.plane = place.where.plane;
  h.home_switch = place.where.home_switch;
  h.home_port = place.where.home_port;
  h.trunk = place.where.trunk;
  packet->vc = request_vc;
  packet->born = now;
  return packet;
}

void GpuCore::acknowledge(const Packet& packet, Tick now) {
  if (!config_.acks) return;
  Packet* ack = pool_.make(0, false);
  NvHeader& h = nv(*ack);
  h = nv(packet);
  if (h.opcode != Opcode::write) h.count = 1;
  h.opcode = Opcode::ack;
  h.target = h.reply_home ? Target::home : Target::gpu;
  h.destination = h.source;
  h.source = config_.gpu;
  ack->vc = response_vc;
  ack->born = now;
  ports_.send(ack, now);
}

void GpuCore::make_result(Packet* packet, Tick now) {
  NvHeader& h = nv(*packet);
  h.opcode = Opcode::mc_write;
  h.target = Target::region;
  h.merge_acks = config_.merge_acks;
  h.source = config_.gpu;
  h.count = static_cast<std::uint16_t>(program_.members);
  h.reply_home = false;
  packet->vc = request_vc;
  packet->born = now;
}

void GpuCore::multicast_result(Packet* packet, Tick ready, Tick now) {
  if (__builtin_expect(ready == never, 0)) return multicast_when_read(packet, now);
  make_result(packet, now);
  packet->acquire();  // its own copy does not cross a link
  loop_back(packet, ready, Arrival::local);
  ports_.send(packet, ready);
}

void GpuCore::loop_back(Packet* packet, Tick when, Arrival from) {
  local_.insert_sorted([](const Local& a, const Local& b) { return a.when < b.when; }, when, packet, from);
  events_.advance(local_event, when);
}

// ---- reads that are answered later

Tick GpuCore::read_deferred() {
  late_reads_.deferred(answers_->ticket());
  events_.advance(start_event, answers_->next());
  return never;
}

void GpuCore::send_when_read(Packet* packet) {
  ports_.hold(*packet);
  late_reads_.when_read(0, packet, [this, packet](Tick when) { send_held(packet, when); });
}

/// Paced packets that wait for room learn of the departure.
void GpuCore::send_held(Packet* packet, Tick ready) {
  const unsigned port = nv(*packet).plane;
  ports_.send_held(packet, ready);
  resume_at(port, ports_.departure(port, memory_.now()));
}

void GpuCore::hold_result(Packet* packet, Tick now) {
  make_result(packet, now);
  ports_.hold(*packet);
}

void GpuCore::multicast_held(Packet* packet, Tick ready) {
  packet->acquire();
  loop_back(packet, ready, Arrival::local);
  send_held(packet, ready);
}

void GpuCore::multicast_when_read(Packet* packet, Tick now) {
  hold_result(packet, now);
  late_reads_.when_read(0, packet, [this, packet](Tick when) { multicast_held(packet, when); });
}

void GpuCore::loop_back_when_read(Packet* packet, Arrival from) {
  late_reads_.when_read(0, packet, [this, packet, from](Tick when) { loop_back(packet, when, from); });
}

// ---- reports

void GpuCore::count(std::map<std::string, double>& counters) const {
  counters["gpu.memory_reads"] += static_cast<double>(memory_.use().reads);
  counters["gpu.memory_writes"] += static_cast<double>(memory_.use().writes);
  const std::uint64_t of_bytes = work_.added_bytes / element_size(program_.type);  // whole elements
  counters["gpu.added_elements"] += static_cast<double>(work_.added_elements + of_bytes);
  counters["kernel.bytes_read"] += static_cast<double>(work_.kernel_read);
  counters["kernel.bytes_written"] += static_cast<double>(work_.kernel_written);
  engines_.count(counters);
}

std::vector<std::string> GpuCore::waiting() const {
  std::vector<std::string> lines = board_.waiting();
  engines_.add_waiting(lines);
  ports_.add_waiting(lines);
  if (late_reads_.waiting() != 0)
    lines.push_back("memory: " + std::to_string(late_reads_.waiting()) + " accesses wait for its answer");
  return lines;
}

void GpuCore::reset() {
  late_reads_.clear();
  ports_.reset();
  for (; !local_.empty(); local_.pop()) local_.front().packet->release();
  events_.clear();
  engines_.reset();
  pace_.reset();
  memory_.reset();
  board_.clear();
  program_ = {};
  work_ = {};
  active_ = started_ = false;
}

void GpuCore::describe(ProbeDirectory& directory, const std::string& name) {
  directory.add(name + ".delivered", delivered, "a packet's last flit arrives", 0, nvlink_opcode_names);
  directory.add_signal(name + ".operation.stage", stage_, SignalKind::level, 8, "stage of the operation, from 1; 0: idle");
  directory.add_signal(name + ".operation.remaining", remaining_, SignalKind::level, 32,
                       "blocks of the stage still missing");
  if (engines_.has(DeviceTask::Kind::operation)) board_.describe(directory, name);
  engines_.describe(directory, name);
  ports_.describe(directory, name);
}

}  // namespace tributary
