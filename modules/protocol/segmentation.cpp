#include "modules/protocol/segmentation.h"

#include <stdexcept>

namespace tributary {

Segmentation::Segmentation(const FlowControlParams& params)
    : kind_(params.kind), payload_(static_cast<std::uint32_t>(params.payload.value)) {
  if (payload_ == 0 || payload_ % ScheduleNicLink::flit_bytes != 0)
    throw std::invalid_argument("packet payload " + to_string(params.payload) + " is not a whole number of 16 B flits");
}

void Segmentation::has_no_packet(std::uint64_t bytes, std::uint64_t index) const {
  throw std::out_of_range("packet " + std::to_string(index) + " of a chunk of " + std::to_string(packets(bytes)) +
                          " packets");
}

}  // namespace tributary
