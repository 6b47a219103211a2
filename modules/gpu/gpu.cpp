#include "modules/gpu/gpu.h"

#include <algorithm>
#include <stdexcept>

#include "modules/gpu/memory.h"
#include "modules/link/link_protocol.h"

namespace tributary {

Gpu::Gpu(const sc_core::sc_module_name& name, const Config& config, const AddressMap& map, PacketPool& pool,
         CompletionListener& listener)
    : CoreDevice(name, 0, config.link, config.arena),
      config_(config),
      listener_(listener),
      late_(std::string("the memory bound to ") + memory_socket.name()) {
  late_.set_host(static_cast<AnswerHost&>(*this));
  make_memory();
  NvLinkTransmitter::Config link{config.link, config.far_buffer_flits, 0};
  link.arena = config.arena;
  std::vector<NvLinkPort*> links;
  for (unsigned p = 0; p < config.ports; ++p) {
    ports_.push_back(std::make_unique<NvLinkPort>(("port" + std::to_string(p)).c_str(),
                                                  static_cast<LinkPortListener&>(*this), activation(), p, link));
    links.push_back(ports_.back().get());
  }
  core_ = std::make_unique<GpuCore>(config.core, map, pool, static_cast<GpuMemoryPort&>(*this),
                                    static_cast<GpuListener&>(*this), static_cast<LinkOutput&>(*this), set_ports(links));
  make_engines();
}

void Gpu::make_memory() {
  memory_ = config_.parts.memory("memory", config_.core);
  memory_socket.bind(*this);
  if (!config_.external_memory) memory_socket.bind(memory_->socket);
  memory_reads_time_ = config_.external_memory || dynamic_cast<Memory*>(memory_.get()) == nullptr;
}

void Gpu::make_engines() {
  for (const GpuParts::Engine& part : config_.parts.engines()) {
    const unsigned seat = core_->add_seat();
    engines_.push_back(part.make(part.name.c_str(), EngineSeat(*core_, seat)));
    core_->attach(seat, engines_.back()->engine(), part.name);
  }
}

EngineModule& Gpu::engine(const std::string& name) {
  for (std::size_t e = 0; e < engines_.size(); ++e)
    if (config_.parts.engines()[e].name == name) return *engines_[e];
  throw std::logic_error("a GPU has no engine named " + name);
}

AccessTime Gpu::access_memory(tlm::tlm_command command, std::uint64_t address, std::byte* data, unsigned bytes, Tick now,
                              bool later) {
  if (memory_reads_time_) return access_memory_at(command, address, data, bytes, now, later);
  const AccessTime time = access_.transport(memory_socket, command, address, data, bytes);
  access_.check(memory_socket, "an access");
  return time;
}

AccessTime Gpu::access_memory_at(tlm::tlm_command command, std::uint64_t address, std::byte* data, unsigned bytes, Tick now,
                                 bool later) {
  access_.offer_next(later);
  const AccessTime time = access_.transport(memory_socket, command, address, data, bytes, ahead_of_kernel(now));
  access_.check(memory_socket, "an access");
  if (time.pending()) late_.defer(*access_.part(), now, *reads_);
  return time;
}

AccessTime Gpu::read(std::uint64_t address, std::byte* data, unsigned bytes, Tick now) {
  return access_memory(tlm::TLM_READ_COMMAND, address, data, bytes, now, true);
}

AccessTime Gpu::read_at_once(std::uint64_t address, std::byte* data, unsigned bytes, Tick now) {
  return access_memory(tlm::TLM_READ_COMMAND, address, data, bytes, now, false);
}

AccessTime Gpu::write(std::uint64_t address, const std::byte* data, unsigned bytes, Tick now) {
  return access_memory(tlm::TLM_WRITE_COMMAND, address, const_cast<std::byte*>(data), bytes, now, false);
}

LateAnswers* Gpu::late_answers(AnswerListener& listener) {
  if (!memory_reads_time_) return nullptr;
  reads_ = &listener;
  access_.offer(late_, true);
  return &late_;
}

void Gpu::answer_arrived() { Device::wake(kernel_now()); }

Tick Gpu::run_core(Inbox& inbox, Tick horizon) {
  inbox.take_packets(horizon, [this](unsigned port, Packet* packet, Tick, Tick tail) { core_->accept(port, packet, tail); });
  for (const auto& port : ports_) port->prefetch_far();
  return core_->run_until(horizon);
}

void Gpu::reseed(std::uint64_t seed) {
  core_->reseed(seed);
  memory_->reseed(seed);
}

void Gpu::reset() {
  CoreDevice::reset();
  late_.reset();
  memory_->reset();
}

}  // namespace tributary
