#pragma once
/// ReadQueues: the time in which the queues of GPUs' links are full of packets whose data are being read
/// (docs/bottleneck.md#causes).

#include <cstdint>
#include <deque>
#include <string>

#include "modules/packet/packet_view.h"
#include "testbench/run/bottleneck_rules.h"

namespace tributary {

/// A packet of the DMA engine occupies a place of its link's queue from the begin of its read on. The read ends when the
/// packet may leave.
class ReadQueues final : public BottleneckObserver {
 public:
  /// `places`: of each queue (`nvswitch.gpu.dma.tx_queue`).
  explicit ReadQueues(std::uint32_t places) : places_(places) {}

  /// Attaches to the links of GPUs.
  void attach(const ProbeDirectory& probes) override;
  void reset() override;
  /// Adds the queue with the longest sum of reads, divided by its places. The last read is a part of the path.
  void add(double time, BottleneckAccount& account) const;

 private:
  struct Queue {
    std::string module;
    double reads = 0, time = 0;  ///< packets, and the sum of their reads in ps
    double alone(double places) const { return reads > places ? time / places - time / reads : 0; }
  };

  std::uint32_t places_;
  std::deque<Queue> queues_;  // stable addresses
};

}  // namespace tributary
