#include "testbench/observe/packet_latency.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tributary {

PacketLatency::Stripe& PacketLatency::stripe(unsigned lane) {
  while (stripes_.size() <= lane) stripes_.push_back({this, std::vector<LatencyHistogram>(classes_)});
  return stripes_[lane];
}

void PacketLatency::attach(PacketProbe& delivered, unsigned lane) {
  delivered.attach(&stripe(lane), [](void* observer, Tick time, const PacketView& packet) {
    auto& own = *static_cast<Stripe*>(observer);
    const std::size_t of_class = own.all->class_of_gpu_.empty() ? 0 : own.all->class_of_gpu_[packet.source];
    own.histograms[of_class].record(time - packet.born);
  });
}

void PacketLatency::classify(std::vector<std::uint8_t> class_of_gpu) {
  class_of_gpu_ = std::move(class_of_gpu);
  const auto last = std::max_element(class_of_gpu_.begin(), class_of_gpu_.end());
  classes_ = last == class_of_gpu_.end() ? 1 : *last + std::size_t{1};
  for (Stripe& of_lane : stripes_) of_lane.histograms.resize(classes_);
}

LatencyHistogram PacketLatency::histogram(std::size_t of_class) const {
  if (of_class >= classes_) throw std::out_of_range("class " + std::to_string(of_class) + " of packets");
  LatencyHistogram all;
  for (const Stripe& of_lane : stripes_) all.add(of_lane.histograms.at(of_class));
  if (!elsewhere_.empty()) all.add(elsewhere_[of_class]);
  return all;
}

std::uint64_t PacketLatency::count() const {
  std::uint64_t sum = 0;
  for (const Stripe& of_lane : stripes_)
    for (const LatencyHistogram& h : of_lane.histograms) sum += h.count();
  for (const LatencyHistogram& h : elsewhere_) sum += h.count();
  return sum;
}

void PacketLatency::reset() {
  for (Stripe& of_lane : stripes_)
    for (LatencyHistogram& h : of_lane.histograms) h.reset();
  elsewhere_.clear();
}

void PacketLatency::pack(ByteWriter& to) const {
  for (std::size_t c = 0; c < classes_; ++c) histogram(c).pack(to);
}

void PacketLatency::add(ByteReader& from) {
  elsewhere_.resize(classes_);
  for (LatencyHistogram& h : elsewhere_) h.add(LatencyHistogram::unpack(from));
}

std::size_t PacketLatency::attach(const ProbeDirectory& probes, const std::string& glob) {
  std::size_t matched = 0;
  probes.for_each<PacketProbe>([&](const std::string& name, PacketProbe& probe, unsigned lane) {
    if (!glob_match(glob, name)) return;
    attach(probe, lane);
    ++matched;
  });
  return matched;
}

}  // namespace tributary
