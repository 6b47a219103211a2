#pragma once
/// Driver: what a session needs of one platform: its devices, and how a job becomes what they do.

#include <functional>
#include <memory>
#include <vector>

#include "modules/ethernet/core/frame_codec.h"
#include "modules/packet/packet_view.h"
#include "modules/packet/reduction_event.h"
#include "platforms/platform.h"
#include "testbench/observe/block_query.h"
#include "testbench/observe/life_trace.h"
#include "testbench/record/timeline.h"
#include "testbench/run/fluid_lowering.h"
#include "testbench/run/limit_rules.h"
#include "testbench/run/run_spec.h"
#include "testbench/workload/collective.h"

namespace tributary {

class Driver {
 public:
  virtual ~Driver() = default;

  virtual Platform& platform() = 0;
  /// Lowers a job, proves what is to be proved, and returns the memory that each of its ranks needs, whatever the driver may
  /// choose in a later iteration. Throws what lowering throws; clear() forgets it.
  virtual std::uint64_t memory_bytes(const JobSpec& job, Bytes message) = 0;
  /// What the job fills beside that, in endpoints without ranks: buffers of servers, for instance.
  virtual std::uint64_t memory_beside_ranks(const JobSpec&, Bytes) const { return 0; }
  /// Forgets all buffers.
  virtual void clear() {}
  /// Lowers it again; rank i starts at exactly start(i), at least command_latency() ahead.
  virtual void post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) = 0;
  virtual Tick command_latency() const = 0;
  /// What the job can reach at most: GB/s of algbw, as if the busiest link or cut were all; 0 when nothing crosses a link.
  virtual double bound(const JobSpec& job, Bytes message) = 0;
  /// What the ranks hold when it is done: what the collective defines, unless the method leaves more.
  virtual std::vector<Piece> results(const JobSpec& job, Bytes message) const {
    return collective_of(job.collective).result(job, message);
  }
  /// Of a packet that names a chunk (Capabilities::chunks); ~0: it belongs to none.
  virtual std::uint64_t chunk_of(const PacketView& packet) const { return packet.slot; }
  /// Of a timeline; by standard the block of its address, which belongs to one job alone.
  virtual PacketFlow flow_of(const PacketView& packet) const { return {packet.address / block_bytes}; }
  virtual PacketFlow flow_of_entry(const ReductionEvent& event) const { return {event.block}; }
  /// State of reduction that a timeline shows beside what has a ReductionProbe; the driver keeps it.
  virtual std::vector<EntrySource> entries(const ProbeDirectory&) { return {}; }
  /// Follows a block, a chunk, or what else the family says a number means (Capabilities::lives).
  virtual std::unique_ptr<LifeTrace> follow(const BlockQuery& query, const ProbeDirectory& probes);
  /// How packets are frames (Capabilities::frames).
  virtual FrameFormat frame_format() const { return {}; }
  /// What may bound its runs; asked once the platform stands (docs/limit.md).
  virtual LimitRules limits() const { return {}; }
  /// What the driver chooses by itself for the message that it posts next; none: the parameters say all. Asked before
  /// post().
  virtual std::vector<Choice> choices(const JobSpec& /*job*/, Bytes /*message*/) const { return {}; }
  /// An iteration of a message has ended with the right result in that row: the next one may be lowered in another way. Jobs
  /// and sizes are told apart by the driver. Without RunSpec::iterations nothing is told, so that messages of a run do not
  /// depend on each other. Each size begins anew with iteration 0.
  virtual void measured(const JobSpec& /*job*/, const ResultRow& /*row*/) {}
  /// What the fluid engine runs in place of packets, which refers to this driver; null: it is not offered.
  virtual std::unique_ptr<FluidLowering> fluid() { return nullptr; }
  virtual void start_background(Tick) {}
  virtual void stop_background(Tick) {}
};

}  // namespace tributary
