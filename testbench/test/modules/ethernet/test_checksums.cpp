// Checksums of frames against published values: the check value of CRC-32, and ICRCs of frames from real network cards.
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "modules/ethernet/core/address_plan.h"
#include "modules/ethernet/core/frame_codec.h"
#include "testbench/test/harness/frame_bytes.h"

namespace tributary::test_checksums {
namespace {

/// Frames without FCS; their last four bytes are the ICRC. Source: scapy, test/contrib/roce.uts (github.com/secdev/scapy,
/// GPL-2.0; only the bytes of the frames are used). The first three are captures, the first of them from a ConnectX-4 Lx.
const std::string cnp =
    "e41d2dab2bc27cfe90643b32080045c2003c718c4000401191610a0011010a001201000012b7002800008100ffff400001180000000000000000000"
    "00000"
    "000000000000000082fd002a";
const std::string write_only_version_1 =
    "7cfe90753cd87cfe90753cd889156020000000281b4000000000000000000000ffff0f00000200000000000000000000ffff0f0000020a70ffff000"
    "0010a"
    "80a788bc000055d4c0726000000047b3000000050000000001000000e3d856bb";
const std::string ack_version_1 =
    "7cfe90753cd87cfe90753cd889156020000000141b4000000000000000000000ffff0f00000200000000000000000000ffff0f0000021140ffff000"
    "00109"
    "00a788c00000000525f0c038";
const std::string send_ipv4 =
    "248a07a8fa22248a07a8fa22080045010040047840004011b4d5c0a80007c0a80007c00012b7002c00002460ffff000000d300cf17104630818be28"
    "935d9"
    "0e9a95505401be885e50000078f353f3";
const std::string send_ipv6 =
    "248a07a8fa22248a07a8fa2286dd6e21face002c11ff2022000000000000000000000000102320230000000000000000000000001024c00012b7002"
    "c0000"
    "2460ffff000000d300cf17104630818be28935d90e9a95505401be885e5000003e5b743b";

std::optional<std::uint32_t> icrc_of(const FrameBytes& frame) { return invariant_crc(frame.data(), frame.size() - 4); }
std::uint32_t icrc_in(const FrameBytes& frame) {
  std::uint32_t value = 0;
  for (std::size_t i = 1; i <= 4; ++i) value = value << 8 | frame[frame.size() - i];
  return value;
}

}  // namespace

TEST_CASE("the FCS is CRC-32", "[pure][ethernet]") {
  const std::string digits = "123456789";
  CHECK(frame_check_sequence(reinterpret_cast<const std::uint8_t*>(digits.data()), digits.size()) == 0xCBF43926);
}

TEST_CASE("the checksum of an IPv4 header", "[pure][ethernet]") {
  CHECK(ipv4_checksum(from_hex("45000073000040004011ffffc0a80001c0a800c7").data()) == 0xB861);
  CHECK(ipv4_checksum(from_hex(cnp).data() + 14) == 0x9161);
  CHECK(ipv4_checksum(from_hex(send_ipv4).data() + 14) == 0xB4D5);
}

TEST_CASE("the ICRC of frames from network cards", "[pure][ethernet]") {
  for (const std::string& digits : {cnp, write_only_version_1, ack_version_1, send_ipv4, send_ipv6}) {
    const FrameBytes frame = from_hex(digits);
    INFO(digits);
    CHECK(icrc_of(frame) == icrc_in(frame));
  }
}

TEST_CASE("the ICRC covers every bit except those that change on the path", "[pure][ethernet]") {
  const FrameBytes frame = from_hex(send_ipv4);
  const std::set<std::size_t> masked = {15, 22, 24, 25, 40, 41, 46};  // ToS, TTL, two checksums, resv8a
  for (std::size_t byte = 14; byte < frame.size() - 4; ++byte) {
    FrameBytes changed = frame;
    changed[byte] ^= 0x01;
    INFO(byte);
    if (byte == 36 || byte == 37)  // the UDP port is no longer RoCE's
      CHECK_FALSE(icrc_of(changed));
    else
      CHECK((icrc_of(changed) == icrc_in(frame)) == (masked.count(byte) == 1));
  }
  FrameBytes ipv6 = from_hex(send_ipv6);
  ipv6[14] ^= 0x0F, ipv6[15] ^= 0xFF, ipv6[16] ^= 0xFF, ipv6[17] ^= 0xFF, ipv6[21] ^= 0xFF;  // class, label, hop limit
  CHECK(icrc_of(ipv6) == icrc_in(ipv6));
}

TEST_CASE("frames other than RoCE have no ICRC", "[pure][ethernet]") {
  const FrameBytes frame = from_hex(send_ipv4);
  for (std::size_t bytes = 0; bytes < 14 + 20 + 8 + 12; ++bytes) CHECK_FALSE(invariant_crc(frame.data(), bytes));
  FrameBytes arp = frame;
  arp[12] = 0x08, arp[13] = 0x06;
  CHECK_FALSE(icrc_of(arp));
}

TEST_CASE("captured frames are parsed as far as the model knows their fields", "[pure][ethernet]") {
  const FrameCodec codec;
  const auto parsed = [&](const std::string& digits) {
    const FrameBytes frame = from_hex(digits);
    return codec.parse(frame.data(), frame.size(), FrameCodec::Fcs::absent);
  };
  const ParsedFrame p = parsed(cnp);
  REQUIRE(p.error == FrameError::none);
  CHECK(p.header.kind == FrameKind::cnp);
  CHECK(p.header.queue_pair == 0x118);
  CHECK(p.header.ecn == static_cast<unsigned>(Ecn::capable));
  CHECK(p.header.source == 17 * 254);  // 10.0.17.1
  CHECK(p.header.destination == 18 * 254);
  CHECK(parsed(send_ipv4).error == FrameError::opcode);
  CHECK(parsed(send_ipv6).error == FrameError::not_ipv4);
  CHECK(parsed(ack_version_1).error == FrameError::not_ipv4);
  CHECK(parsed(cnp.substr(0, cnp.size() - 2) + "2b").error == FrameError::icrc);
}

TEST_CASE("every station has an address of its own", "[pure][ethernet]") {
  for (const AddressPlan& plan : {AddressPlan(), AddressPlan(4, 8), AddressPlan(1, 6), AddressPlan(32, 32)}) {
    std::set<std::uint32_t> seen;
    for (unsigned s = 0; s <= 0xFFFF; ++s) {
      const auto station = static_cast<std::uint16_t>(s);
      seen.insert(plan.ipv4(station));
      if (plan.station(plan.ipv4(station)) != station || plan.station(plan.mac(station)) != station) FAIL("station " << s);
    }
    CHECK(seen.size() == 0x10000);
  }
}

TEST_CASE("addresses encode rack and host", "[pure][ethernet]") {
  const AddressPlan addresses(4, 8);
  CHECK(addresses.ipv4(0) == 0x0A000001);   // 10.0.0.1
  CHECK(addresses.ipv4(19) == 0x0A000204);  // 10.0.2.4
  CHECK(addresses.ipv4(32) == 0x0A010000);  // the first accelerator
  CHECK(addresses.mac(19) == AddressPlan::Mac{0x02, 0x00, 10, 0, 2, 4});
  CHECK_FALSE(addresses.station(0x0A000000));  // no host 0
  CHECK_FALSE(addresses.station(0x0A000009));  // eight in a rack
  CHECK_FALSE(addresses.station(0x0A000401));  // four racks
  CHECK_FALSE(addresses.station(0xC0A80007));
  CHECK_FALSE(addresses.station(0x0A01FFFF));  // stations have 16 bits
  CHECK_FALSE(addresses.station(AddressPlan::Mac{0x06, 0x00, 10, 0, 2, 4}));
  CHECK_THROWS_AS(AddressPlan(257, 1), std::invalid_argument);
  CHECK_THROWS_AS(AddressPlan(1, 255), std::invalid_argument);
  CHECK_THROWS_AS(AddressPlan(0, 1), std::invalid_argument);
}

}  // namespace tributary::test_checksums
