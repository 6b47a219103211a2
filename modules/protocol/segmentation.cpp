#include "modules/protocol/segmentation.h"

#include <stdexcept>

namespace tributary {

Segmentation::Segmentation(const FlowControlParams& params)
    : kind_(params.kind), payload_(static_cast<std::uint32_t>(params.payload.value)) {
  if (payload_ == 0 || payload_ % ScheduleNicLink::flit_bytes != 0)
    throw std::invalid_argument("packet payload " + to_string(params.payload) + " is not a whole number of 16 B flits");
}

Segmentation::Segment Segmentation::segment(std::uint64_t bytes, std::uint64_t index) const {
  const std::uint64_t count = packets(bytes);
  if (index >= count)
    throw std::out_of_range("packet " + std::to_string(index) + " of a chunk of " + std::to_string(count) + " packets");
  Segment s;
  s.offset = index * payload_;
  s.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes - s.offset, payload_));
  const bool message = kind_ == FlowControl::message, last = index + 1 == count;
  s.flits = (s.bytes + ScheduleNicLink::flit_bytes - 1) / ScheduleNicLink::flit_bytes + (!message || index == 0 ? 1 : 0);
  s.last = !message ? FlitCode::tail : last ? FlitCode::message_tail : FlitCode::sub_tail;
  s.first = !message ? FlitCode::head : index == 0 ? FlitCode::message_head : s.flits > 1 ? FlitCode::message_body : s.last;
  return s;
}

}  // namespace tributary
