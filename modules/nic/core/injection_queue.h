#pragma once
/// InjectionQueue: the chunks that a network interface has to send, cut into packets one at a time.

#include <cstdint>
#include <deque>

#include "modules/base/probe.h"
#include "modules/nic/core/dma_reader.h"
#include "modules/protocol/segmentation.h"

namespace tributary {

/// Chunks go one after another. A packet is made when it is asked for, so a chunk of any size takes one place. A `Chunk` has
/// its number of `bytes` and the DMA `burst` that brings them.
template <class Chunk>
class InjectionQueue {
 public:
  explicit InjectionQueue(const FlowControlParams& params) : segmentation_(params) {}

  /// The `number`-th packet of a chunk: its part of the data, which is at hand at `ready`.
  struct Packet {
    std::uint64_t number;
    Segmentation::Segment segment;
    Tick ready;
  };

  void push(const Chunk& chunk, Tick now) {
    chunks_.push_back(chunk);
    chunks_probe_(now, chunks_.size());
  }
  bool empty() const { return chunks_.empty(); }
  std::size_t chunks() const { return chunks_.size(); }
  /// The chunk whose packet is next; only if not empty.
  const Chunk& chunk() const { return chunks_.front(); }
  Packet next() const {
    const Segmentation::Segment s = segmentation_.segment(chunk().bytes, packet_);
    return {packet_, s, chunk().burst.at(s.offset + s.bytes)};
  }
  /// The packet has been sent. True: it was the last one of its chunk, which is gone.
  bool pop(Tick now) {
    if (++packet_ < segmentation_.packets(chunk().bytes)) return false;
    packet_ = 0;
    chunks_.pop_front();
    chunks_probe_(now, chunks_.size());
    return true;
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
