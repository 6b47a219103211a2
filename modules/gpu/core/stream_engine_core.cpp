#include "modules/gpu/core/stream_engine_core.h"

#include <stdexcept>

#include "modules/streams/core/program_check.h"
#include "modules/streams/core/program_part.h"

namespace tributary {

StreamEngineCore::StreamEngineCore(EngineSeat seat, const StreamEngineParams& params, EngineArray& engines)
    : seat_(seat),
      memory_(seat),
      hub_(seat, params.copy.burst),
      streams_({seat.config().gpu, params.streams, *params.copy.arbitration, 0, params.copy.fetch.value,
                params.copy.completion.value, params.copy.physical, params.copy.links},
               {hub_, semaphores_, kernels_, engines, *this}),
      kernels_(params.kernel, memory_, streams_.kernel_listener()) {}

// ---- programs

bool StreamEngineCore::load(const GpuProgram& program) {
  runs_ = program.streams.has_value();
  if (!runs_) return false;
  const StreamWork& work = *program.streams;
  const Tick t0 = seat_.start_time();
  hub_.begin(work);
  check(work);
  semaphores_.begin(work.program.semaphores);
  kernels_.begin(work.program.type, work.program.op);
  streams_.post(work.program, t0);
  channels_->post(work.program, t0);
  arm();
  return true;
}

void StreamEngineCore::check(const StreamWork& work) const {
  const std::uint16_t gpu = seat_.config().gpu;
  const auto reaches = [this](std::uint16_t peer, CopyPath path) { return hub_.ports_to(peer, path) != 0; };
  check_program(work.program, {gpu, 0, reaches});
  const auto mapped = [&](std::uint16_t peer, std::uint64_t address, std::uint64_t bytes) {
    if (work.find(peer, address, bytes) == nullptr)
      throw std::invalid_argument("gpu" + std::to_string(gpu) + ": " + std::to_string(bytes) + " B at address " +
                                  std::to_string(address) + " of gpu" + std::to_string(peer) + " are not mapped");
  };
  for (const ChannelStep& s : work.program.steps)
    if (s.peer != ChannelStep::none) mapped(s.peer, s.destination, s.bytes);
  for (const StreamCommand& c : work.program.commands) {
    if (c.kind == StreamCommand::Kind::copy) mapped(c.peer, c.destination, c.bytes);
    if (c.reads)
      throw std::invalid_argument("gpu" + std::to_string(gpu) + ": a copy that reads, and NVSwitches carry writes");
    if (c.kind == StreamCommand::Kind::peer_switch)
      throw std::invalid_argument("gpu" + std::to_string(gpu) +
                                  ": a switch of peer access, and all peers are at NVSwitches");
  }
}

void StreamEngineCore::start(Tick now) {
  seat_.show_remaining(now, streams_.left());
  handle(now);
}

void StreamEngineCore::finish_if_over(Tick now) {
  if (!runs_ || !seat_.started() || streams_.left() != 0 || !channels_->done()) return;
  runs_ = false;
  seat_.finish(now);
}

// ---- time

Tick StreamEngineCore::next_end() const {
  return std::min({hub_.next(), streams_.next(), kernels_.next_end(), channels_->next()});
}

void StreamEngineCore::run(Tick now, EngineTimer) { handle(now); }

// Handles all ends at this instant first, in any order; only then are the possible begins known.
void StreamEngineCore::handle(Tick now) {
  do {
    do {
      hub_.handle(now);
      kernels_.end_kernels(now);
      if (channels_->next() <= now) channels_->handle(now);
      streams_.handle(now);
    } while (next_end() <= now);
    kernels_.serve(now);
  } while (streams_.grant(now) || next_end() <= now);
  finish_if_over(now);
  arm();
}

bool StreamEngineCore::issue(Tick now) {
  const bool sent = hub_.issue(now);
  arm();
  return sent;
}

// ---- arrivals

void StreamEngineCore::packet(Packet* packet, Arrival, Tick now) {
  const NvHeader& h = nv(*packet);
  const auto add = [&](std::uint32_t semaphore) { semaphores_.add(semaphore, now, now); };
  if (h.opcode == Opcode::ack) {
    if (!h.flag) hub_.acknowledged(h, now);  // the ack of a flag has no effect
  } else {
    seat_.acknowledge(*packet, now);
    if (h.flag) {
      hub_.flag_arrived(*packet, add);
    } else {
      seat_.write(seat_.local(h.address), packet->payload, packet->payload_bytes);
      hub_.block_arrived(h, add);
    }
    arm();
  }
  packet->release();
}

// ---- reports

std::vector<std::string> StreamEngineCore::waiting() const {
  std::vector<std::string> lines = streams_.waiting();
  const auto add = [&lines](std::vector<std::string> more) {
    for (std::string& line : more) lines.push_back(std::move(line));
  };
  add(kernels_.waiting());
  add(channels_->waiting());
  add(hub_.waiting());
  return lines;
}

void StreamEngineCore::reset() {
  streams_.reset();
  kernels_.reset();
  semaphores_.reset();
  channels_->reset();
  hub_.reset();
  runs_ = false;
}

void StreamEngineCore::describe(ProbeDirectory& directory, const std::string& name) {
  streams_.describe(directory, name + ".");
  semaphores_.describe(directory, name + ".");
  kernels_.describe(directory, name + ".");
  channels_->describe(directory, name + ".");
}

void StreamEngineCore::count(std::map<std::string, double>& counters) const {
  counters["gpu.copied_bytes"] += static_cast<double>(hub_.copied_bytes());
}

}  // namespace tributary
