#pragma once
/// Messages between a GPU and its NIC as packets of PCIe: work requests and their reports.

#include <cstdint>
#include <string>

#include "modules/ethernet/core/verbs.h"
#include "modules/pcie/pcie_framing.h"

namespace tributary {

inline constexpr unsigned pcie_message_bytes = 64;  ///< payload of a work request or a report

/// Report of a NIC, as in VerbsListener.
struct NicNotice {
  enum class Kind : std::uint8_t { completed, arrived, failed };
  Kind kind = Kind::completed;
  unsigned queue_pair = 0;
  std::uint64_t id = 0;         ///< completed
  std::uint32_t immediate = 0;  ///< arrived
  std::string why = {};         ///< failed
};

/// The packet always carries the request, which hardware reads.
Packet* make_post(PacketPool& pool, const PcieFraming& framing, unsigned queue_pair, const WriteRequest& request);
WriteRequest request_of(const Packet& post);
/// `why` is cut to the largest payload.
Packet* make_notice(PacketPool& pool, const PcieFraming& framing, const NicNotice& notice);
NicNotice notice_of(const Packet& packet);

}  // namespace tributary
