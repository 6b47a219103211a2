#include "testbench/observe/packet_latency.h"

#include <algorithm>

namespace tributary {

void PacketLatency::attach(PacketProbe& delivered) {
  delivered.attach(this, [](void* observer, Tick time, const PacketView& packet) {
    auto& self = *static_cast<PacketLatency*>(observer);
    const std::size_t of_class = self.class_of_gpu_.empty() ? 0 : self.class_of_gpu_[packet.source];
    self.histograms_[of_class].record(time - packet.born);
  });
}

void PacketLatency::classify(std::vector<std::uint8_t> class_of_gpu) {
  class_of_gpu_ = std::move(class_of_gpu);
  const auto last = std::max_element(class_of_gpu_.begin(), class_of_gpu_.end());
  histograms_.resize(last == class_of_gpu_.end() ? 1 : *last + std::size_t{1});
}

std::uint64_t PacketLatency::count() const {
  std::uint64_t sum = 0;
  for (const LatencyHistogram& h : histograms_) sum += h.count();
  return sum;
}

void PacketLatency::reset() {
  for (LatencyHistogram& h : histograms_) h.reset();
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
