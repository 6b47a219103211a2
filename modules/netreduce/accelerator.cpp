#include "modules/netreduce/accelerator.h"

#include "modules/base/element_limits.h"

#include <algorithm>
#include <stdexcept>

#include "modules/base/sysc/kernel_time.h"
#include "modules/link/link_protocol.h"

namespace tributary {
namespace {

/// A pause takes effect no earlier than after its reaction time.
Tick delay_of(const Accelerator::Config& config) {
  Tick delay = AcceleratorCore::delay(config.params);
  for (const auto& port : config.ports)
    if (port.pause_reaction != 0) delay = std::min(delay, port.pause_reaction);
  return delay;
}

/// Creates the module of a factory, or the model's own module, whose core is called directly.
template <class Own, class Socket, class Factory, class... Arguments>
void make_part(Socket& socket, const char* name, const Factory& factory, const Accelerator::Config& config,
               const Arguments&... arguments) {
  if (factory) return socket.bind(factory(name, config));
  auto own = std::make_unique<Own>(name, arguments...);
  auto& core = own->core;
  socket.bind(std::move(own), core);
}

template <class Part>
bool may_defer(const Part* part) {
  const auto* const facet = dynamic_cast<const DeferringBlock*>(part);
  return facet != nullptr && facet->may_defer();
}

/// A part that follows the kernel's clock needs the time that the accelerator counts for it.
template <class Part>
Tick ahead_of(const Part* part) {
  const auto* const facet = dynamic_cast<const KernelTimePart*>(part);
  return facet == nullptr ? 0 : facet->nominal_latency();
}

}  // namespace

Accelerator::Accelerator(const sc_core::sc_module_name& name, const Config& config, const Parts& parts, PacketPool& pool)
    : EthernetDevice(name, delay_of(config), config.ports, pool, config.arena),
      late_(std::string(this->name()) + ".combinator"),
      late_lookups_(std::string(this->name()) + ".clt"),
      late_translations_(std::string(this->name()) + ".ctt"),
      late_accesses_(std::string(this->name()) + ".payloads") {
  for (LateAnswers* const answers : {&late_, &late_lookups_, &late_translations_, &late_accesses_})
    answers->set_host(static_cast<AnswerHost&>(*this));
  make_parts(config, parts);
  const bool late_payloads = may_defer(payloads.part());
  if (late_payloads) payloads.offer(late_accesses_);
  core_ = std::make_unique<AcceleratorCore>(
      AcceleratorCore::Config{config.params, config.rules, true, config.pausing, config.shares},
      AcceleratorCore::Parts{icrc.port(), connections.port(), slots.port(), translations.port(), headers.port(),
                             payloads.port(), combinator.port(), parts.combinator ? &late_ : nullptr,
                             parts.connections ? &late_lookups_ : nullptr, late_payloads ? &late_accesses_ : nullptr,
                             may_defer(translations.part()) ? &late_translations_ : nullptr, ahead_of(translations.part())},
      links(), pool);
}

void Accelerator::make_parts(const Config& config, const Parts& parts) {
  make_part<IcrcUnit>(icrc, "icrc", parts.icrc, config, config.checking, config.format);
  make_part<ConnectionLookupTable>(connections, "clt", parts.connections, config, config.window, config.rules);
  make_part<StateManager>(slots, "state", parts.slots, config, config.rules);
  make_part<ConnectionTranslationTable>(translations, "ctt", parts.translations, config, translation_config(config.params));
  make_part<HeaderManager>(headers, "headers", parts.headers, config);
  make_part<CombinatorModule>(combinator, "combinator", parts.combinator, config, config.params);
  if (parts.payloads) return payloads.bind(parts.payloads("payloads", config));
  auto own = std::make_unique<PayloadBufferModule>("payloads");
  PayloadBuffer& core = own->core;
  payloads.bind(std::move(own), &core);
}

void Accelerator::begin(std::vector<AggregationRing> rings, bool with_data) {
  for (const AggregationRing& ring : rings)
    check_elements(combinator.part(), ring.type, ring.op, static_cast<unsigned>(ring.members.size()));
  core_->begin(std::move(rings), with_data, kernel_now());
}

bool Accelerator::calls_directly(const sc_core::sc_object& part) const {
  return icrc.calls_directly(part) || connections.calls_directly(part) || slots.calls_directly(part) ||
         translations.calls_directly(part) || headers.calls_directly(part) || combinator.calls_directly(part) ||
         payloads.calls_directly(part);
}

Tick Accelerator::run_core(Inbox& inbox, Tick horizon) {
  inbox.take_packets(horizon,
                     [this](unsigned port, Packet* frame, Tick head, Tick tail) { core_->accept(port, frame, head, tail); });
  Tick next = core_->run_until(horizon);
  next = std::min(next, core_->next_answer());
  return std::min(next, links().finish(horizon, safe_times(),
                                       [this](unsigned port, const EthernetLinks::Sent& sent) { core_->sent(port, sent); }));
}

std::vector<std::string> Accelerator::core_waiting() const {
  std::vector<std::string> lines = core_->waiting();
  icrc.add_waiting(lines);
  connections.add_waiting(lines);
  slots.add_waiting(lines);
  translations.add_waiting(lines);
  headers.add_waiting(lines);
  combinator.add_waiting(lines);
  if (payloads.part() != nullptr)
    for (const std::string& line : payloads.part()->waiting()) lines.push_back("payloads: " + line);
  // The lookup table knows which connections lag and explain other waits; it waits for nothing itself.
  const auto* table = dynamic_cast<const ConnectionLookupTable*>(connections.part());
  if (lines.empty() || table == nullptr) return lines;
  for (const std::string& line : table->core.table.behind_others()) lines.push_back("clt: " + line);
  return lines;
}

void Accelerator::reset_core() {
  core_->reset();
  late_.reset();
  late_lookups_.reset();
  late_translations_.reset();
  late_accesses_.reset();
  icrc.reset();
  connections.reset();
  slots.reset();
  translations.reset();
  headers.reset();
  combinator.reset();
  if (payloads.part() != nullptr) payloads.part()->reset();
}

void Accelerator::describe_core(ProbeDirectory& directory) {
  const std::string prefix = std::string(name()) + ".";
  core_->describe(directory, prefix);
  icrc.describe(directory, prefix);
  connections.describe(directory, prefix + "clt.");
  slots.describe(directory, prefix);
  translations.describe(directory, prefix + "ctt.");
  headers.describe(directory, prefix + "headers.");
  combinator.describe(directory, prefix + "combinator.");
  if (payloads.part() != nullptr) payloads.part()->describe(directory);
}

AccessTime PayloadSocket::transport(tlm::tlm_command command, std::uint64_t address, std::byte* data, unsigned bytes,
                                    Tick now) {
  const AccessTime time = access_.transport(socket, command, address, data, bytes, ahead_of_kernel(now));
  access_.check(socket, command == tlm::TLM_READ_COMMAND ? "a read" : "a write");
  return time;
}

}  // namespace tributary
