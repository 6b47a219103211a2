#pragma once
/// SlotTrace: follows one slot of NetReduce from the gradients of all hosts to their results.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "modules/netreduce/core/slot_event.h"
#include "modules/packet/packet_fate.h"
#include "platforms/netreduce/netreduce_platform.h"
#include "testbench/family/netreduce/ring_flows.h"
#include "testbench/observe/block_query.h"
#include "testbench/observe/life_trace.h"

namespace tributary {

/// Role of a frame for the slot.
enum class SlotPart : std::uint8_t {
  gradient,      ///< from a host to an accelerator
  result,        ///< from an accelerator to its receiver
  sum,           ///< sum of a leaf, to the root
  whole_sum,     ///< sum of all, from the root to a leaf
  notification,  ///< copy of the first gradient's header
  nack,          ///< NACK with the slot's PSN or an earlier one: the slot's gradient is sent again
};

/// One event of the slot.
struct SlotMoment {
  /// Ordered by cause: the order of simultaneous events.
  enum class Kind : std::uint8_t {
    delivered,  ///< the result is in memory
    slot,       ///< event of an accelerator: see `what`
    timed_out,  ///< no acknowledgement of the PSN
    rewound,    ///< the sender rewinds to the PSN
    sent,       ///< a frame starts on a link, which is free again at `end`
    fate,       ///< a frame is lost, dropped, damaged or duplicated
  };
  Tick time = 0, end = 0;
  Kind kind = Kind::sent;
  std::string place;  ///< `host0.port0>switch.port0`, `accelerator.slot`, `host0.nic`
  // Fields of a frame.
  SlotPart part = SlotPart::gradient;
  FrameKind frame = FrameKind::write_middle;
  std::uint32_t psn = 0;                      ///< PSN; in sums the packet's number in its message
  std::int64_t packet = 0;                    ///< number in the tensor of the packet that a NACK or a sender requests
  std::uint16_t source = 0, destination = 0;  ///< stations
  const char* fate = nullptr;
  // Fields of a slot.
  SlotEvent what{};                        ///< event without its pointers
  std::optional<std::uint32_t> entry;      ///< message of the connection's entry in the lookup table
  std::optional<double> operand, value{};  ///< first elements; none without data
};

/// Follows packet N of the tensor, counted from 0 through all its messages: packet o = N mod MsgLen of message m = N /
/// MsgLen. There must be one job on one ring. With an endpoint, the trace shows only the endpoint's gradients and results,
/// NACKs and rewinds of connections that begin or end there, and all events of the slot.
class SlotTrace : public LifeTrace {
 public:
  /// `flows`: those of the rings of each run; must outlive the trace.
  SlotTrace(NetReducePlatform& platform, const RingFlows& flows, const ProbeDirectory& probes, const BlockQuery& query);
  SlotTrace(const SlotTrace&) = delete;
  SlotTrace& operator=(const SlotTrace&) = delete;

  void reset() override;
  std::string text(Tick epoch) const override;
  void write_waveform(const std::string& file) const override;

  /// Returns the events ordered by (time, place); simultaneous events of one device are ordered by cause. Contains only the
  /// NACKs, timeouts and rewinds after which a gradient of the slot is sent again.
  std::vector<SlotMoment> moments() const;
  std::uint64_t packet() const { return query_.block; }
  std::uint32_t message() const { return static_cast<std::uint32_t>(query_.block / message_packets_); }
  std::uint32_t offset() const { return static_cast<std::uint32_t>(query_.block % message_packets_); }
  unsigned message_packets() const { return message_packets_; }
  /// Returns the name of a host or accelerator.
  std::string station(std::uint16_t number) const;
  bool is_host(std::uint16_t station) const { return station < platform_.endpoints(); }

 private:
  static constexpr std::uint16_t ring_number = 1;  // ring of the job
  /// Observes one probe. `part` is the role of WRITEs there.
  struct Tap {
    SlotTrace* trace;
    std::string place;
    SlotPart part = SlotPart::gradient;
    const LinkMeter* link = nullptr;
    SlotMoment::Kind kind = SlotMoment::Kind::sent;
    int host = 0;
    unsigned pair = 0;
    std::map<std::uint64_t, std::uint32_t> entries = {};  // messages by connection, for a lookup table
  };
  struct Found {
    SlotPart part;
    std::int64_t packet;
  };

  void attach_links(const ProbeDirectory& probes);
  void attach_hosts(const ProbeDirectory& probes);
  void attach_accelerators(const ProbeDirectory& probes);
  void attach_fate(const ProbeDirectory& probes, const std::string& name, const std::string& place, SlotPart part);
  Tap& tap(const std::string& place, SlotPart part = SlotPart::gradient) {
    return taps_.emplace_back(Tap{this, place, part});
  }

  std::optional<Found> find(const RoceHeader& header, SlotPart of_write);
  bool wanted(const SlotMoment& moment) const;
  void on_frame(const Tap& tap, Tick time, const PacketView& packet, const char* fate);
  void on_slot(const Tap& tap, Tick time, const SlotEvent& event);
  void on_sender(const Tap& tap, Tick time, std::uint32_t psn);
  /// Returns the PSN of this slot's packet in a connection that starts with PSN `first`.
  std::uint32_t psn_of(std::uint32_t first) const { return Psn::add(first, static_cast<std::int64_t>(query_.block)); }

  NetReducePlatform& platform_;
  const RingFlows& flows_;
  BlockQuery query_;
  unsigned message_packets_;
  std::vector<SlotMoment> moments_;
  std::deque<Tap> taps_;  // stable addresses: the probes keep them
};

/// Returns the named instants of the life that exist, in order of time: the first host, and the last host for the first
/// time, sends its gradient; completion: the sum of all ranks leaves the adders; the first and the last host have the result
/// in memory; the first lost, damaged or dropped frame, NACK, timeout and rewind; the first repetition of the sum.
std::vector<LifeMarker> markers_of(const std::vector<SlotMoment>& moments);

/// Returns the first word of the fate of a frame.
inline std::string first_word(const std::string& fate) { return fate.substr(0, fate.find_first_of(": ")); }

}  // namespace tributary
