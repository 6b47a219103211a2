#pragma once
/// InjectionQueue: the chunks that a network interface has to send, cut into packets one at a time.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "modules/base/probe.h"
#include "modules/nic/core/dma_reader.h"
#include "modules/protocol/segmentation.h"

namespace tributary {

/// Chunks are sent in sequence, or, by an interface that is faster than its links, several simultaneously over different
/// links, each on a channel. A packet is made on demand, so a chunk of any size occupies one place. A `Chunk` has its
/// number of `bytes`, the DMA `burst` that delivers them, and the `link` that it leaves by.
template <class Chunk>
class InjectionQueue {
 public:
  explicit InjectionQueue(const FlowControlParams& params, unsigned channels = 1)
      : segmentation_(params), channels_(channels) {}

  /// Packet `number` of a chunk: its range of the data, which is available at `ready`.
  struct Packet {
    std::uint64_t number;
    Segmentation::Segment segment;
    Tick ready;
  };

  void push(const Chunk& chunk, Tick now) {
    waiting_.push_back(chunk);
    begin();
    chunks_probe_(now, ++chunks_);
  }
  bool empty() const { return chunks_ == 0; }
  std::size_t chunks() const { return chunks_; }
  unsigned channels() const { return static_cast<unsigned>(channels_.size()); }
  /// Returns true if the channel has a chunk to send.
  bool sends(unsigned channel) const { return channels_[channel].chunk.has_value(); }
  /// Chunk of the next packet, and its number since the last reset; requires sends(channel).
  const Chunk& chunk(unsigned channel = 0) const { return *channels_[channel].chunk; }
  Chunk& chunk(unsigned channel = 0) { return *channels_[channel].chunk; }
  std::uint64_t number(unsigned channel = 0) const { return channels_[channel].number; }
  Packet next(unsigned channel = 0) const {
    const Channel& c = channels_[channel];
    const Segmentation::Segment s = segmentation_.segment(c.chunk->bytes, c.packet);
    return {c.packet, s, c.chunk->burst.at(s.offset + s.bytes)};
  }
  /// Records that the packet has been sent. Returns true if it was the last one of its chunk, which is then removed.
  bool pop(Tick now, unsigned channel = 0) {
    Channel& c = channels_[channel];
    if (++c.packet < c.packets) return false;
    c.chunk.reset();
    begin();
    chunks_probe_(now, --chunks_);
    return true;
  }
  /// Sets the times of all chunks that wait for this burst of data.
  void set_burst(const DmaReader::Burst& burst) {
    const auto set = [&](Chunk& chunk) {
      if (chunk.burst.pending() && chunk.burst.ticket == burst.ticket) chunk.burst = burst;
    };
    for (Channel& c : channels_)
      if (c.chunk) set(*c.chunk);
    for (Chunk& chunk : waiting_) set(chunk);
  }
  void reset() {
    channels_.assign(channels_.size(), {});
    waiting_.clear();
    chunks_ = 0, begun_ = 0;
  }
  void describe(ProbeDirectory& directory, const std::string& prefix) {
    directory.add_signal(prefix + "chunks", chunks_probe_, SignalKind::level, counter_bits,
                         "chunks to be sent, or being sent");
  }

 private:
  struct Channel {
    std::optional<Chunk> chunk = {};
    std::uint64_t packet = 0, packets = 0;  // index of the next packet; number of packets
    std::uint64_t number = 0;
  };

  /// Assigns to each idle channel the first chunk whose link no other channel uses.
  void begin() {
    for (Channel& c : channels_) {
      if (c.chunk) continue;
      const auto used = [&](const Chunk& chunk) {
        return std::any_of(channels_.begin(), channels_.end(),
                           [&](const Channel& other) { return other.chunk && other.chunk->link == chunk.link; });
      };
      const auto next = std::find_if_not(waiting_.begin(), waiting_.end(), used);
      if (next == waiting_.end()) return;
      c.chunk = *next;
      c.packet = 0;
      c.packets = segmentation_.packets(c.chunk->bytes);
      c.number = begun_++;
      waiting_.erase(next);
    }
  }

  Segmentation segmentation_;
  std::vector<Channel> channels_;
  std::deque<Chunk> waiting_;
  std::size_t chunks_ = 0;  // includes chunks on channels
  std::uint64_t begun_ = 0;
  SignalProbe chunks_probe_;
};

}  // namespace tributary
