#include "modules/link/lane_crossing.h"

#include <utility>

namespace tributary {

LaneMailbox::~LaneMailbox() {
  for (Batch* list : {open_, spare_, draining_, published_.remove_all(), returned_.remove_all()})
    while (list != nullptr) delete std::exchange(list, list->next);
}

bool LaneMailbox::publish() {
  if (open_->calls.empty()) return false;
  if (spare_ == nullptr) spare_ = returned_.remove_all();
  Batch* const full = open_;
  open_ = spare_ != nullptr ? std::exchange(spare_, spare_->next) : new Batch;
  open_->next = nullptr;
  published_.push(full);
  return true;
}

// A batch whose call throws stays in the list, for clear().
void LaneMailbox::drain(Tick now) {
  for (Batch* latest = published_.remove_all(); latest != nullptr;) {
    Batch* const batch = std::exchange(latest, latest->next);
    batch->next = std::exchange(draining_, batch);
  }
  while (draining_ != nullptr) {
    draining_->make_calls(now, arrivals_);
    give_back();
  }
}

void LaneMailbox::give_back() {
  Batch* const batch = std::exchange(draining_, draining_->next);
  batch->clear();
  returned_.push(batch);
}

void LaneMailbox::clear() {
  publish();
  while (draining_ != nullptr) give_back();
  draining_ = published_.remove_all();
  while (draining_ != nullptr) give_back();
}

void LaneMailbox::Batch::make_calls(Tick now, std::vector<LinkArrival>& arrivals) {
  const Image* image = images.data();
  const LinkCredit* credit = credits.data();
  const std::byte* data = payloads.data();
  for (const Call& call : calls) {
    if (call.forward != nullptr) {
      deliver(call, now, image, data, arrivals);
      continue;
    }
    LinkTransfer transfer{nullptr, credit, call.count, call.safe_until};
    LinkPhase phase = LinkPhase::credits;
    sc_core::sc_time delay = to_sc_time((call.count == 0 ? call.safe_until : call.first) - now);
    call.backward->nb_transport_bw(transfer, phase, delay);
    credit += call.count;
  }
}

void LaneMailbox::Batch::clear() {
  calls.clear();
  images.clear();
  credits.clear();
  payloads.clear();
}

void LaneMailbox::deliver(const Call& call, Tick now, const Image*& image, const std::byte*& data,
                          std::vector<LinkArrival>& arrivals) {
  arrivals.clear();
  for (unsigned i = 0; i < call.count; ++i, ++image) {
    arrivals.emplace_back(image->after, image->duration, call.pool->adopt(image->packet, image->has_data ? data : nullptr));
    if (image->has_data) data += image->packet.payload_bytes;
  }
  LinkTransfer transfer{arrivals.data(), nullptr, call.count, call.safe_until};
  LinkPhase phase = LinkPhase::packets;
  sc_core::sc_time delay = to_sc_time((call.count == 0 ? call.safe_until : call.first) - now);
  call.forward->nb_transport_fw(transfer, phase, delay);
}

}  // namespace tributary
