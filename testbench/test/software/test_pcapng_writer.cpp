// Tests captures of frames: the bytes of the file, its order, and its decoding by tshark.
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "modules/ethernet/core/network_order.h"
#include "testbench/observe/pcapng_writer.h"
#include "testbench/observe/trace_error.h"
#include "testbench/test/harness/frame_bytes.h"
#include "testbench/test/harness/temporary_folder.h"

namespace tributary::test_pcapng_writer {

using Catch::Matchers::Contains;

namespace {

struct Record {
  Tick time;  // whole nanoseconds
  std::uint64_t interface;
  FrameBytes frame;
};

std::uint64_t little(const FrameBytes& b, std::size_t at) {
  std::uint64_t value = 0;
  for (unsigned i = 4; i-- > 0;) value = value << 8 | b.at(at + i);
  return value;
}

FrameBytes content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return FrameBytes(std::istreambuf_iterator<char>(in), {});
}

/// Calls `handle(type, at, length)` for each block; both lengths of a block must agree.
template <class Handle>
void for_each_block(const FrameBytes& b, Handle&& handle) {
  for (std::size_t at = 0; at < b.size();) {
    const std::uint64_t length = little(b, at + 4);
    REQUIRE(length % 4 == 0);
    REQUIRE(at + length <= b.size());
    REQUIRE(little(b, at + length - 4) == length);
    handle(little(b, at), at, length);
    at += length;
  }
}

std::vector<Record> records(const FrameBytes& b) {
  std::vector<Record> all;
  for_each_block(b, [&](std::uint64_t type, std::size_t at, std::uint64_t length) {
    if (type != 6) return;
    const std::uint64_t bytes = little(b, at + 20);
    REQUIRE(bytes == little(b, at + 24));
    REQUIRE(length == 32 + (bytes + 3) / 4 * 4);
    const auto begin = b.begin() + static_cast<std::ptrdiff_t>(at + 28);
    all.push_back({(little(b, at + 12) << 32 | little(b, at + 16)) * 1'000, little(b, at + 8),
                   FrameBytes(begin, begin + static_cast<std::ptrdiff_t>(bytes))});
  });
  return all;
}

/// Two links of hosts and a writer.
struct Capture {
  TemporaryFolder folder;
  std::string file = folder.file("c.pcapng");
  PacketPool pool{EthernetLink{}};
  FrameCodec codec;
  PacketProbe links[2], delivered;
  ProbeDirectory probes;
  PcapngWriter writer{file, FrameFormat{}};

  Capture() {
    probes.add("rack.host0.link.sent", links[0], "");
    probes.add("rack.switch0.port1.link.sent", links[1], "");
    probes.add("rack.host1.delivered", delivered, "");
  }
  void send(unsigned link, Tick when, FrameKind kind, unsigned bytes, std::uint32_t psn) {
    Packet* const p = make_frame(pool, kind, bytes, true);
    roce(*p).psn = psn, roce(*p).queue_pair = 0x11, roce(*p).source = 0, roce(*p).destination = 1;
    for (unsigned i = 0; i < bytes; ++i) p->payload[i] = static_cast<std::byte>(i);
    show<EthernetLink>(links[link], when, *p);
    p->release();
  }
};

}  // namespace

TEST_CASE("a capture has a section, an interface for each link, and frames without FCS", "[pure][ethernet]") {
  Capture c;
  CHECK(c.writer.attach(c.probes, {}) == 2);
  c.send(0, 3'000'000'001'999, FrameKind::write_middle, 100, 0x010203);
  c.writer.finish();
  const FrameBytes b = content(c.file);
  const std::string section =
      "0a0d0d0a30000000"
      "4d3c2b1a01000000ffffffffffffffff"
      "04000900"
      "547269627574617279000000"
      "00000000"
      "30000000";
  CHECK(FrameBytes(b.begin(), b.begin() + 48) == from_hex(section));
  // Link type Ethernet, no limit of bytes, the name of the link, nanoseconds.
  const std::string interface =
      "0100000038000000"
      "0100000000000000"
      "02001400"
      "7261636b2e686f7374302e6c696e6b2e73656e74"
      "0900010009000000"
      "00000000"
      "38000000";
  CHECK(FrameBytes(b.begin() + 48, b.begin() + 48 + 56) == from_hex(interface));
  const std::vector<Record> all = records(b);
  REQUIRE(all.size() == 1);
  CHECK(all[0].time == 3'000'000'001'000);
  CHECK(all[0].interface == 0);
  CHECK(all[0].frame.size() == EthernetFrame::bytes(FrameKind::write_middle, 100) - 4);
  const ParsedFrame p = c.codec.parse(all[0].frame.data(), all[0].frame.size(), FrameCodec::Fcs::absent);
  CHECK(p.error == FrameError::none);
  CHECK(p.header.psn == 0x010203);
  CHECK(p.payload[99] == 99);
  CHECK(c.writer.frames() == 1);
}

TEST_CASE("frames are sorted by time and link, independent of their order of arrival", "[pure][ethernet]") {
  Capture c;
  c.writer.attach(c.probes, {});
  const auto psns = [&] {
    std::vector<std::uint64_t> all;
    for (const Record& r : records(content(c.file))) all.push_back(load<3>(&r.frame[51]));
    return all;
  };
  c.send(1, 5'500, FrameKind::write_middle, 8, 3);
  c.send(1, 9'000, FrameKind::write_middle, 8, 6);
  c.send(0, 5'400, FrameKind::write_middle, 8, 1);
  c.send(0, 5'500, FrameKind::write_middle, 8, 2);
  c.writer.advance(6'000);
  CHECK(c.writer.frames() == 3);
  c.send(0, 8'000, FrameKind::write_middle, 8, 5);
  c.send(0, 6'000, FrameKind::write_middle, 8, 4);
  c.writer.advance(6'000);
  c.writer.advance(5'000);
  CHECK(c.writer.frames() == 3);
  c.writer.finish();
  CHECK(psns() == std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6});
  std::vector<std::uint64_t> interfaces;
  for (const Record& r : records(content(c.file))) interfaces.push_back(r.interface);
  CHECK(interfaces == std::vector<std::uint64_t>{0, 0, 1, 0, 0, 1});
  c.send(0, 10'000, FrameKind::write_middle, 8, 7);
  c.writer.finish();
  CHECK(c.writer.frames() == 6);
}

TEST_CASE("a frame before the watermark gets the watermark as its time, and a note", "[pure][ethernet]") {
  Capture c;
  c.writer.attach(c.probes, {"*switch0*"});
  c.writer.advance(6'000);
  c.send(0, 1'000, FrameKind::ack, 0, 1);  // not captured
  c.send(1, 5'999, FrameKind::ack, 0, 1);
  c.writer.advance(7'000);
  REQUIRE(c.writer.notes().size() == 1);
  CHECK_THAT(c.writer.notes().front(), Contains("rack.switch0.port1.link.sent") && Contains("5999 ps"));
  c.writer.finish();
  const std::vector<Record> all = records(content(c.file));
  REQUIRE(all.size() == 1);
  CHECK(all[0].time == 6'000);
}

TEST_CASE("globs select links", "[pure][ethernet]") {
  Capture c;
  CHECK(c.writer.attach(c.probes, {"rack.host?.*", "*host0*"}) == 1);
  CHECK_THROWS_AS(c.writer.attach(c.probes, {"*", "rack.host1.*"}), TraceError);  // the host has no link
  CHECK_THROWS_WITH(c.writer.attach(c.probes, {"rack.hots0.*"}),
                    Contains("'rack.hots0.*' matches no link; nearest: rack.host0.link.sent"));
  CHECK_THROWS_AS(PcapngWriter("/nonexistent/c.pcapng", FrameFormat{}), OutputError);
}

TEST_CASE("tshark reads a capture of all kinds of frames", "[pure][ethernet]") {
  if (std::system("tshark --version > /dev/null 2>&1") != 0) {
    WARN("skipped: there is no tshark (Debian package tshark)");
    return;
  }
  Capture c;
  c.writer.attach(c.probes, {});
  Tick now = 0;
  unsigned link = 0;
  for (const FrameKind kind : all_frame_kinds)
    c.send(link ^= 1, now += 1'000'500, kind, is_write(kind) ? 1023 : 0, 0xFFFFFE);
  c.writer.finish();
  const std::string command =
      "tshark -r '" + c.file +
      "' -T fields -E separator=, -e frame.time_epoch -e frame.interface_name -e frame.len -e ip.src -e ip.dst -e "
      "ip.checksum.status" +
      " -e udp.dstport -e infiniband.bth.opcode -e infiniband.bth.psn -e infiniband.bth.destqp -e infiniband.bth.padcnt" +
      " -e infiniband.aeth.syndrome.opcode -e macc.opcode -e _ws.malformed -o ip.check_checksum:TRUE 2>/dev/null";
  std::FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  for (int letter; (letter = std::fgetc(pipe)) != EOF;) text += static_cast<char>(letter);
  CHECK(pclose(pipe) == 0);
  // Opcodes, PSN and queue pair; correct IP checksums (1); a word of padding; ACK 0 and NAK 3; nothing malformed.
  CHECK(text ==
        "0.000001000,rack.switch0.port1.link.sent,1098,10.0.0.1,10.0.0.2,1,4791,6,16777214,0x000011,1,,,\n"
        "0.000002001,rack.host0.link.sent,1082,10.0.0.1,10.0.0.2,1,4791,7,16777214,0x000011,1,,,\n"
        "0.000003001,rack.switch0.port1.link.sent,1082,10.0.0.1,10.0.0.2,1,4791,8,16777214,0x000011,1,,,\n"
        "0.000004002,rack.host0.link.sent,1086,10.0.0.1,10.0.0.2,1,4791,9,16777214,0x000011,1,,,\n"
        "0.000005002,rack.switch0.port1.link.sent,1098,10.0.0.1,10.0.0.2,1,4791,10,16777214,0x000011,1,,,\n"
        "0.000006003,rack.host0.link.sent,1102,10.0.0.1,10.0.0.2,1,4791,11,16777214,0x000011,1,,,\n"
        "0.000007003,rack.switch0.port1.link.sent,62,10.0.0.1,10.0.0.2,1,4791,17,16777214,0x000011,0,0,,\n"
        "0.000008004,rack.host0.link.sent,62,10.0.0.1,10.0.0.2,1,4791,17,16777214,0x000011,0,3,,\n"
        "0.000009004,rack.switch0.port1.link.sent,74,10.0.0.1,10.0.0.2,1,4791,129,16777214,0x000011,0,,,\n"
        "0.000010005,rack.host0.link.sent,60,10.0.0.1,10.0.0.2,1,4792,,,,,,,\n"
        "0.000011005,rack.switch0.port1.link.sent,74,10.0.0.1,10.0.0.2,1,4792,,,,,,,\n"
        "0.000012006,rack.host0.link.sent,60,,,,,,,,,,0x0101,\n"
        "0.000013006,rack.switch0.port1.link.sent,60,10.0.0.1,10.0.0.2,1,9,,,,,,,\n");
}

}  // namespace tributary::test_pcapng_writer
