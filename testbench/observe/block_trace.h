#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/link/core/directed_link.h"
#include "modules/packet/packet_view.h"
#include "modules/packet/reduction_event.h"
#include "testbench/observe/block_query.h"

namespace tributary {

/// One thing that happens to the block.
struct BlockEvent {
  enum class Kind : std::uint8_t { sent, reduced, delivered };
  Tick time = 0;
  Tick end = 0;  ///< sent: the wire is free again
  Kind kind = Kind::sent;
  std::string place;  ///< `gpu3.port2>switch0_2.port3`, `switch0_2.port3.table`, `gpu3`
  // of a packet
  std::uint8_t opcode = 0;
  std::string opcode_name = {};
  std::uint16_t source = 0, destination = 0;
  std::uint16_t count = 0;  ///< operands: in the packet, or in the entry so far
  // of an entry
  ReductionEvent::Kind what = ReductionEvent::Kind::allocated;
  std::uint32_t entry = 0;
  std::uint16_t expected = 0;
  std::optional<double> operand = {}, value = {};  ///< first elements; none without data
};

/// Follows one block over the whole machine: every link that carries it, every entry that reduces it, every endpoint that it
/// reaches. Attach it before the run; it must outlive the last firing. Nothing else is observed.
class BlockTrace {
 public:
  BlockTrace(const std::vector<DirectedLink>& links, const ProbeDirectory& probes, const BlockQuery& query);
  BlockTrace(const BlockTrace&) = delete;
  BlockTrace& operator=(const BlockTrace&) = delete;

  /// Forgets what has happened so far.
  void reset() { events_.clear(); }
  /// In order of (time, place).
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
  };

  bool wanted(const PacketView& h) const;
  void on_sent(const LinkTap& tap, Tick time, const PacketView& packet);
  void on_delivered(const LinkTap& tap, Tick time, const PacketView& packet);
  void on_reduction(const EntryTap& tap, Tick time, const ReductionEvent& event);
  void attach_packets(const std::string& name, const ProbeDirectory::Entry& entry);

  BlockQuery query_;
  std::vector<BlockEvent> events_;
  std::deque<LinkTap> links_;  // stable addresses: the probes keep them
  std::deque<EntryTap> entries_;
};

/// The named instants in the life of a block.
struct BlockMarker {
  std::string name;
  Tick time;
};
/// First and last operand at a table, completion, first and last arrival of what came of it, as far as there are any, in
/// order of time.
std::vector<BlockMarker> markers_of(const std::vector<BlockEvent>& events);

/// The table of time, place and event, one line each. Times in ns from `epoch`.
std::string block_text(const BlockQuery& query, const std::vector<BlockEvent>& events, Tick epoch);

}  // namespace tributary
