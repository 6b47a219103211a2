#include "modules/link/lane_crossing.h"

#include <cstring>
#include <type_traits>
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

/// Makes a list of the published batches, oldest first.
void LaneMailbox::take_published() {
  for (Batch* latest = published_.remove_all(); latest != nullptr;) {
    Batch* const batch = std::exchange(latest, latest->next);
    batch->next = std::exchange(draining_, batch);
  }
}

// A batch whose call throws stays in the list, for clear().
void LaneMailbox::drain(Tick now) {
  take_published();
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

void LaneMailbox::pack(ByteWriter& to) {
  publish();
  take_published();
  std::uint32_t batches = 0;
  for (const Batch* b = draining_; b != nullptr; b = b->next) ++batches;
  to.put(batches);
  for (; draining_ != nullptr; give_back()) draining_->pack(to);
}

void LaneMailbox::unpack(ByteReader& from, const std::deque<LaneCrossing>& crossings) {
  for (auto batches = from.get<std::uint32_t>(); batches > 0; --batches) {
    open_->unpack(from, crossings);
    publish();
  }
}

void LaneMailbox::Batch::pack(ByteWriter& to) const {
  const auto count = [&](std::size_t n) { to.put(static_cast<std::uint32_t>(n)); };
  count(calls.size());
  for (const Call& call : calls) {
    to.put(call.first), to.put(call.safe_until);
    to.put(call.count), to.put(call.crossing), to.put(call.forward != nullptr);
  }
  count(images.size());
  for (const Image& image : images) {
    to.put(image.after), to.put(image.duration), to.put(image.has_data);
    to.bytes(&image.packet, sizeof image.packet);  // adopt() reads none of its pointers
  }
  count(credits.size());
  to.bytes(credits.data(), credits.size() * sizeof(LinkCredit));
  count(payloads.size());
  to.bytes(payloads.data(), payloads.size());
}

void LaneMailbox::Batch::unpack(ByteReader& from, const std::deque<LaneCrossing>& crossings) {
  static_assert(std::is_trivially_copyable_v<Packet> && std::is_trivially_copyable_v<LinkCredit>);
  for (auto left = from.get<std::uint32_t>(); left > 0; --left) {
    Call call{};
    call.first = from.get<Tick>(), call.safe_until = from.get<Tick>();
    call.count = from.get<unsigned>(), call.crossing = from.get<unsigned>();
    const LaneCrossing& crossing = crossings.at(call.crossing);
    if (from.get<bool>())
      call.forward = &crossing.port->far_forward(), call.pool = crossing.pool;
    else
      call.backward = &crossing.port->far_backward();
    calls.push_back(call);
  }
  for (auto left = from.get<std::uint32_t>(); left > 0; --left) {
    Image& image = images.emplace_back();
    image.after = from.get<std::uint32_t>(), image.duration = from.get<std::uint32_t>();
    image.has_data = from.get<bool>();
    std::memcpy(static_cast<void*>(&image.packet), from.bytes(sizeof image.packet), sizeof image.packet);
  }
  const std::size_t count = from.get<std::uint32_t>();
  const std::byte* const row = from.bytes(count * sizeof(LinkCredit));
  credits.resize(count);
  if (count != 0) std::memcpy(credits.data(), row, count * sizeof(LinkCredit));
  const auto bytes = from.get<std::uint32_t>();
  const std::byte* data = from.bytes(bytes);
  payloads.assign(data, data + bytes);
}

}  // namespace tributary
