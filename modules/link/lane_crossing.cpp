#include "modules/link/lane_crossing.h"

namespace tributary {

void LaneMailbox::deliver(const Call& call, Tick now, const Image*& image, const std::byte*& data) {
  arrivals_.clear();
  for (unsigned i = 0; i < call.count; ++i, ++image) {
    arrivals_.emplace_back(image->after, image->duration, call.pool->adopt(image->packet, image->has_data ? data : nullptr));
    if (image->has_data) data += image->packet.payload_bytes;
  }
  LinkTransfer transfer{arrivals_.data(), nullptr, call.count, call.safe_until};
  LinkPhase phase = LinkPhase::packets;
  sc_core::sc_time delay = to_sc_time((call.count == 0 ? call.safe_until : call.first) - now);
  call.forward->nb_transport_fw(transfer, phase, delay);
}

void LaneMailbox::drain(Tick now) {
  const Image* image = images_.data();
  const LinkCredit* credit = credits_.data();
  const std::byte* data = payloads_.data();
  for (const Call& call : calls_) {
    if (call.forward != nullptr) {
      deliver(call, now, image, data);
      continue;
    }
    LinkTransfer transfer{nullptr, credit, call.count, call.safe_until};
    LinkPhase phase = LinkPhase::credits;
    sc_core::sc_time delay = to_sc_time((call.count == 0 ? call.safe_until : call.first) - now);
    call.backward->nb_transport_bw(transfer, phase, delay);
    credit += call.count;
  }
  clear();
}

void LaneMailbox::clear() {
  calls_.clear();
  images_.clear();
  credits_.clear();
  payloads_.clear();
}

}  // namespace tributary
