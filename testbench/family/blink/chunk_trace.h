#pragma once
/// ChunkTrace: records how one chunk of a tree passes through copy engines, semaphores and kernels.

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

/// One action of a stream on the chunk, from `time` to `end`.
struct ChunkMoment {
  /// Actions at the same instant are listed in this order, causes first.
  enum class Kind : std::uint8_t {
    arrived,  ///< data from `peer` arrive in the memory of `gpu`: the first burst at `time`, the last at `end`
    waits,    ///< the stream waits for a semaphore and reads its value at `end`
    adds,     ///< a kernel adds
    ready,    ///< a copy waits for an engine and links until `end`
    copies,   ///< an engine sends the copy
    records,  ///< the stream releases a semaphore of `peer`; the packet leaves at `end`
  };
  Tick time = 0, end = 0;
  Kind kind = Kind::waits;
  unsigned gpu = 0, peer = 0;  ///< GPU of the action, GPU at the other end
  unsigned stream = 0, engine = 0, inputs = 0;
  CopyPath path = CopyPath::nvlink;
  std::uint32_t semaphore = 0, value = 0;
  std::uint64_t bytes = 0;
  std::optional<double> first = {};  ///< first element of the arrived data or the sum; empty in runs without data
};

/// Records chunk `query.block` of the schedule; chunks are numbered from 0 in the order of issue. With an endpoint in the
/// query, it shows only the actions of that GPU and the copies to it.
class ChunkTrace : public LifeTrace {
 public:
  ChunkTrace(BlinkPlatform& platform, const ProbeDirectory& probes, const BlockQuery& query, ElementType type);
  ChunkTrace(const ChunkTrace&) = delete;
  ChunkTrace& operator=(const ChunkTrace&) = delete;

  void reset() override;
  std::string text(Tick epoch) const override;
  void write_waveform(const std::string& file) const override;

  /// Returns the actions in the order of (time, kind, GPU, stream).
  std::vector<ChunkMoment> moments() const;
  std::uint64_t chunk() const { return query_.block; }

 private:
  struct Tap {
    ChunkTrace* trace;
    unsigned gpu;
  };
  /// A copy of the chunk, with the first and last arrival of its bursts.
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
  std::deque<Tap> taps_;  ///< the probes keep their addresses
};

/// Returns the named instants of a trace in order of time: the first copy begins, the last kernel ends, and the first and
/// last result arrive. A result is data that no kernel adds afterwards. Instants that do not occur are left out.
std::vector<LifeMarker> markers_of(const std::vector<ChunkMoment>& moments);

}  // namespace tributary
