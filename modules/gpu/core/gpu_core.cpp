#include "modules/gpu/core/gpu_core.h"

#include <algorithm>

namespace tributary {

GpuCore::GpuCore(const Config& config, const AddressMap& map, PacketPool& pool, GpuWires& wires, LinkOutput& links,
                 const std::vector<LinkTransmitter*>& transmitters)
    : config_(config),
      map_(map),
      pool_(pool),
      wires_(wires),
      links_(transmitters, links),
      incoming_(transmitters.size()),
      dma_(config.params.dma, config.wave_counters, config.seed, config.gpu),
      home_(config.rank_order),
      pace_(config.injection_rate, NvLink::flit_bytes),
      store_pace_(config.params.executor.local_rate, NvLink::flit_bytes),
      background_({config.background_load, config.injection_rate, config.gpus, config.gpu, config.seed}) {
  if (transmitters.size() > max_ports) throw std::invalid_argument("a GPU has at most 12 ports");
}

Tick GpuCore::post(Operation operation, Tick t0) {
  operation_ = std::move(operation);
  active_ = true;
  started_ = false;
  stage_ = 0;
  progress_.clear();
  for (const DmaStage& s : operation_.stages) progress_.emplace_back(s);
  if (!operation_.commands.empty()) executor_.load(operation_.commands, config_.fence);
  events_.set(start_event, t0);
  return t0;
}

Tick GpuCore::start_background(Tick t0) {
  background_.start(t0);
  events_.set(background_event, background_.next());
  return background_.next();
}

void GpuCore::accept(unsigned port, Packet* packet, Tick tail) {
  const bool first = incoming_[port].empty();
  incoming_[port].push(tail, packet);
  if (first) events_.set(receive_event + port, tail);
}

void GpuCore::credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count) {
  arm_link(port, links_.credit(port, first, credits, count, (blocked_links_ >> port & 1u) != 0));
}

Tick GpuCore::run_until(Tick horizon) {
  for (Tick now = events_.soonest(); now <= horizon; now = events_.soonest()) {
    const unsigned slot = events_.next_slot();
    if (slot >= receive_event && slot < receive_event + max_ports) {
      receive(slot - receive_event, now);
    } else if (slot == issue_event) {
      issue(now);
    } else {
      events_.set(slot, never);
      handle(slot, now);
    }
  }
  return std::min(links_.finish(horizon, on_sent()), events_.next());
}

// The queues of its links are not limited, but the request generator looks at their lengths, which must be known.
Tick GpuCore::plan(Tick now, Tick packets, const Tick* credits) {
  links_.plan(now, credits);
  Tick horizon = packets;
  for (unsigned p = 0; p < links_.ports(); ++p) horizon = std::min(horizon, links_.reach(p));
  return horizon;
}

void GpuCore::handle(unsigned slot, Tick now) {
  switch (slot) {
    case start_event:
      return start(now);
    case local_event:
      return local_visible(now);
    case seen_event:
      for (; !seen_.empty() && seen_.front().when <= now; seen_.pop()) executor_.seen(seen_.front().slot, now);
      if (!seen_.empty()) events_.set(seen_event, seen_.front().when);
      check_commands(now);
      return arm_issue(now);
    case retry_event:
      if (dma_.retry_at() == now) dma_.retry(now);
      if (!dma_.error().empty()) return wires_.operation_failed(now, dma_.error());
      return arm_issue(now);
    case store_event:
      return issue_store(now);
    case background_event:
      return send_background(now);
    default:
      blocked_links_ &= ~(1u << (slot - link_event));
      return arm_issue(now);
  }
}

void GpuCore::start(Tick now) {
  started_ = true;
  if (operation_.commands.empty()) return begin_stage(now);
  executor_.start(now);
  check_commands(now);
  arm_issue(now);
}

void GpuCore::begin_stage(Tick now) {
  if (stage_ < operation_.stages.size()) {
    const DmaStage& s = stage();
    stage_probe_(now, stage_ + 1);
    remaining_probe_(now, progress_[stage_].remaining());
    own_operands_.assign(s.kind == DmaStage::Kind::pull ? s.block_count : 0, nullptr);
    if (s.kind != DmaStage::Kind::none && s.block_count > 0) {
      const unsigned acks = config_.acks ? operation_.members - 1 : 0;
      DmaEngine::Request request;
      request.first_block = s.first_block;
      request.block_count = s.block_count;
      request.wave_blocks = s.wave_blocks;
      request.waves = s.waves;
      request.tag = static_cast<std::uint32_t>(stage_);
      if (s.kind == DmaStage::Kind::multicast) request.responses_per_block = acks;
      if (s.kind == DmaStage::Kind::pull && !s.keeps && config_.wave_needs_acks) request.responses_per_block += acks;
      if (!s.leaves_result_at(config_.gpu)) request.responses_per_wave = 1;
      if (config_.pull_requests && s.kind == DmaStage::Kind::pull)
        request.segment_blocks = s.wave_blocks * std::max(1u, config_.wave_counters);
      if (cores()) {
        request.segment_blocks = 0;
        // Stores are posted: GPUs that each waited for some blocks of a push, others than their peers, would wait for ever.
        request.waves = s.kind != DmaStage::Kind::push;
        request.outstanding = request.waves ? config_.params.cores.outstanding : 0;
        request.shuffle_window = config_.params.cores.window;
      }
      dma_.submit(request, now);
      arm_issue(now);
    }
  }
  end_stages(now);
}

void GpuCore::end_stages(Tick now) {
  if (!active_ || !started_) return;
  if (stage_ < progress_.size() && !progress_[stage_].over()) return;
  if (stage_ < progress_.size()) ++stage_;
  if (stage_ < progress_.size()) return begin_stage(now);
  active_ = false;
  stage_probe_(now, 0);
  wires_.operation_done(now);
}

void GpuCore::check_commands(Tick now) {
  if (!active_ || !executor_.finished()) return;
  active_ = false;
  wires_.operation_done(std::max(now, executor_.visible_at()));
}

unsigned GpuCore::stage_of(std::uint64_t address) const {
  for (unsigned s = 0; s < operation_.stages.size(); ++s)
    if (operation_.stages[s].message.holds(address)) return s;
  throw std::logic_error("address " + std::to_string(address) + " belongs to no stage of the operation");
}

// ---- links

void GpuCore::send(Packet* packet, Tick ready) {
  const unsigned port = nv(*packet).plane;
  links_[port].push(packet, packet->vc, flits_of<NvLink>(*packet), ready, ready);
  links_.sending(port);
}

void GpuCore::count_background(const Packet& sent) {
  const NvHeader& h = nv(sent);
  if (sent.vc == request_vc && BackgroundTraffic::owns(h.address)) --background_queued_[h.plane];
}

// What is sent at an instant takes its turn among all that is pushed at that instant, so its room is free just after.
void GpuCore::arm_link(unsigned port, Tick sent) {
  if (sent != never) events_.advance(link_event + port, sent + 1);
}

// ---- what it shows

std::vector<std::string> GpuCore::waiting() const {
  std::vector<std::string> lines;
  if (active_ && stage_ < progress_.size())
    lines.push_back("rank: " + std::to_string(progress_[stage_].remaining()) + " of " +
                    std::to_string(operation_.stages[stage_].arrivals) + " blocks of the result are missing");
  for (const std::string& line : dma_.waiting()) lines.push_back(line);
  if (active_)
    for (const std::string& line : executor_.waiting()) lines.push_back(line);
  for (const std::string& line : home_.waiting()) lines.push_back(line);
  for (unsigned p = 0; p < links_.ports(); ++p) {
    const std::string port = "port" + std::to_string(p);
    if (!incoming_[p].empty()) lines.push_back(port + ".input: " + std::to_string(incoming_[p].size()) + " packets");
    const std::string link = links_[p].waiting();
    if (!link.empty()) lines.push_back(port + ".output: " + link);
  }
  return lines;
}

void GpuCore::reset() {
  links_.reset();
  for (PooledQueue<Incoming>& q : incoming_)
    for (; !q.empty(); q.pop()) q.front().packet->release();
  for (; !local_.empty(); local_.pop()) local_.front().packet->release();
  for (Packet* p : own_operands_)
    if (p != nullptr) p->release();
  own_operands_.clear();
  seen_.clear();
  events_.clear();
  dma_.reset();
  executor_.reset();
  home_.reset();
  pace_.reset();
  store_pace_.reset();
  background_.reset();
  background_queued_.fill(0);
  blocked_links_ = 0;
  memory_use_ = {};
  operation_ = {};
  active_ = false;
  stage_ = 0;
  progress_.clear();
}

void GpuCore::describe(ProbeDirectory& directory, const std::string& name) {
  directory.add(name + ".delivered", delivered, "packet whose last flit has come in", 0, nvlink_opcode_names);
  directory.add(name + ".background", background_delivered, "write of background traffic whose last flit has come in");
  directory.add_signal(name + ".home.partials", partials, SignalKind::strobe, 41, "a partial sum comes in (block number)");
  directory.add_signal(name + ".home.results", home_results, SignalKind::strobe, 41,
                       "partial sums have made a complete sum here (block number)");
  directory.add_signal(name + ".operation.stage", stage_probe_, SignalKind::level, 8,
                       "stage of the operation, from 1; 0 idle");
  directory.add_signal(name + ".operation.remaining", remaining_probe_, SignalKind::level, 32,
                       "blocks of the stage still missing");
  dma_.describe(directory, name + ".dma.");
  executor_.describe(directory, name + ".executor.");
  for (unsigned p = 0; p < links_.ports(); ++p) links_[p].describe(directory, name + ".port" + std::to_string(p) + ".");
}

}  // namespace tributary
