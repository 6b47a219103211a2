#include "modules/streams/engine_bank.h"

#include <optional>
#include <stdexcept>
#include <typeinfo>

#include "modules/base/sysc/kernel_time.h"
#include "modules/link/link_protocol.h"
#include "modules/streams/copy_engine.h"
#include "modules/streams/core/copy_rules.h"

namespace tributary {

/// The GPU's side of the sockets to one engine.
class EngineBank::Side : private CopyBackward, private BurstForward, public BurstSource {
 public:
  Side(CopyInitiator& commands, BurstTarget& wire, EngineBank& bank) : commands_(commands), wire_(wire), bank_(bank) {
    commands.bind(static_cast<CopyBackward&>(*this));
    wire.bind(static_cast<BurstForward&>(*this));
  }
  bool submit(CopyCommand& command, Tick now) {
    CopyPhase phase = CopyPhase::submit;
    sc_core::sc_time delay = to_sc_time(now - kernel_now());
    if (rules_) rules_->submit(command);
    return commands_->nb_transport_fw(command, phase, delay) == tlm::TLM_UPDATED;
  }
  void room(std::uint32_t copy, unsigned lane, Tick now) override {
    if (rules_) rules_->room(copy, lane);
    tell(copy, lane, false, now, BurstPhase::room);
  }
  void left(std::uint32_t copy, unsigned lane, Tick now) override {
    if (rules_) rules_->left(copy, lane);
    tell(copy, lane, true, now, BurstPhase::left);
  }
  /// Checks the calls of an engine that is not ours.
  void check(const std::string& engine) { rules_.emplace(engine); }
  void set_in_kernel_time() { in_kernel_time_ = true; }
  void reset() {
    if (rules_) rules_->reset();
  }

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
    if (rules_) rules_->done(command);
    bank_.streams_->copy_done(command, kernel_now() + delay.value());
    if (in_kernel_time_) bank_.wake_();
    return tlm::TLM_ACCEPTED;
  }
  tlm::tlm_sync_enum nb_transport_fw(Burst& burst, BurstPhase&, sc_core::sc_time& delay) override {
    if (rules_) rules_->burst(burst);
    bank_.hub_->push(burst, kernel_now() + delay.value(), kernel_now());
    if (in_kernel_time_) bank_.wake_();
    return tlm::TLM_ACCEPTED;
  }
  void b_transport(Burst&, sc_core::sc_time&) override {
    throw std::logic_error("the links of a GPU do not support b_transport (legal: nb_transport_fw)");
  }
  bool get_direct_mem_ptr(Burst&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(Burst&) override { return 0; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  CopyInitiator& commands_;
  BurstTarget& wire_;
  EngineBank& bank_;
  std::optional<CopyRules> rules_;
  bool in_kernel_time_ = false;  // the engine calls from a process of its own
};

EngineBank::EngineBank(sc_core::sc_vector<CopyInitiator>& commands, sc_core::sc_vector<BurstTarget>& wires)
    : commands_(commands), wires_(wires) {
  for (std::size_t e = 0; e < commands.size(); ++e) sides_.push_back(std::make_unique<Side>(commands[e], wires[e], *this));
}

EngineBank::~EngineBank() = default;

void EngineBank::make(const std::function<std::unique_ptr<CopyEngineModule>(const char* name, unsigned number)>& engine,
                      TargetModule<>& memory) {
  for (std::size_t e = 0; e < sides_.size(); ++e) {
    engines_.push_back(engine(("engine" + std::to_string(e)).c_str(), static_cast<unsigned>(e)));
    commands_[e].bind(engines_.back()->commands);
    engines_.back()->wire.bind(wires_[e]);
    engines_.back()->memory.bind(memory.socket);
    if (late_) engines_.back()->offer(*late_);
    if (const CopyEngineModule& made = *engines_.back(); typeid(made) != typeid(CopyEngine)) sides_[e]->check(made.name());
    if (dynamic_cast<const KernelTimePart*>(engines_.back().get()) != nullptr && wake_) sides_[e]->set_in_kernel_time();
  }
}

BurstSource& EngineBank::source(unsigned engine) { return *sides_[engine]; }

bool EngineBank::submit(unsigned engine, CopyCommand& command, Tick now) { return sides_[engine]->submit(command, now); }

void EngineBank::offer_late_answers(const std::string& memory, AnswerHost* host) {
  late_ = std::make_unique<LateAnswers>(memory);
  if (host != nullptr) late_->set_host(*host);
}

void EngineBank::add_waiting(std::vector<std::string>& lines) const {
  for (std::size_t e = 0; e < engines_.size(); ++e)
    for (const std::string& line : engines_[e]->waiting()) lines.push_back("engine" + std::to_string(e) + ": " + line);
}

void EngineBank::reset() {
  for (const auto& side : sides_) side->reset();
  for (const auto& engine : engines_) engine->restart();
  if (late_) late_->reset();
}

void EngineBank::describe(ProbeDirectory& directory) {
  for (const auto& engine : engines_) engine->describe(directory);
}

}  // namespace tributary
