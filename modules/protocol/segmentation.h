#pragma once
/// Segmentation: cuts a chunk of data into packets and flits, with packet-based or message-based flow control (Huang et
/// al., ISCA 2021, IV-B).

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "modules/base/units.h"
#include "modules/protocol/flit_code.h"
#include "modules/protocol/schedule_nic.h"

namespace tributary {

enum class FlowControl : std::uint8_t { packet, message };
template <>
struct EnumNames<FlowControl> {
  static const std::vector<std::pair<FlowControl, std::string>>& names() {
    static const std::vector<std::pair<FlowControl, std::string>> n{{FlowControl::packet, "packet"},
                                                                    {FlowControl::message, "message"}};
    return n;
  }
};

struct FlowControlParams {
  FlowControl kind = FlowControl::packet;
  Bytes payload = 256_B;
};
template <class V>
void visit(V& v, FlowControlParams& p) {
  v.field("kind", p.kind,
          Note("packet: a head flit for each packet; message: one head flit for a whole chunk, none for its sub-packets")
              .source("MultiTree IV-B [P]"));
  v.field("payload", p.payload,
          Note("payload of a packet or sub-packet")
              .role(ParameterRole::shape)
              .source("MultiTree Table III [P]")
              .range("16B", "9KiB")
              .multiple_of("16B"));
}

/// Cuts a chunk into packets. Packet-based: each packet has a head flit. Message-based: only the first sub-packet has one;
/// a sub-packet ends with a sub-tail, the last one with the tail. An empty chunk has no packets.
class Segmentation {
 public:
  /// Throws std::invalid_argument if the payload is not a whole number of flits.
  explicit Segmentation(const FlowControlParams& params);

  struct Segment {
    std::uint64_t offset;  ///< offset of its payload in the chunk, in bytes
    std::uint32_t bytes;   ///< payload bytes; the last flit of the chunk is not padded
    std::uint32_t flits;
    FlitCode first, last;  ///< flits between these two are bodies
  };
  std::uint64_t packets(std::uint64_t bytes) const { return (bytes + payload_ - 1) / payload_; }
  /// Throws std::out_of_range if the chunk has no such packet.
  Segment segment(std::uint64_t bytes,
                  std::uint64_t index) const {  // inline, without a division: NICs call it for each packet
    const std::uint64_t offset = index * payload_;
    if (offset >= bytes) has_no_packet(bytes, index);
    const bool message = kind_ == FlowControl::message, last = bytes - offset <= payload_;
    Segment s;
    s.offset = offset;
    s.bytes = last ? static_cast<std::uint32_t>(bytes - offset) : payload_;
    s.flits = (s.bytes + ScheduleNicLink::flit_bytes - 1) / ScheduleNicLink::flit_bytes + (!message || index == 0 ? 1 : 0);
    s.last = !message ? FlitCode::tail : last ? FlitCode::message_tail : FlitCode::sub_tail;
    s.first = !message      ? FlitCode::head
              : index == 0  ? FlitCode::message_head
              : s.flits > 1 ? FlitCode::message_body
                            : s.last;
    return s;
  }
  /// Returns the flits of the whole chunk.
  std::uint64_t flits(std::uint64_t bytes) const {
    const std::uint64_t heads = kind_ == FlowControl::packet ? packets(bytes) : std::min<std::uint64_t>(bytes, 1);
    return heads + (bytes + ScheduleNicLink::flit_bytes - 1) / ScheduleNicLink::flit_bytes;
  }
  /// Returns payload bytes / bytes on the wire: 256/272 for whole packets.
  double efficiency(std::uint64_t bytes) const {
    return static_cast<double>(bytes) / static_cast<double>(flits(bytes) * ScheduleNicLink::flit_bytes);
  }
  /// Flits of the largest packet.
  std::uint32_t largest() const { return 1 + payload_ / ScheduleNicLink::flit_bytes; }

 private:
  [[noreturn]] void has_no_packet(std::uint64_t bytes, std::uint64_t index) const;

  FlowControl kind_;
  std::uint32_t payload_;
};

}  // namespace tributary
