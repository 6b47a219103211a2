#include "modules/netreduce/accelerator.h"

#include <algorithm>
#include <stdexcept>

#include "modules/base/sysc/wait_error.h"
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

}  // namespace

Accelerator::Accelerator(const sc_core::sc_module_name& name, const Config& config, const Parts& parts, PacketPool& pool)
    : EthernetDevice(name, delay_of(config), config.ports, pool, config.arena) {
  make_parts(config, parts);
  core_ = std::make_unique<AcceleratorCore>(
      AcceleratorCore::Config{config.params, config.rules, true, config.pausing, config.shares},
      AcceleratorCore::Parts{icrc.port(), connections.port(), slots.port(), translations.port(), headers.port(),
                             payloads.port(), combinator.port()},
      links(), pool);
}

void Accelerator::make_parts(const Config& config, const Parts& parts) {
  make_part<IcrcUnit>(icrc, "icrc", parts.icrc, config, config.checking, config.format);
  make_part<ConnectionLookupTable>(connections, "clt", parts.connections, config, config.window, config.rules);
  make_part<StateManager>(slots, "state", parts.slots, config, config.rules);
  make_part<ConnectionTranslationTable>(translations, "ctt", parts.translations, config);
  make_part<HeaderManager>(headers, "headers", parts.headers, config);
  make_part<CombinatorModule>(combinator, "combinator", parts.combinator, config, config.params);
  if (parts.payloads) return payloads.bind(parts.payloads("payloads", config));
  auto own = std::make_unique<PayloadBufferModule>("payloads");
  PayloadBuffer& core = own->core;
  payloads.bind(std::move(own), &core);
}

bool Accelerator::calls_directly(const sc_core::sc_object& part) const {
  return icrc.calls_directly(part) || connections.calls_directly(part) || slots.calls_directly(part) ||
         translations.calls_directly(part) || headers.calls_directly(part) || combinator.calls_directly(part) ||
         payloads.calls_directly(part);
}

Tick Accelerator::run_core(Inbox& inbox, Tick horizon) {
  inbox.take_packets(horizon,
                     [this](unsigned port, Packet* frame, Tick head, Tick tail) { core_->accept(port, frame, head, tail); });
  const Tick next = core_->run_until(horizon);
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
  access_.set_command(command);
  access_.set_address(address);
  access_.set_data_ptr(reinterpret_cast<unsigned char*>(data));
  access_.set_data_length(bytes);
  access_.set_streaming_width(bytes);
  access_.set_byte_enable_ptr(nullptr);
  access_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  access_.set_dmi_allowed(false);
  interval_.interval = 0;
  const Tick kernel = kernel_now();
  sc_core::sc_time delay = to_sc_time(now > kernel ? now - kernel : 0);
  const sc_core::sc_time before = delay;
  try {
    socket->b_transport(access_, delay);
  } catch (const sc_core::sc_report& report) {
    report_wait(report, "memory", socket.name());
  }
  if (!access_.is_response_ok()) throw std::runtime_error(std::string(socket.name()) + ": " + access_.get_response_string());
  return {(delay - before).value(), interval_.interval};
}

}  // namespace tributary
