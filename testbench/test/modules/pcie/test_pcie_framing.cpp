// Sizes, channels and views of PCIe packets.
#include <catch2/catch.hpp>

#include "modules/pcie/pcie_framing.h"
#include "modules/protocol/nvlink.h"
#include "modules/protocol/roce.h"
#include "modules/protocol/schedule_nic.h"

namespace tributary::test_pcie_framing {

TEST_CASE("PCIe: a burst has as many TLPs as its payload needs, and at least one", "[pure][pcie]") {
  const PcieFraming framing{256, 24};
  CHECK(framing.wire_bytes(0) == 24);
  CHECK(framing.wire_bytes(1) == 25);
  CHECK(framing.wire_bytes(256) == 280);
  CHECK(framing.wire_bytes(257) == 257 + 48);
  CHECK(framing.wire_bytes(4096) == 4096 + 16 * 24);
  PacketPool pool{Pcie{}};
  Packet* const p = make_pcie(pool, framing, PcieKind::data, 512, true);
  CHECK((p->wire_bytes == 560 && p->payload_bytes == 512 && p->payload != nullptr && p->vc == pcie_completion));
  p->release();
  CHECK_THROWS_WITH(make_pcie(pool, {64, 512}, PcieKind::write, 9216, false),
                    "a burst of 9216 B has TLPs of 82944 B (legal: at most 65535 B)");
  CHECK(pool.live() == 0);
}

TEST_CASE("PCIe: requests, posted packets and completions have channels of their own", "[pure][pcie]") {
  CHECK(vc_of(PcieKind::write) == vc_of(PcieKind::notice));  // a notice never passes the data before it
  CHECK(vc_of(PcieKind::post) == pcie_posted);
  CHECK(vc_of(PcieKind::read) == pcie_non_posted);
  CHECK(vc_of(PcieKind::data) == pcie_completion);
}

TEST_CASE("views of packets name their protocol", "[pure][pcie]") {
  PacketPool pool(framing_of<EthernetLink>());
  Packet* const p = pool.make(0, false);
  CHECK(view_of<NvLink>(*p).protocol == ProtocolId::nvlink);
  CHECK(view_of<EthernetLink>(*p).protocol == ProtocolId::ethernet);
  CHECK(view_of<Pcie>(*p).protocol == ProtocolId::pcie);
  CHECK(view_of<ScheduleNicLink>(*p).protocol == ProtocolId::network);
  p->release();
}

}  // namespace tributary::test_pcie_framing
