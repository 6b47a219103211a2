#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "modules/base/probe.h"
#include "modules/link/core/directed_link.h"
#include "modules/packet/packet_view.h"
#include "modules/packet/reduction_event.h"
#include "modules/packet/schedule_event.h"
#include "testbench/observe/block_query.h"
#include "testbench/observe/life_trace.h"

namespace tributary {

/// One thing that happens to the block or chunk; all packets of a chunk that cross a link are one.
struct BlockEvent {
  /// In the order of causes: what is in is added, and what is added is sent.
  enum class Kind : std::uint8_t { delivered, reduced, issued, sent };
  Tick time = 0;   ///< delivered: of the last packet
  Tick end = 0;    ///< sent: the wire is free again
  Tick since = 0;  ///< delivered: of the first packet
  Kind kind = Kind::sent;
  std::string place;  ///< `gpu3.port2>switch0_2.port3`, `switch0_2.port3.table`, `gpu3`
  // of a packet
  std::uint8_t opcode = 0;
  std::string opcode_name = {};
  std::uint16_t source = 0, destination = 0;
  std::uint16_t count = 0;  ///< operands: in the packet, or in the entry so far
  unsigned packets = 1;
  std::uint16_t step = 0;  ///< issued
  // of an entry
  ReductionEvent::Kind what = ReductionEvent::Kind::allocated;
  std::uint32_t entry = 0;
  std::uint16_t expected = 0;
  std::optional<double> operand = {}, value = {};  ///< first elements; none without data
};

/// The chunk of a packet; ~0: none.
using ChunkOf = std::function<std::uint64_t(const PacketView&)>;

/// Follows one block or chunk over the whole machine: every row of a schedule table that sends it, every link that carries
/// it, every entry that reduces it, every endpoint that it reaches. Attach it before the run; it must outlive the last
/// firing. Nothing else is observed.
class BlockTrace : public LifeTrace {
 public:
  BlockTrace(const std::vector<DirectedLink>& links, const ProbeDirectory& probes, const BlockQuery& query,
             ChunkOf chunk_of = {});
  BlockTrace(const BlockTrace&) = delete;
  BlockTrace& operator=(const BlockTrace&) = delete;

  void reset() override { events_.clear(), chunks_.clear(); }
  std::string text(Tick epoch) const override;
  void write_waveform(const std::string& file) const override;
  /// In order of (time, place); of a chunk, what happens at one device at one instant in order of causes.
  std::vector<BlockEvent> events() const;
  const BlockQuery& query() const { return query_; }

 private:
  struct LinkTap {
    BlockTrace* trace;
    std::string place;
    const LinkMeter* link;
    const char* const* names;
  };
  struct EntryTap {
    BlockTrace* trace;
    std::string place;
    const char* const* names;
  };

  bool wanted(const PacketView& h) const;
  bool wanted(const EntryTap& tap, std::uint16_t source) const;
  void add_packet(const LinkTap& tap, Tick time, Tick end, BlockEvent::Kind kind, const PacketView& h);
  void on_sent(const LinkTap& tap, Tick time, const PacketView& packet);
  void on_delivered(const LinkTap& tap, Tick time, const PacketView& packet);
  void on_reduction(const EntryTap& tap, Tick time, const ReductionEvent& event);
  void on_row(const EntryTap& tap, Tick time, const ScheduleRowEvent& event);
  void attach_packets(const std::string& name, const ProbeDirectory::Entry& entry);

  BlockQuery query_;
  ChunkOf chunk_of_;
  std::vector<BlockEvent> events_;
  /// Of the packets of a chunk at a place: (place, source, destination, slot, opcode) -> event.
  std::map<std::tuple<const LinkTap*, unsigned, unsigned, unsigned, unsigned>, std::size_t> chunks_;
  std::deque<LinkTap> links_;  // stable addresses: the probes keep them
  std::deque<EntryTap> entries_;
};

/// First and last operand at a table, the last completion (of a chunk: that at its root), first and last arrival of what
/// came of it, as far as there are any, in order of time.
std::vector<LifeMarker> markers_of(const std::vector<BlockEvent>& events);

/// The table of time, place and event, one line each. Times in ns from `epoch`.
std::string block_text(const BlockQuery& query, const std::vector<BlockEvent>& events, Tick epoch);

}  // namespace tributary
