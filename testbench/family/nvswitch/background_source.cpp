#include "testbench/family/nvswitch/background_source.h"

namespace tributary {

void BackgroundEngine::start_traffic(Tick t0) {
  traffic_.start(t0);
  seat_.call_from_host(EngineTimer::after_issue, traffic_.next());
}

void BackgroundEngine::run(Tick now, EngineTimer) {
  if (traffic_.next() != now) return;  // stopped in the meantime
  const BackgroundTraffic::Write write = traffic_.take();
  seat_.call(EngineTimer::after_issue, traffic_.next());
  const EngineSeat::Place place = seat_.place_of(write.address);
  if (!seat_.room(place.where.plane, now)) {
    ++traffic_.counts().skipped;
    return;
  }
  ++traffic_.counts().sent;
  Packet* packet = seat_.make(Opcode::write, Target::gpu, place, block_bytes, false, now);
  nv(*packet).destination = write.destination;
  seat_.send(packet, now);
}

void BackgroundEngine::packet(Packet* packet, Arrival, Tick now) {
  BackgroundTraffic::Counts& counts = traffic_.counts();
  if (nv(*packet).opcode == Opcode::ack) {
    ++counts.acknowledged;
  } else {
    ++counts.received;
    show<NvLink>(delivered, now, *packet);
    seat_.acknowledge(*packet, now);
  }
  packet->release();
}

void BackgroundEngine::describe(ProbeDirectory& directory, const std::string& name) {
  directory.add(name, delivered, "a write of background traffic whose last flit has arrived");
}

void BackgroundEngine::count(std::map<std::string, double>& counters) const {
  const BackgroundTraffic::Counts& counts = traffic_.counts();
  counters["background.sent"] += static_cast<double>(counts.sent);
  counters["background.skipped"] += static_cast<double>(counts.skipped);
  counters["background.delivered"] += static_cast<double>(counts.received);
  counters["background.acks"] += static_cast<double>(counts.acknowledged);
}

}  // namespace tributary
