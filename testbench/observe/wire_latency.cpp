#include "testbench/observe/wire_latency.h"

#include <algorithm>

namespace tributary {

void WireLatency::Flight::finish(LatencyHistogram& histogram) {
  for (const Tick end : delivered)
    if (end >= sent) histogram.record(end - sent);
  delivered.clear();
  sent = never;
}

WireLatency::Flight& WireLatency::flight_of(const PacketView& packet) {
  Flight& flight = flights_[packet.storage];
  if (flight.born != packet.born) flight.finish(histogram_), flight.born = packet.born;
  return flight;
}

void WireLatency::attach_made(Probe<const void*>& made) {
  made.attach(this, [](void* observer, const void* storage) {
    auto& self = *static_cast<WireLatency*>(observer);
    if (const auto flight = self.flights_.find(storage); flight != self.flights_.end())
      flight->second.finish(self.histogram_);
  });
}

void WireLatency::attach_sent(PacketProbe& sent) {
  sent.attach(this, [](void* observer, Tick time, const PacketView& packet) {
    Flight& flight = static_cast<WireLatency*>(observer)->flight_of(packet);
    flight.sent = std::min(flight.sent, time);
  });
}

void WireLatency::attach_delivered(PacketProbe& delivered) {
  delivered.attach(this, [](void* observer, Tick time, const PacketView& packet) {
    static_cast<WireLatency*>(observer)->flight_of(packet).delivered.push_back(time);
  });
}

LatencyHistogram WireLatency::histogram() const {
  LatencyHistogram all = histogram_;
  for (const auto& entry : flights_) Flight(entry.second).finish(all);
  return all;
}

void WireLatency::reset() {
  flights_.clear();
  histogram_.reset();
}

}  // namespace tributary
