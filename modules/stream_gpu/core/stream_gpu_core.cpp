#include "modules/stream_gpu/core/stream_gpu_core.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "modules/streams/core/program_check.h"

namespace tributary {

StreamGpuCore::StreamGpuCore(const Config& config, const std::vector<StreamTransmitter*>& transmitters, LinkOutput& wires,
                             PacketPool& pool, PayloadViews& views, EngineArray& engines, CompletionListener& listener)
    : config_(config),
      listener_(listener),
      rate_(config.params.memory.rate),
      memory_(views),
      hub_({config.gpu, config.routes, config.params.memory.latency.value}, transmitters, wires, pool, memory_, &rate_),
      streams_({config.gpu, config.params.streams, config.params.copy.arbitration.value_or(CopyArbitration::first),
                config.params.host.peer_switch.value, config.params.copy.fetch.value, config.params.copy.completion.value,
                config.params.copy.physical, config.params.copy.links},
               {hub_, semaphores_, kernels_, engines, *this}),
      kernels_(config.params.kernel, memory_, streams_.kernel_listener(), &rate_),
      incoming_(transmitters.size()) {}

void StreamGpuCore::post(StreamProgram program, Tick t0, std::uint64_t size) {
  if (active_) throw std::logic_error("gpu" + std::to_string(config_.gpu) + ": its program has not ended");
  check_program(
      program, {config_.gpu, size, [this](std::uint16_t peer, CopyPath path) { return hub_.route(peer, path) != nullptr; }});
  program_ = std::move(program);
  active_ = true;
  t0_ = t0;
  semaphores_.begin(program_.semaphores);
  kernels_.begin(program_.type, program_.op);
  streams_.post(program_, t0);
  for (ProgramPart* part : parts_) part->post(program_, t0);
  if (next() > t0) arrivals_.advance(start_slot, t0);  // an empty program is done immediately
}

// ---- time

Tick StreamGpuCore::next_end() const {
  Tick next = std::min({arrivals_.next(), hub_.next(), streams_.next(), kernels_.next_end()});
  for (const ProgramPart* part : parts_) next = std::min(next, part->next());
  return next;
}

Tick StreamGpuCore::next() const { return std::min(next_end(), kernels_.next()); }

Tick StreamGpuCore::safe_horizon(Tick now, Tick packets, const Tick* credits) {
  return std::max(hub_.safe_horizon(now, packets, credits), handled_);
}

Tick StreamGpuCore::run_until(Tick horizon) {
  for (Tick now = next(); now <= horizon; now = next()) handle(now);
  handled_ = horizon;
  return std::min(hub_.finish(horizon), next());
}

// All ends of this instant are handled first, in any order. They decide what may begin.
void StreamGpuCore::handle(Tick now) {
  do {
    while (next_end() <= now) {
      take_in(now);
      hub_.end_bursts(now);
      kernels_.end_kernels(now);
      for (ProgramPart* part : parts_)
        if (part->next() <= now) part->handle(now);
      streams_.handle(now);
    }
    kernels_.serve(now);
  } while (streams_.grant(now) || hub_.serve(now));
  check_done(now);
}

void StreamGpuCore::check_done(Tick now) {
  if (!active_ || now < t0_ || streams_.left() != 0) return;
  for (const ProgramPart* part : parts_)
    if (!part->done()) return;
  active_ = false;
  listener_.done(config_.gpu, now);
}

// ---- arrivals

void StreamGpuCore::accept(unsigned port, Packet* packet, Tick head, Tick tail) {
  const Tick delay = config_.seen_after();
  const bool semaphore = router_header(*packet).kind == ChunkKind::semaphore;
  const Tick when = semaphore ? tail + delay : std::max(head + delay, tail);
  if (incoming_[port].empty()) arrivals_.set(port, when);
  incoming_[port].push(when, tail, packet);
}

void StreamGpuCore::take_in(Tick now) {
  while (arrivals_.next() <= now) {
    const unsigned port = arrivals_.next_slot();
    if (port == start_slot) {
      arrivals_.set(port, never);
      continue;
    }
    if (port == write_slot) {
      end_writes(now);
      continue;
    }
    RingQueue<Incoming>& queue = incoming_[port];
    const Incoming incoming = queue.front();
    queue.pop();
    arrivals_.set(port, queue.empty() ? never : queue.front().when);
    if (rate_.limited())
      write(port, incoming);
    else
      take_in(port, incoming);
  }
}

/// Requests the memory for the data of a packet. A semaphore has none, and follows the data before it.
void StreamGpuCore::write(unsigned port, Incoming incoming) {
  const ChunkKind kind = router_header(*incoming.packet).kind;
  const bool data = kind == ChunkKind::burst || kind == ChunkKind::read_data;
  if (data) incoming.when = rate_.request(MemoryUse::write, incoming.packet->payload_bytes, incoming.when).end;
  if (!writes_.empty()) incoming.when = std::max(incoming.when, writes_[writes_.size() - 1].incoming.when);
  if (writes_.empty()) arrivals_.set(write_slot, incoming.when);
  writes_.push(port, incoming);
}

void StreamGpuCore::end_writes(Tick now) {
  for (; !writes_.empty() && writes_.front().incoming.when <= now; writes_.pop()) {
    const Write write = writes_.front();
    take_in(write.port, write.incoming);
  }
  arrivals_.set(write_slot, writes_.empty() ? never : writes_.front().incoming.when);
}

void StreamGpuCore::take_in(unsigned port, const Incoming& incoming) {
  Packet* const packet = incoming.packet;
  const RouterHeader& h = router_header(*packet);
  if (h.destination != config_.gpu || h.kind < ChunkKind::burst)
    throw std::logic_error("gpu" + std::to_string(config_.gpu) + " receives a packet for gpu" +
                           std::to_string(h.destination) + " or of an unknown kind");
  show_delivery<ScheduleNicLink>(delivered, incoming.when, *packet);
  hub_.free(port, incoming.when, *packet);
  if (h.kind == ChunkKind::semaphore) {
    semaphores_.add(static_cast<std::uint32_t>(h.address), incoming.tail, incoming.when);
  } else if (h.kind == ChunkKind::read) {
    hub_.serve_read(port, *packet, incoming.when);
  } else {
    memory_.unload(*packet);
    if (h.kind == ChunkKind::read_data) hub_.read_arrived(*packet, incoming.when);
  }
  packet->release();
}

// ---- reports and probes

std::vector<std::string> StreamGpuCore::waiting() const {
  std::vector<std::string> lines = streams_.waiting();
  const auto add = [&lines](std::vector<std::string> more) {
    for (std::string& line : more) lines.push_back(std::move(line));
  };
  add(kernels_.waiting());
  for (const ProgramPart* part : parts_) add(part->waiting());
  add(hub_.waiting());
  for (std::size_t port = 0; port < incoming_.size(); ++port)
    if (!incoming_[port].empty())
      lines.push_back("port" + std::to_string(port) + ".input: " + std::to_string(incoming_[port].size()) + " packets");
  if (!writes_.empty()) lines.push_back("memory: " + std::to_string(writes_.size()) + " packets to write");
  return lines;
}

void StreamGpuCore::reset() {
  streams_.reset();
  kernels_.reset();
  semaphores_.reset();
  for (ProgramPart* part : parts_) part->reset();
  hub_.reset();
  memory_.reset();
  rate_.reset();
  for (; !writes_.empty(); writes_.pop()) writes_.front().incoming.packet->release();
  for (RingQueue<Incoming>& queue : incoming_)
    for (; !queue.empty(); queue.pop()) queue.front().packet->release();
  arrivals_.clear();
  active_ = false;
  t0_ = handled_ = 0;
}

void StreamGpuCore::describe(ProbeDirectory& directory, const std::string& name) {
  directory.add(name + ".delivered", delivered,
                "a packet takes effect: its data are in memory, or its semaphore has counted", ScheduleNicLink::chunk_bits,
                chunk_kind_names);
  directory.add_signal(name + ".operation.remaining", remaining, SignalKind::level, 32, "commands that have not ended");
  streams_.describe(directory, name + ".");
  semaphores_.describe(directory, name + ".");
  kernels_.describe(directory, name + ".");
  rate_.describe(directory, name + ".");
  for (ProgramPart* part : parts_) part->describe(directory, name + ".");
  hub_.describe(directory, name + ".");
}

}  // namespace tributary
