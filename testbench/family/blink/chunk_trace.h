#pragma once
/// ChunkTrace: one chunk of a tree followed through copy engines, semaphores and kernels.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "modules/packet/packet_view.h"
#include "modules/streams/core/stream_event.h"
#include "platforms/blink/blink_platform.h"
#include "testbench/observe/block_query.h"
#include "testbench/observe/life_trace.h"

namespace tributary {

/// One thing that a stream does for the chunk, from `time` to `end`.
struct ChunkMoment {
  /// In the order of causes at one instant.
  enum class Kind : std::uint8_t {
    arrived,  ///< the data of a copy lie in the memory of `peer`, the first of them since `time`
    waits,    ///< for a semaphore: seen at `end`
    adds,     ///< a kernel
    ready,    ///< a copy waits for an engine and its links, until `end`
    copies,   ///< an engine and links carry it
    records,  ///< tells `peer`: the packet of the semaphore leaves at `end`
  };
  Tick time = 0, end = 0;
  Kind kind = Kind::waits;
  unsigned gpu = 0, peer = 0;  ///< where it happens; the other end
  unsigned stream = 0, engine = 0, inputs = 0;
  CopyPath path = CopyPath::nvlink;
  std::uint32_t semaphore = 0, value = 0;
  std::uint64_t bytes = 0;
  std::optional<double> first = {};  ///< first element of what has arrived or been added; none without data
};

/// Chunk N of the schedule, from 0 on, in the order of issue. With an endpoint: what happens at that GPU alone, and copies
/// to it.
class ChunkTrace : public LifeTrace {
 public:
  ChunkTrace(BlinkPlatform& platform, const ProbeDirectory& probes, const BlockQuery& query, ElementType type);
  ChunkTrace(const ChunkTrace&) = delete;
  ChunkTrace& operator=(const ChunkTrace&) = delete;

  void reset() override;
  std::string text(Tick epoch) const override;
  void write_waveform(const std::string& file) const override;

  /// In order of (time, kind, GPU, stream).
  std::vector<ChunkMoment> moments() const;
  std::uint64_t chunk() const { return query_.block; }

 private:
  struct Tap {
    ChunkTrace* trace;
    unsigned gpu;
  };
  /// A copy of the chunk, and what of it has come.
  struct Transfer {
    std::size_t moment;
    std::uint64_t destination;
    Tick first = never, last = 0;
  };
  void on_command(unsigned gpu, Tick time, const StreamCommandEvent& event);
  void on_packet(unsigned gpu, Tick time, const PacketView& packet);
  ChunkMoment& open(unsigned gpu, ChunkMoment::Kind kind, Tick time, const StreamCommand& command);
  void close(unsigned gpu, Tick time, const StreamCommand& command);
  std::optional<double> element_at(unsigned gpu, std::uint64_t address) const;

  BlinkPlatform& platform_;
  BlockQuery query_;
  ElementType type_;
  std::vector<ChunkMoment> moments_;
  std::vector<Transfer> transfers_;
  std::optional<std::uint64_t> last_chunk_;  ///< of all that streams have issued; to name the legal ones
  std::deque<Tap> taps_;  // stable addresses: the probes keep them
};

/// The named instants of its life, as far as there are any, in order of time: the first copy begins; the last kernel has
/// added; first and last arrival of what is not added on.
std::vector<LifeMarker> markers_of(const std::vector<ChunkMoment>& moments);

}  // namespace tributary
