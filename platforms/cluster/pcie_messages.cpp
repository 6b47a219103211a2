#include "platforms/cluster/pcie_messages.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace tributary {

static_assert(std::is_trivially_copyable_v<WriteRequest> && sizeof(WriteRequest) <= pcie_message_bytes);

Packet* make_post(PacketPool& pool, const PcieFraming& framing, unsigned queue_pair, const WriteRequest& request) {
  Packet* const p = make_pcie(pool, framing, PcieKind::post, pcie_message_bytes, true);
  pcie(*p).pair = queue_pair;
  pcie(*p).address = request.local;
  pcie(*p).bytes = request.bytes;
  std::memcpy(p->payload, &request, sizeof request);
  return p;
}

WriteRequest request_of(const Packet& post) {
  WriteRequest request;
  std::memcpy(&request, post.payload, sizeof request);
  return request;
}

Packet* make_notice(PacketPool& pool, const PcieFraming& framing, const NicNotice& notice) {
  const bool failed = notice.kind == NicNotice::Kind::failed;
  const auto text = static_cast<unsigned>(std::min<std::size_t>(notice.why.size(), Pcie::max_payload_bytes));
  Packet* const p = make_pcie(pool, framing, PcieKind::notice, failed ? text : pcie_message_bytes, failed);
  PcieHeader& h = pcie(*p);
  h.pair = notice.queue_pair;
  h.bytes = static_cast<std::uint32_t>(notice.kind);
  h.address = notice.id;
  h.tag = notice.immediate;
  if (failed && text != 0) std::memcpy(p->payload, notice.why.data(), text);
  return p;
}

NicNotice notice_of(const Packet& packet) {
  const PcieHeader& h = pcie(packet);
  NicNotice notice;
  notice.kind = static_cast<NicNotice::Kind>(h.bytes);
  notice.queue_pair = h.pair;
  notice.id = h.address;
  notice.immediate = h.tag;
  if (packet.payload != nullptr) notice.why.assign(reinterpret_cast<const char*>(packet.payload), packet.payload_bytes);
  return notice;
}

}  // namespace tributary
