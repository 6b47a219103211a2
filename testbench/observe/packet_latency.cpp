#include "testbench/observe/packet_latency.h"

namespace tributary {

void PacketLatency::attach(PacketProbe& delivered) {
  delivered.attach(this, [](void* observer, Tick time, const Packet& packet) {
    static_cast<PacketLatency*>(observer)->histogram_.record(time - packet.born);
  });
}

std::size_t PacketLatency::attach(const ProbeDirectory& probes, const std::string& glob) {
  std::size_t matched = 0;
  probes.for_each<PacketProbe>([&](const std::string& name, PacketProbe& probe) {
    if (!glob_match(glob, name)) return;
    attach(probe);
    ++matched;
  });
  return matched;
}

}  // namespace tributary
