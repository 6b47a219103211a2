#pragma once
/// InjectionQueue: the chunks that a network interface has to send, cut into packets one at a time.

#include <cstdint>
#include <deque>

#include "modules/base/probe.h"
#include "modules/nic/core/dma_reader.h"
#include "modules/nic/core/schedule_entry.h"
#include "modules/switching/core/segmentation.h"

namespace tributary {

/// Chunks go one after another. A packet is made when it is asked for, so a chunk of any size takes one place.
class InjectionQueue {
 public:
  explicit InjectionQueue(const FlowControlParams& params) : segmentation_(params) {}

  struct Chunk {
    ScheduleEntry entry;
    std::uint16_t destination;
    DmaReader::Burst burst;
  };
  /// `bytes` of the chunk from `offset` on, which are at hand at `ready`.
  struct Packet {
    const Chunk* chunk;
    Segmentation::Segment segment;
    Tick ready;
  };

  void push(const Chunk& chunk, Tick now) {
    chunks_.push_back(chunk);
    chunks_probe_(now, chunks_.size());
  }
  bool empty() const { return chunks_.empty(); }
  std::size_t chunks() const { return chunks_.size(); }
  /// The next packet; only if not empty.
  Packet next() const {
    const Chunk& c = chunks_.front();
    const Segmentation::Segment s = segmentation_.segment(c.entry.bytes, packet_);
    return {&c, s, c.burst.at(s.offset + s.bytes)};
  }
  /// It has been sent.
  void pop(Tick now) {
    if (++packet_ < segmentation_.packets(chunks_.front().entry.bytes)) return;
    packet_ = 0;
    chunks_.pop_front();
    chunks_probe_(now, chunks_.size());
  }
  void reset() { chunks_.clear(), packet_ = 0; }
  void describe(ProbeDirectory& directory, const std::string& prefix) {
    directory.add_signal(prefix + "chunks", chunks_probe_, SignalKind::level, 16, "chunks to be sent, one of them in part");
  }

 private:
  Segmentation segmentation_;
  std::deque<Chunk> chunks_;
  std::uint64_t packet_ = 0;  // of the first chunk
  SignalProbe chunks_probe_;
};

}  // namespace tributary
