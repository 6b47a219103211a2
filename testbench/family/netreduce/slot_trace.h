#pragma once
/// SlotTrace: one slot of NetReduce followed from the gradients of all hosts to their results.

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

/// What a frame is for the slot.
enum class SlotPart : std::uint8_t {
  gradient,      ///< on its way to an accelerator
  result,        ///< on its way to its receiver
  sum,           ///< of a leaf, on its way to the root
  whole_sum,     ///< of the root, on its way to a leaf
  notification,  ///< copy of the first gradient's header
  nack,          ///< its PSN is the slot's or lies before it: the slot's gradient is sent again
};

/// One thing that happens to the slot.
struct SlotMoment {
  /// In the order of causes at one instant.
  enum class Kind : std::uint8_t {
    delivered,  ///< the result lies in memory
    slot,       ///< of an accelerator: see `what`
    timed_out,  ///< no acknowledgement of that PSN
    rewound,    ///< the sender goes back to that PSN
    sent,       ///< a frame goes on a link, which is free again at `end`
    fate,       ///< a frame does not go on as it is
  };
  Tick time = 0, end = 0;
  Kind kind = Kind::sent;
  std::string place;  ///< `host0.port0>switch.port0`, `accelerator.slot`, `host0.nic`
  // of a frame
  SlotPart part = SlotPart::gradient;
  FrameKind frame = FrameKind::write_middle;
  std::uint32_t psn = 0;                      ///< of sums the packet's number in its message
  std::int64_t packet = 0;                    ///< number in the tensor of the packet that a NACK or a sender asks for
  std::uint16_t source = 0, destination = 0;  ///< stations
  const char* fate = nullptr;
  // of a slot
  SlotEvent what{};                        ///< without its pointers
  std::optional<std::uint32_t> entry;      ///< message of the connection's entry in the lookup table
  std::optional<double> operand, value{};  ///< first elements; none without data
};

/// Block N is packet N of the tensor, from 0 on, counted through all its messages: packet o = N mod MsgLen of message
/// m = N / MsgLen. The job is the only one, on one ring. With an endpoint: only its gradients, its results, NACKs and
/// rewinds of connections that begin or end there, and all that happens to the slot.
class SlotTrace : public LifeTrace {
 public:
  /// `flows` of the rings of each run; it outlives the trace.
  SlotTrace(NetReducePlatform& platform, const RingFlows& flows, const ProbeDirectory& probes, const BlockQuery& query);
  SlotTrace(const SlotTrace&) = delete;
  SlotTrace& operator=(const SlotTrace&) = delete;

  void reset() override;
  std::string text(Tick epoch) const override;
  void write_waveform(const std::string& file) const override;

  /// In order of (time, place); what happens at one device at one instant in order of causes. Of NACKs, timeouts and
  /// rewinds those after which a gradient of the slot that has been sent before is sent again.
  std::vector<SlotMoment> moments() const;
  std::uint64_t packet() const { return query_.block; }
  std::uint32_t message() const { return static_cast<std::uint32_t>(query_.block / message_packets_); }
  std::uint32_t offset() const { return static_cast<std::uint32_t>(query_.block % message_packets_); }
  unsigned message_packets() const { return message_packets_; }
  /// Name of a host or accelerator.
  std::string station(std::uint16_t number) const;
  bool is_host(std::uint16_t station) const { return station < platform_.endpoints(); }

 private:
  static constexpr std::uint16_t ring_number = 1;  // of the job
  /// Observes one probe. The part is that of WRITEs there.
  struct Tap {
    SlotTrace* trace;
    std::string place;
    SlotPart part = SlotPart::gradient;
    const LinkMeter* link = nullptr;
    SlotMoment::Kind kind = SlotMoment::Kind::sent;
    int host = 0;
    unsigned pair = 0;
    std::map<std::uint64_t, std::uint32_t> entries = {};  // of a lookup table: messages by connection
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
  /// PSN of this slot's packet in a connection with that first PSN.
  std::uint32_t psn_of(std::uint32_t first) const { return Psn::add(first, static_cast<std::int64_t>(query_.block)); }

  NetReducePlatform& platform_;
  const RingFlows& flows_;
  BlockQuery query_;
  unsigned message_packets_;
  std::vector<SlotMoment> moments_;
  std::deque<Tap> taps_;                         // stable addresses: the probes keep them
};

/// The named instants of its life, as far as there are any, in order of time: the first host sends its gradient, the last one
/// does for the first time; completion: the sum of all ranks leaves the adders; the first and the last host have the result
/// in memory; the first frame that is lost, damaged or dropped, NACK, timeout and rewind, and the first time that the sum
/// leaves again.
std::vector<LifeMarker> markers_of(const std::vector<SlotMoment>& moments);

/// Of what has become of a frame.
inline std::string first_word(const std::string& fate) { return fate.substr(0, fate.find_first_of(": ")); }

}  // namespace tributary
