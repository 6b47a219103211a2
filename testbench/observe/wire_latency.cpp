#include "testbench/observe/wire_latency.h"

namespace tributary {

void WireLatency::attach_made(Probe<const void*>& made) {
  made.attach(this,
              [](void* observer, const void* storage) { static_cast<WireLatency*>(observer)->starts_.erase(storage); });
}

void WireLatency::attach_sent(PacketProbe& sent) {
  sent.attach(this, [](void* observer, Tick time, const PacketView& packet) {
    Start& start = static_cast<WireLatency*>(observer)->starts_[packet.storage];
    if (start.born == packet.born) return;  // a later hop, or a copy
    start = {packet.born, time};
  });
}

void WireLatency::attach_delivered(PacketProbe& delivered) {
  delivered.attach(this, [](void* observer, Tick time, const PacketView& packet) {
    auto& self = *static_cast<WireLatency*>(observer);
    const auto start = self.starts_.find(packet.storage);
    const bool known = start != self.starts_.end() && start->second.born == packet.born;
    if (known && time >= start->second.sent) self.histogram_.record(time - start->second.sent);
  });
}

void WireLatency::reset() {
  starts_.clear();
  histogram_.reset();
}

}  // namespace tributary
