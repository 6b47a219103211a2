#include "platforms/cluster/nic_times.h"

#include <algorithm>

#include "platforms/cluster/pcie_messages.h"

namespace tributary {
namespace {

constexpr unsigned small_payload = 64;  // bytes of the WRITE by which NICs are calibrated

Time rest(Time latency, Tick first) {
  constexpr Tick least = 100'000;
  return picoseconds(latency.value > first + least ? latency.value - first : least);
}

}  // namespace

RoceParams nic_after_pcie(const RoceParams& calibrated, const PcieLink& link, const MemoryParams& memory) {
  const Tick message = link.crossing(pcie_message_bytes), payload = link.crossing(small_payload);
  const Tick read = link.crossing(0) + memory.latency.value + memory.jitter.value / 2 + payload;
  RoceParams p = calibrated;
  p.tx_latency = rest(p.tx_latency, message + read);
  p.rx_latency = rest(p.rx_latency, message);
  p.completion_latency = rest(p.completion_latency, message);
  return p;
}

}  // namespace tributary
