#include "modules/stream_gpu/stream_gpu.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "modules/base/host/wide.h"
#include "modules/base/sysc/payload_access.h"
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

unsigned StreamGpu::receive_flits(const LinkParams& link, const StreamGpuParams& params) {
  const Tick time = 3 * params.streams.acquire.value + 2 * link.latency.value;
  const Wide bytes = static_cast<Wide>(link.rate.value) * time / 1'000'000'000'000ull;
  return static_cast<unsigned>(bytes / ScheduleNicLink::flit_bytes) + 1 + 2 * largest_burst_flits;
}

namespace {

/// Platforms give automatic parameters a value; a testbench of its own has to.
void check_resolved(const std::string& name, const StreamGpu::Config& config) {
  const auto check = [&name](bool has_value, const std::string& parameter) {
    if (!has_value) throw std::invalid_argument(name + ": " + parameter + " is automatic and has no value (legal: a rate)");
  };
  check(config.core.params.kernel.rate.has_value(), "blink.kernel.rate (StreamGpuCore::Config::params)");
  for (const StreamGpu::Port& port : config.ports)
    check(port.link.rate.value != 0, "the rate of " + port.name + " (blink.nvlink.rate, Port::link)");
}

/// The edges of a memory that answers copies later.
class MemoryEdges final : public ProgramPart {
 public:
  explicit MemoryEdges(LateAnswers& answers) : answers_(answers) {}

 private:
  void post(const StreamProgram&, Tick) override {}
  Tick next() const override { return answers_.next(); }
  void handle(Tick now) override {
    while (answers_.next() <= now) answers_.advance();
  }
  bool done() const override { return true; }
  std::vector<std::string> waiting() const override {
    if (answers_.waiting() == 0) return {};
    return {"memory: " + std::to_string(answers_.waiting()) + " copies wait for its answer"};
  }
  void reset() override {}
  void describe(ProbeDirectory&, const std::string&) override {}

  LateAnswers& answers_;
};

}  // namespace

StreamGpu::StreamGpu(const sc_core::sc_module_name& name, const Config& config, PacketPool& pool, PayloadViews& views,
                     CompletionListener& listener)
    : CoreDevice(name, config.core.seen_after(), link_of(config), config.arena),
      engine_commands("engine_commands", engines_of(config)),
      engine_wires("engine_wires", engines_of(config)),
      with_data_(config.core.with_data) {
  check_resolved(this->name(), config);
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
  memory_ = config.parts.memory
                ? config.parts.memory("memory", config.core.gpu)
                : std::make_unique<DirectMemory>("memory", config.core.params.memory.latency, config.core.gpu);
  memory_socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  memory_socket.bind(memory_->socket);
  engines_ = std::make_unique<EngineBank>(engine_commands, engine_wires);
  engines_->offer_late_answers(memory_->name(), static_cast<AnswerHost*>(this));
  engines_->wake_by([this] { wake(core_->next()); });
  core_ = std::make_unique<StreamGpuCore>(config.core, set_ports(links), static_cast<LinkOutput&>(*this), pool, views,
                                          *engines_, listener);
  engines_->connect(core_->hub(), core_->streams());
  channels_ = std::make_unique<Channels>(
      "channels", config.channels, config.core.params.streams.acquire.value,
      ChannelEngine::Around{core_->hub(), core_->semaphores(), core_->memory(), &core_->memory_rate(),
                            multiprocessors_of(config.core.params.kernel)});
  core_->add_part(channels_->core());
  if (!config.parts.outside_engines) make_engines(config);
}

StreamGpu::~StreamGpu() = default;

void StreamGpu::make_engines(const Config& config) {
  const auto make = [&](const char* engine, unsigned number) -> std::unique_ptr<CopyEngineModule> {
    const CopyParams params = config.core.params.copy.of_engine(number);
    if (config.parts.engine) return config.parts.engine(engine, params);
    return std::make_unique<CopyEngine>(engine, params);
  };
  engines_->make(make, *memory_);
}

void StreamGpu::post(StreamProgram program, Tick t0) {
  std::byte* const direct = direct_memory();
  const std::uint64_t size = direct == nullptr ? 0 : memory_->size();
  core_->memory().set(direct, size);
  core_->post(std::move(program), t0, size);
  wake(core_->next());
}

/// Returns the bytes of the memory by DMI; null in runs without data.
std::byte* StreamGpu::direct_memory() {
  if (!with_data_ || memory_->size() == 0) return nullptr;
  std::byte* const direct = PayloadAccess("memory").direct_memory(memory_socket, memory_->size());
  if (direct == nullptr)
    throw std::logic_error(std::string("the memory of ") + name() + " must grant direct access to all its bytes");
  return direct;
}

void StreamGpu::resize_memory(std::uint64_t bytes) {
  core_->memory().set(nullptr, 0);
  memory_->resize(bytes);
}

Tick StreamGpu::run_core(Inbox& inbox, Tick horizon) {
  inbox.take_packets(
      horizon, [this](unsigned port, Packet* packet, Tick head, Tick tail) { core_->accept(port, packet, head, tail); });
  return core_->run_until(horizon);
}

void StreamGpu::deferred() {
  if (answers_ != nullptr) return;
  answers_ = std::make_unique<MemoryEdges>(engines_->late_answers());
  core_->add_part(*answers_);
}

void StreamGpu::add_waiting(std::vector<std::string>& lines) const { engines_->add_waiting(lines); }

void StreamGpu::reset() {
  CoreDevice::reset();
  engines_->reset();
  memory_->reset();
}

void StreamGpu::describe(ProbeDirectory& directory) {
  CoreDevice::describe(directory);
  engines_->describe(directory);
  memory_->describe(directory);
}

}  // namespace tributary
