#include "modules/tofino/tofino_host.h"

namespace tributary {

TofinoWorker::TofinoWorker(const sc_core::sc_module_name& name, const Config& config, PacketPool& pool)
    : EthernetDevice(name, config.core.receive_latency, {config.port}, pool, config.arena),
      core_(config.core, links(), pool, *this) {}

void TofinoWorker::post(const TofinoJob& job, Tick t0) {
  core_.post(job, t0);
  wake(t0);
}

Tick TofinoWorker::run_core(Inbox& inbox, Tick horizon) {
  inbox.take_packets(horizon, [this](unsigned, Packet* frame, Tick, Tick tail) { core_.accept(frame, tail); });
  return core_.run(horizon, safe_times());
}

Tick TofinoServer::run_core(Inbox& inbox, Tick horizon) {
  inbox.take_packets(horizon, [this](unsigned, Packet* frame, Tick, Tick tail) { core_.accept(frame, tail); });
  return core_.run(horizon, safe_times());
}

}  // namespace tributary
