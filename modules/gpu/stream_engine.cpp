#include "modules/gpu/stream_engine.h"

#include <algorithm>

#include "modules/base/sysc/payload_access.h"
#include "modules/link/link_protocol.h"
#include "modules/streams/copy_engine.h"

namespace tributary {

/// The GPU's memory as seen by its copy engines. They request a copy once; the rest of it is read ahead. If the memory
/// answers later, so does this.
class StreamEngine::EngineMemory : public TargetModule<>, private ClockedPart {
 public:
  EngineMemory(const sc_core::sc_module_name& name, EngineSeat seat, StreamEngine& engine)
      : TargetModule(name), seat_(seat), engine_(engine) {}

 private:
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) override {
    const unsigned bytes = std::min<unsigned>(access.get_data_length(), block_bytes);
    auto* const data = is_timing_only(access) ? nullptr : reinterpret_cast<std::byte*>(access.get_data_ptr());
    access.set_response_status(access.is_read() ? tlm::TLM_OK_RESPONSE : tlm::TLM_COMMAND_ERROR_RESPONSE);
    if (!access.is_read()) return;
    if (!DeferredAnswer::is_offered(access)) {
      delay += to_sc_time(seat_.read(access.get_address(), data, bytes));
      return;
    }
    const Tick begin = kernel_now() + delay.value(), when = seat_.read_at(access.get_address(), data, bytes, begin);
    if (when != never) {
      delay = to_sc_time(when - kernel_now());
      return;
    }
    const auto request = DeferredAnswer::defer(access, *this);
    seat_.when_read(0, nullptr, [this, ticket = request->ticket](Tick read) { answer(ticket, read); });
  }
  void answer(Ticket ticket, Tick when) {
    ticket_ = ticket, edge_ = when;
    engine_.engines_->late_answers().advance();
    engine_.core_->copy_answered();
  }
  // ClockedPart: its only edge is the answer of the GPU's memory
  Tick next() const override { return edge_; }
  void advance(Tick to, AnswerListener& listener) override {
    edge_ = never;
    listener.answered(ticket_, to);
  }
  bool out_of_order() const override { return true; }

  EngineSeat seat_;
  StreamEngine& engine_;
  Ticket ticket_ = 0;
  Tick edge_ = never;
};

namespace {

StreamEngine::Config resolved(StreamEngine::Config config) {
  config.params = config.params.resolved();
  return config;
}

}  // namespace

EngineFactory StreamEngine::factory(const Config& config) {
  return [config = resolved(config)](const char* name, EngineSeat seat) {
    return std::make_unique<StreamEngine>(name, seat, config);
  };
}

StreamEngine::StreamEngine(const sc_core::sc_module_name& name, EngineSeat seat, const Config& given)
    : EngineModule(name),
      engine_commands("engine_commands", *given.params.resolved().copy.engines),
      engine_wires("engine_wires", *given.params.resolved().copy.engines) {
  const Config config = resolved(given);
  memory_ = std::make_unique<EngineMemory>("memory", seat, *this);
  engines_ = std::make_unique<EngineBank>(engine_commands, engine_wires);
  engines_->offer_late_answers(std::string(this->name()) + ".memory", nullptr);
  engines_->wake_by([this] { core_->engine_called(kernel_now()); });
  core_ = std::make_unique<StreamEngineCore>(seat, config.params, *engines_);
  engines_->connect(core_->hub(), core_->streams());
  channels_ = std::make_unique<Channels>("channels", config.params.nccl, config.params.streams.acquire.value,
                                         ChannelEngine::Around{core_->hub(), core_->semaphores(), core_->memory(), nullptr,
                                                               multiprocessors_of(config.params.kernel)},
                                         config.channels);
  core_->set_channels(channels_->core());
  const auto make = [&](const char* engine, unsigned number) -> std::unique_ptr<CopyEngineModule> {
    const CopyParams params = config.params.copy.of_engine(number);
    if (config.make_engine) return config.make_engine(engine, params);
    return std::make_unique<CopyEngine>(engine, params);
  };
  if (!config.outside_engines) engines_->make(make, *memory_);
}

StreamEngine::~StreamEngine() = default;

TargetModule<>& StreamEngine::engine_memory() { return *memory_; }

std::vector<std::string> StreamEngine::waiting() const {
  std::vector<std::string> lines = core_->waiting();
  engines_->add_waiting(lines);
  for (std::string& line : lines) line = std::string(seat_name) + "." + line;
  return lines;
}

void StreamEngine::reset() {
  core_->reset();
  engines_->reset();
}

void StreamEngine::describe(ProbeDirectory& directory, const std::string& name) {
  core_->describe(directory, name);
  engines_->describe(directory);
}

}  // namespace tributary
