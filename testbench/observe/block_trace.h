#pragma once
/// BlockTrace: records the events of one block or chunk over the whole machine.

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

/// An event of the block or chunk; all packets of a chunk on one link are one event.
struct BlockEvent {
  /// In causal order: an operand is added after its arrival, and sent after its addition.
  enum class Kind : std::uint8_t { delivered, reduced, issued, sent };
  Tick time = 0;   ///< delivered: time of the last packet
  Tick end = 0;    ///< sent: end of the serialisation
  Tick since = 0;  ///< delivered: time of the first packet
  Kind kind = Kind::sent;
  std::string place;  ///< `gpu3.port2>switch0_2.port3`, `switch0_2.port3.table`, `gpu3`
  // Fields of a packet.
  std::uint8_t opcode = 0;
  std::string opcode_name = {};
  std::uint16_t source = 0, destination = 0;
  std::uint16_t count = 0;  ///< operands in the packet, or so far in the entry
  unsigned packets = 1;
  std::uint16_t step = 0;  ///< issued
  // Fields of a table entry.
  ReductionEvent::Kind what = ReductionEvent::Kind::allocated;
  std::uint32_t entry = 0;
  std::uint16_t expected = 0;
  std::optional<double> operand = {}, value = {};  ///< first elements; none without data
};

/// Returns the chunk of a packet; ~0: none.
using ChunkOf = std::function<std::uint64_t(const PacketView&)>;

/// Traces one block or chunk: every row of a schedule table that sends it, every link that carries it, every entry that
/// reduces it, and every endpoint that it reaches. It must be attached before the run and outlive the last firing.
/// Nothing else is observed.
class BlockTrace : public LifeTrace {
 public:
  BlockTrace(const std::vector<DirectedLink>& links, const ProbeDirectory& probes, const BlockQuery& query,
             ChunkOf chunk_of = {});
  BlockTrace(const BlockTrace&) = delete;
  BlockTrace& operator=(const BlockTrace&) = delete;

  void reset() override { events_.clear(), chunks_.clear(); }
  std::string text(Tick epoch) const override;
  void write_waveform(const std::string& file) const override;
  /// Sorted by (time, name); events of a chunk at one device and instant are in causal order.
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
  /// Packets of a chunk by (tap, source, destination, slot, opcode) -> event.
  std::map<std::tuple<const LinkTap*, unsigned, unsigned, unsigned, unsigned>, std::size_t> chunks_;
  std::deque<LinkTap> links_;  // stable addresses, as the probes keep pointers to them
  std::deque<EntryTap> entries_;
};

/// Returns the available markers in time order: first and last operand at a table, the last completion (for a chunk at
/// its root), first and last arrival of the result.
std::vector<LifeMarker> markers_of(const std::vector<BlockEvent>& events);

/// Returns the table of time, name and event, one line each. Times are in ns from `epoch`.
std::string block_text(const BlockQuery& query, const std::vector<BlockEvent>& events, Tick epoch);

}  // namespace tributary
