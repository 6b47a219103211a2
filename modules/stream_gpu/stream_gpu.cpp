#include "modules/stream_gpu/stream_gpu.h"

#include <algorithm>
#include <utility>

#include "modules/base/host/wide.h"
#include "modules/link/link_protocol.h"
#include "modules/streams/channels.h"
#include "modules/streams/copy_engine.h"

namespace tributary {
namespace {

unsigned engines_of(const StreamGpu::Config& config) { return *config.core.params.copy.engines; }

const LinkParams& link_of(const StreamGpu::Config& config) {
  if (config.ports.empty()) throw std::invalid_argument("gpu" + std::to_string(config.core.gpu) + " has no ports");
  return config.ports.front().link;
}

}  // namespace

/// The GPU's ends of the sockets to one engine.
class EngineSide : private CopyBackward, private BurstForward, public BurstSource {
 public:
  EngineSide(CopyInitiator& commands, BurstTarget& wire, StreamGpu& gpu) : commands_(commands), wire_(wire), gpu_(gpu) {
    commands.bind(static_cast<CopyBackward&>(*this));
    wire.bind(static_cast<BurstForward&>(*this));
  }
  bool submit(CopyCommand& command, Tick now) {
    CopyPhase phase = CopyPhase::submit;
    sc_core::sc_time delay = to_sc_time(now - kernel_now());
    return commands_->nb_transport_fw(command, phase, delay) == tlm::TLM_UPDATED;
  }
  void room(std::uint32_t copy, unsigned lane, Tick now) override { tell(copy, lane, false, now, BurstPhase::room); }
  void left(std::uint32_t copy, unsigned lane, Tick now) override { tell(copy, lane, true, now, BurstPhase::left); }

 private:
  void tell(std::uint32_t copy, unsigned lane, bool last, Tick now, BurstPhase phase) {
    Burst burst;
    burst.copy = copy;
    burst.lane = static_cast<std::uint8_t>(lane);
    burst.last = last;
    sc_core::sc_time delay = to_sc_time(now - kernel_now());
    wire_->nb_transport_bw(burst, phase, delay);
  }
  tlm::tlm_sync_enum nb_transport_bw(CopyCommand& command, CopyPhase&, sc_core::sc_time& delay) override {
    gpu_.core().streams().copy_done(command, kernel_now() + delay.value());
    return tlm::TLM_ACCEPTED;
  }
  tlm::tlm_sync_enum nb_transport_fw(Burst& burst, BurstPhase&, sc_core::sc_time& delay) override {
    gpu_.core().hub().push(burst, kernel_now() + delay.value());
    return tlm::TLM_ACCEPTED;
  }
  void b_transport(Burst&, sc_core::sc_time&) override {
    SC_REPORT_ERROR("tributary/stream_gpu", "b_transport has no meaning at a port hub; use nb_transport_fw");
  }
  bool get_direct_mem_ptr(Burst&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(Burst&) override { return 0; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  CopyInitiator& commands_;
  BurstTarget& wire_;
  StreamGpu& gpu_;
};

class StreamGpu::Sides : public EngineArray {
 public:
  explicit Sides(StreamGpu& gpu) {
    for (std::size_t e = 0; e < gpu.engine_commands.size(); ++e)
      sides_.push_back(std::make_unique<EngineSide>(gpu.engine_commands[e], gpu.engine_wires[e], gpu));
  }
  unsigned engines() const override { return static_cast<unsigned>(sides_.size()); }
  BurstSource& source(unsigned engine) override { return *sides_[engine]; }
  bool submit(unsigned engine, CopyCommand& command, Tick now) override { return sides_[engine]->submit(command, now); }

 private:
  std::vector<std::unique_ptr<EngineSide>> sides_;
};

unsigned StreamGpu::receive_flits(const LinkParams& link, const StreamGpuParams& params) {
  const Tick time = 3 * params.streams.acquire.value + 2 * link.latency.value;
  const Wide bytes = static_cast<Wide>(link.rate.value) * time / 1'000'000'000'000ull;
  return static_cast<unsigned>(bytes / ScheduleNicLink::flit_bytes) + 1 + 2 * largest_burst_flits;
}

StreamGpu::StreamGpu(const sc_core::sc_module_name& name, const Config& config, PacketPool& pool, PayloadViews& views,
                     CompletionListener& listener)
    : CoreDevice(name, config.core.seen_after(), link_of(config), config.arena),
      engine_commands("engine_commands", engines_of(config)),
      engine_wires("engine_wires", engines_of(config)),
      with_data_(config.core.with_data) {
  std::vector<LinkPort*> links;
  for (const Port& port : config.ports) {
    LinkPort::LinkTransmitter::Config link;
    link.link = port.link;
    link.flow_control = port.far_buffer_flits;
    link.max_flits = largest_burst_flits;
    link.arena = config.arena;
    ports_.push_back(std::make_unique<LinkPort>(port.name.c_str(), static_cast<LinkPortListener&>(*this), activation(),
                                                static_cast<unsigned>(ports_.size()), link));
    links.push_back(ports_.back().get());
  }
  memory_ = config.parts.memory ? config.parts.memory("memory", config.core.gpu)
                                : std::make_unique<DirectMemory>("memory", 0_ns, config.core.gpu);
  memory_socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  memory_socket.bind(memory_->socket);
  sides_ = std::make_unique<Sides>(*this);
  core_ = std::make_unique<StreamGpuCore>(config.core, set_ports(links), static_cast<LinkOutput&>(*this), pool, views, *sides_,
                                          listener);
  channels_ = std::make_unique<Channels>("channels", config.channels, config.core.params.streams.acquire.value,
                                         ChannelEngine::Around{core_->hub(), core_->semaphores(), core_->memory()});
  core_->add_part(channels_->core());
  if (!config.parts.outside_engines) make_engines(config);
}

StreamGpu::~StreamGpu() = default;

void StreamGpu::make_engines(const Config& config) {
  const StreamGpuParams& params = config.core.params;
  for (unsigned e = 0; e < engine_commands.size(); ++e) {
    const std::string engine = "engine" + std::to_string(e);
    engines_.push_back(config.parts.engine ? config.parts.engine(engine.c_str(), params)
                                           : std::make_unique<CopyEngine>(engine.c_str(), params.copy.launch.value));
    engine_commands[e].bind(engines_.back()->commands);
    engines_.back()->wire.bind(engine_wires[e]);
    engines_.back()->memory.bind(memory_->socket);
  }
}

void StreamGpu::post(StreamProgram program, Tick t0) {
  std::byte* const direct = direct_memory();
  const std::uint64_t size = direct == nullptr ? 0 : memory_->size();
  core_->memory().set(direct, size);
  core_->post(std::move(program), t0, size);
  wake(core_->next());
}

/// Null without data.
std::byte* StreamGpu::direct_memory() {
  if (!with_data_ || memory_->size() == 0) return nullptr;
  tlm::tlm_generic_payload access;
  access.set_command(tlm::TLM_WRITE_COMMAND);
  access.set_address(0);
  tlm::tlm_dmi direct;
  if (!memory_socket->get_direct_mem_ptr(access, direct) || !direct.is_read_write_allowed() || direct.get_start_address() != 0)
    SC_REPORT_ERROR("tributary/stream_gpu",
                    (std::string("the memory of ") + name() + " grants no direct access to all that it has").c_str());
  return reinterpret_cast<std::byte*>(direct.get_dmi_ptr());
}

void StreamGpu::resize_memory(std::uint64_t bytes) {
  core_->memory().set(nullptr, 0);
  memory_->resize(bytes);
}

Tick StreamGpu::run_core(Inbox& inbox, Tick horizon) {
  inbox.take_packets(horizon, [this](unsigned port, Packet* packet, Tick head, Tick tail) {
    core_->accept(port, packet, head, tail);
  });
  return core_->run_until(horizon);
}

void StreamGpu::add_waiting(std::vector<std::string>& lines) const {
  for (std::size_t e = 0; e < engines_.size(); ++e)
    for (const std::string& line : engines_[e]->waiting()) lines.push_back("engine" + std::to_string(e) + ": " + line);
}

void StreamGpu::reset() {
  CoreDevice::reset();
  for (const auto& engine : engines_) engine->reset();
  memory_->reset();
}

void StreamGpu::describe(ProbeDirectory& directory) {
  CoreDevice::describe(directory);
  for (const auto& engine : engines_) engine->describe(directory);
  memory_->describe(directory);
}

}  // namespace tributary
