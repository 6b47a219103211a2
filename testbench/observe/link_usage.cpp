#include "testbench/observe/link_usage.h"

#include <cmath>
#include <numeric>
#include <utility>

namespace tributary {

Tick LinkUsage::Link::last_end() const {
  if (packets() == 0) return 0;
  const double seconds = static_cast<double>(counters->last_bytes) / static_cast<double>(rate.value);
  return counters->last_start + static_cast<Tick>(std::llround(seconds * 1e12));
}

double LinkUsage::Link::utilisation(Tick time) const {
  if (time == 0) return 0;
  return static_cast<double>(bytes()) / (static_cast<double>(rate.value) * static_cast<double>(time) * 1e-12);
}

std::size_t LinkUsage::add(const LinkMeter::Traffic& counters, std::string name, Bandwidth rate) {
  links_.push_back({std::move(name), rate, &counters, counters, &counters});
  return links_.size() - 1;
}

std::uint64_t LinkUsage::total_bytes() const {
  return std::accumulate(links_.begin(), links_.end(), std::uint64_t{0}, [](auto sum, auto& l) { return sum + l.bytes(); });
}

std::uint64_t LinkUsage::total_packets() const {
  return std::accumulate(links_.begin(), links_.end(), std::uint64_t{0},
                         [](auto sum, auto& l) { return sum + l.packets(); });
}

const LinkUsage::Link* LinkUsage::busiest() const {
  const Link* best = nullptr;
  double most = -1;
  for (const Link& l : links_) {
    const double seconds = static_cast<double>(l.bytes()) / static_cast<double>(l.rate.value);
    if (seconds > most) most = seconds, best = &l;
  }
  return best;
}

void LinkUsage::reset() {
  for (Link& l : links_) l.counters = l.own, l.before = *l.own;
  elsewhere_.clear();
}

void LinkUsage::pack(ByteWriter& to) const {
  for (const Link& l : links_)
    to.put(l.packets()), to.put(l.bytes()), to.put(l.counters->last_start), to.put(l.counters->last_bytes);
}

void LinkUsage::add(ByteReader& from) {
  for (Link& l : links_) {
    LinkMeter::Traffic there;
    there.packets = l.before.packets + from.get<std::uint64_t>();
    there.bytes = l.before.bytes + from.get<std::uint64_t>();
    there.last_start = from.get<Tick>(), there.last_bytes = from.get<std::uint32_t>();
    if (there.packets == l.before.packets && there.bytes == l.before.bytes) continue;
    l.counters = &elsewhere_.emplace_back(there);
  }
}

}  // namespace tributary
