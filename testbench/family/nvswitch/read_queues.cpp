#include "testbench/family/nvswitch/read_queues.h"

namespace tributary {

void ReadQueues::attach(const ProbeDirectory& probes) {
  probes.for_each<PacketProbe>([&](const std::string& name, PacketProbe& probe) {
    const auto gpu = name.find(".gpu"), port = name.find(".port");
    if (gpu == std::string::npos || port == std::string::npos || !glob_match("*.output.queued", name)) return;
    Queue& queue = queues_.emplace_back();
    queue.module = name.substr(gpu + 1, port - gpu - 1) + ".dma";
    probe.attach(&queue, [](void* of, Tick ready, const PacketView& packet) {
      if (ready <= packet.born) return;  // no read
      auto& q = *static_cast<Queue*>(of);
      ++q.reads;
      q.time += static_cast<double>(ready - packet.born);
    });
  });
}

void ReadQueues::reset() {
  for (Queue& queue : queues_) queue.reads = queue.time = 0;
}

void ReadQueues::add(double time, BottleneckAccount& account) const {
  const Queue* most = nullptr;
  for (const Queue& queue : queues_)
    if (most == nullptr || queue.alone(places_) > most->alone(places_)) most = &queue;
  if (most == nullptr || most->alone(places_) == 0) return;
  account.add({BottleneckCause::window, BottleneckKind::busy, most->module, "DmaEngine", "nvswitch.gpu.dma.tx_queue",
               most->alone(places_) / time});
}

}  // namespace tributary
