// Frames rendered as bytes and parsed again. Offsets: Ethernet 14, IPv4 20, UDP 8, so a BTH begins at 42 and a RETH at 54.
#include <catch2/catch.hpp>
#include <cstring>

#include "modules/ethernet/core/network_order.h"
#include "testbench/test/harness/frame_bytes.h"

namespace tributary::test_frame_codec {
namespace {

constexpr std::size_t udp = 34, bth = 42, reth = 54;

struct Fixture {
  PacketPool pool{EthernetLink{}};
  FrameCodec codec;
  FrameBytes bytes;

  Fixture() = default;
  explicit Fixture(const FrameFormat& format) : codec(format) {}
  ParsedFrame parse() const { return codec.parse(bytes.data(), bytes.size()); }
  ParsedFrame through(Packet* p) {
    codec.render(*p, bytes);
    return parse();
  }
  /// Returns the first packet of message 7 of rank 2 of ring 1, 1024 B.
  Packet* tagged_first(bool with_data) {
    Packet* p = make_frame(pool, FrameKind::write_first, 1024, with_data);
    RoceHeader& h = roce(*p);
    h.address = 0x1122334455667788, h.psn = 0xABCDEF, h.queue_pair = 0x010203, h.extra = 7;
    h.source = 2, h.destination = 3, h.ring = 1, h.rank = 2, h.udp_port = 0xC002, h.tagged = 1;
    if (with_data) {
      std::memset(p->payload, 0x5A, 1024);
      store_aggregation_header({1, 2, 7, 5}, p->payload);
    }
    return p;
  }
};

}  // namespace

TEST_CASE("every frame survives rendering and parsing", "[pure][ethernet]") {
  Fixture f;
  RandomStream random(1);
  for (const FrameKind kind : all_frame_kinds)
    for (unsigned i = 0; i < 300; ++i) {
      Packet* const p = random_frame(f.pool, kind, random, 200);
      const ParsedFrame parsed = f.through(p);
      INFO(frame_kind_names[static_cast<unsigned>(kind)]
           << " with " << p->payload_bytes << " B: " << frame_error_names[static_cast<unsigned>(parsed.error)]);
      REQUIRE(parsed.error == FrameError::none);
      CHECK(parsed.header == roce(*p));
      CHECK(f.bytes.size() == EthernetFrame::bytes(kind, p->payload_bytes));
      CHECK(f.bytes.size() + EthernetFrame::preamble + EthernetFrame::gap == p->wire_bytes);
      CHECK(parsed.payload_bytes == p->payload_bytes);
      if (p->payload_bytes > 0) CHECK(std::memcmp(parsed.payload, p->payload, p->payload_bytes) == 0);
      p->release();
    }
  CHECK(f.pool.live() == 0);
}

TEST_CASE("bytes of a first packet", "[pure][ethernet]") {
  Fixture f(FrameFormat{AddressPlan(1, 6), 170, 9, 0x1000});
  Packet* const p = f.tagged_first(true);
  const ParsedFrame parsed = f.through(p);
  const std::uint8_t* const b = f.bytes.data();
  CHECK(f.bytes.size() == 1102);
  CHECK(load<6>(b) == 0x02000A000004);      // destination: host 3
  CHECK(load<6>(b + 6) == 0x02000A000003);  // source: host 2
  CHECK(load<2>(b + 12) == 0x0800);
  CHECK(b[14] == 0x45);
  CHECK(load<2>(b + 16) == 1102 - 18);
  CHECK(load<4>(b + 26) == 0x0A000003);
  CHECK(load<4>(b + 30) == 0x0A000004);
  CHECK(load<8>(b + udp) == 0xC00212B7'04280000);  // ports, length 1064, no checksum
  CHECK(load<8>(b + bth) == 0x0640FFFF'00010203);  // RC RDMA WRITE First, queue pair
  CHECK(load<4>(b + bth + 8) == 0x00ABCDEF);
  CHECK(load<8>(b + reth) == 0x1122334455667788);
  CHECK(load<4>(b + reth + 8) == 0x1000);
  CHECK(load<4>(b + reth + 12) == 5 * 1024);      // MsgLen from its own header
  CHECK(load<8>(b + 70) == 0x494E4554'00010002);  // INET, ring 1, rank 2
  CHECK(load<8>(b + 78) == 0x00000007'00050000);  // message 7 of 5 packets
  CHECK(b[86] == 0x5A);
  CHECK(parsed.message_packets == 5);
  p->release();
}

TEST_CASE("a packet without data has its aggregation header and zeros", "[pure][ethernet]") {
  Fixture f;
  Packet* const p = f.tagged_first(false);
  const ParsedFrame parsed = f.through(p);
  REQUIRE(parsed.error == FrameError::none);
  CHECK(parsed.header == roce(*p));
  CHECK(parsed.message_packets == 170);
  CHECK(parsed.write_bytes == 174'080);
  CHECK(parsed.payload[15] == 0);
  CHECK(parsed.payload[1023] == 0);
  p->release();
}

TEST_CASE("ACK, NACK, CNP and pause", "[pure][ethernet]") {
  Fixture f;
  const auto render = [&](FrameKind kind, std::uint32_t extra) {
    Packet* const p = make_frame(f.pool, kind, 0, false);
    roce(*p).psn = 0x123456, roce(*p).queue_pair = 0x42, roce(*p).extra = extra;
    f.codec.render(*p, f.bytes);
    p->release();
  };
  render(FrameKind::ack, 0x99);
  CHECK(f.bytes.size() == 66);
  CHECK(f.bytes[bth] == 0x11);
  CHECK(load<4>(&f.bytes[54]) == 0x1F000099);
  render(FrameKind::nack, 0x99);
  CHECK(load<4>(&f.bytes[54]) == 0x60000099);
  render(FrameKind::cnp, 0);
  CHECK(f.bytes.size() == 78);
  CHECK(f.bytes[bth] == 0x81);
  CHECK(f.bytes[15] >> 2 == 48);
  render(FrameKind::pause, 3 << 16 | 0x1234);
  CHECK(f.bytes.size() == 64);
  CHECK(load<6>(f.bytes.data()) == 0x0180C2000001);
  CHECK(load<8>(&f.bytes[12]) == 0x88080101'00080000);
  CHECK(load<8>(&f.bytes[20]) == 0x0000'0000'1234'0000);
}

TEST_CASE("damage is detected by the checksum that the model names", "[pure][ethernet]") {
  Fixture f;
  RandomStream random(2);
  for (const FrameKind kind : all_frame_kinds) {
    Packet* const p = random_frame(f.pool, kind, random, 64);
    const bool covered = kind != FrameKind::pause && kind != FrameKind::datagram;
    INFO(frame_kind_names[static_cast<unsigned>(kind)]);
    p->damage = fcs_wrong;
    CHECK(f.through(p).error == FrameError::fcs);
    p->damage = icrc_wrong;
    CHECK(f.through(p).error == (covered ? FrameError::icrc : FrameError::none));
    p->damage = fcs_wrong | icrc_wrong;
    CHECK(f.through(p).error == FrameError::fcs);
    p->release();
  }
}

TEST_CASE("the ICRC covers the whole shim of a virtual connection", "[pure][ethernet]") {
  Fixture f;
  RandomStream random(6);
  for (const FrameKind kind : {FrameKind::aggregate, FrameKind::notification}) {
    Packet* const p = random_frame(f.pool, kind, random, 64);
    f.codec.render(*p, f.bytes);
    const FrameBytes frame = f.bytes;
    for (std::size_t byte = bth; byte < frame.size() - 8; ++byte) {
      f.bytes = frame;
      f.bytes[byte] ^= 0x10;
      remake_fcs(f.bytes);
      INFO(byte);
      CHECK(f.parse().error == FrameError::icrc);
    }
    p->release();
  }
}

TEST_CASE("errors of each layer", "[pure][ethernet]") {
  Fixture f;
  Packet* const p = f.tagged_first(true);
  f.codec.render(*p, f.bytes);
  const FrameBytes whole = f.bytes;
  /// Changes a byte, then corrects all checksums.
  const auto error_of = [&](std::size_t place, std::uint8_t value) {
    f.bytes = whole;
    f.bytes[place] = value;
    remake_checksums(f.bytes);
    return f.parse().error;
  };
  CHECK(error_of(12, 0x86) == FrameError::not_ipv4);
  CHECK(error_of(14, 0x46) == FrameError::ip_header);
  CHECK(error_of(20, 0x20) == FrameError::ip_header);  // more fragments
  CHECK(error_of(17, 0x00) == FrameError::length);
  CHECK(error_of(23, 6) == FrameError::not_udp);
  CHECK(error_of(26, 11) == FrameError::address);
  CHECK(error_of(39, 0) == FrameError::length);
  CHECK(error_of(37, 0xFF) == FrameError::none);  // another port: a datagram
  CHECK(f.parse().header.kind == FrameKind::datagram);
  CHECK(error_of(42, 0x0C) == FrameError::opcode);  // RDMA READ request
  CHECK(error_of(42, 0x0A) == FrameError::write_length);
  CHECK(error_of(43, 0x41) == FrameError::transport_version);
  CHECK(error_of(69, 1) == FrameError::write_length);
  CHECK(error_of(70, 0) == FrameError::none);  // no tag: data
  CHECK_FALSE(f.parse().header.tagged);
  f.bytes = whole;
  f.bytes[24] ^= 1;
  CHECK(f.parse().error == FrameError::fcs);
  CHECK(f.codec.parse(f.bytes.data(), f.bytes.size() - 4, FrameCodec::Fcs::absent).error == FrameError::ip_checksum);
  CHECK(f.codec.parse(f.bytes.data(), 63).error == FrameError::too_short);
  p->release();
}

}  // namespace tributary::test_frame_codec
