// Two NICs on one wire: times and rates by arithmetic, recovery from every single loss, bounds.
#include <catch2/catch.hpp>

#include "testbench/test/harness/nic_wire.h"
#include "testbench/test/harness/waiting_lines.h"

namespace tributary::test_roce_nic {
namespace {

using Notice = NicWire::Notice;
constexpr Tick us = 1'000'000;

/// Fills both memories with bytes that encode their address.
void fill(NicWire& wire, std::size_t bytes) {
  for (auto& e : wire.ends) e.memory.bytes.assign(bytes, std::byte{0});
  for (std::size_t i = 0; i < bytes / 2; ++i) wire.ends[0].memory.bytes[i] = static_cast<std::byte>(i * 37 + i / 251);
}
/// Returns true if the first half of station 0's memory equals the second half of station 1's.
bool moved(const NicWire& wire) {
  const std::size_t half = wire.ends[0].memory.bytes.size() / 2;
  return std::memcmp(wire.ends[0].memory.bytes.data(), wire.ends[1].memory.bytes.data() + half, half) == 0;
}

}  // namespace

TEST_CASE("a WRITE of one packet takes 5.70 us to its completion", "[pure][roce]") {
  NicWire wire;  // two cables and a switch
  wire.join();
  WriteRequest r = NicWire::request(1024, 7);
  wire.ends[0].nic.post_write(0, r, 10 * us);
  CHECK(wire.ends[0].nic.outstanding(0) == 1);
  wire.run();
  // 1126 B with RETH and immediate, 86 B of the ACK, 80 ps for each byte.
  const Tick data = 1126 * 80 + 320'000, ack = 86 * 80 + 320'000;
  CHECK(wire.times(1, Notice::arrived) == std::vector<Tick>{10 * us + 1'600'000 + data + 1'300'000});
  CHECK(wire.times(0, Notice::completed) == std::vector<Tick>{10 * us + 1'600'000 + data + 700'000 + ack + 2'660'000});
  CHECK(wire.times(0, Notice::completed)[0] - 10 * us == 5'696'960);
  CHECK((wire.ends[0].notices[0].value == 7 && wire.ends[1].notices[0].value == 7));
  CHECK(wire.ends[0].nic.outstanding(0) == 0);
  CHECK((wire.ends[0].nic.waiting().empty() && wire.ends[1].nic.waiting().empty() && wire.pool.live() == 0));
}

TEST_CASE("messages of 170 packets run at 92.567 Gb/s of tensor", "[pure][roce]") {
  NicWire wire;
  wire.join();
  for (std::uint64_t m = 0; m < 20; ++m) {
    WriteRequest r = NicWire::request(174'080, m);
    r.tagged = true;
    r.data_bytes = 174'064;
    wire.ends[0].nic.post_write(0, r, 0);
  }
  wire.run();
  const std::vector<Tick> arrived = wire.times(1, Notice::arrived);
  REQUIRE(arrived.size() == 20);
  for (unsigned m = 1; m < 20; ++m) REQUIRE(arrived[m] - arrived[m - 1] == 188'040 * 80);
  CHECK(174'064 * 8.0 / (188'040 * 0.08) == Approx(92.567).epsilon(1e-5));
  CHECK(wire.count(1, FrameKind::ack) == 20);
  CHECK(wire.frames.size() == 20 * 171);
}

TEST_CASE("payloads: aggregation header, data, zeros", "[pure][roce]") {
  NicWire wire;
  wire.join();
  fill(wire, 8192);
  WriteRequest r = NicWire::request(3000, 1);
  r.tagged = true;
  r.header = {0x1234, 0x5678, 0x9ABCDEF0, 170};
  r.local = 100;
  r.data_bytes = 2500;
  r.remote = 4096;
  auto& to = wire.ends[1].memory.bytes;
  to.assign(8192, std::byte{0xFF});
  wire.ends[0].nic.post_write(0, r, 0);
  wire.run();
  const unsigned char header[] = {'I', 'N', 'E', 'T', 0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0xF0, 0, 170, 0, 0};
  CHECK(std::memcmp(&to[4096], header, 16) == 0);
  CHECK(std::memcmp(&to[4112], &wire.ends[0].memory.bytes[100], 2500) == 0);
  CHECK(std::all_of(&to[4112 + 2500], &to[4096 + 3000], [](std::byte b) { return b == std::byte{0}; }));
  CHECK((to[4095] == std::byte{0xFF} && to[4096 + 3000] == std::byte{0xFF}));
  CHECK_THROWS_AS(wire.ends[0].nic.post_write(0, NicWire::request(8193), 0), std::invalid_argument);
  CHECK_THROWS_AS(wire.ends[0].nic.post_write(1, NicWire::request(1), 0), std::out_of_range);
  CHECK_THROWS_AS(wire.ends[0].nic.add_queue_pair({10, 1, 5}), std::invalid_argument);
  CHECK_THROWS_AS(wire.ends[0].nic.add_queue_pair({1 << 24, 1, 5}), std::invalid_argument);
}

TEST_CASE("every single loss of a frame is repaired, with one rewind", "[pure][roce]") {
  RoceParams params;
  params.ack_interval = 2;
  constexpr unsigned message = 5 * 1024, messages = 2;
  // Frames of a run without loss: 10 packets, and ACKs of packets 2, 4, 5 of each message.
  for (unsigned from = 0; from < 2; ++from)
    for (unsigned lost = 0; lost < (from == 0 ? 10 : 6); ++lost) {
      CAPTURE(from, lost);
      NicWire wire(params);
      wire.join(0xFFFFFD);  // PSNs wrap within the first message
      fill(wire, 2 * message * messages);
      wire.fate = [&](unsigned s, const Packet&, unsigned nth) {
        return s == from && nth == lost ? FrameFate::drop : FrameFate::deliver;
      };
      for (unsigned m = 0; m < messages; ++m) {
        WriteRequest r = NicWire::request(message, m);
        r.local = std::uint64_t{m} * message;
        r.remote = std::uint64_t{messages + m} * message;
        wire.ends[0].nic.post_write(0, r, 0);
      }
      const Tick end = wire.run();
      CHECK(moved(wire));
      CHECK(wire.ends[1].memory.written == messages * message);  // once
      CHECK(wire.times(1, Notice::arrived).size() == messages);
      CHECK(wire.times(0, Notice::completed).size() == messages);
      CHECK(wire.pool.live() == 0);
      const bool by_timeout = (from == 0 && lost == 9) || (from == 1 && lost == 5);
      CHECK(wire.count(1, FrameKind::nack) == (from == 0 && lost != 9 ? 1u : 0u));
      CHECK(end >= (by_timeout ? 100 * us : 0));
      CHECK(end < (by_timeout ? 110 : 15) * us);
      const unsigned data =
          static_cast<unsigned>(wire.frames.size()) - wire.count(1, FrameKind::ack) - wire.count(1, FrameKind::nack);
      if (from == 1)
        CHECK(data == (lost == 5 ? 10u + 1 : 10u));    // a later ACK covers it; after the last ACK, one packet is repeated
      if (from == 0) CHECK(data == 10 + (10 - lost));  // goes back to the missing packet
    }
}

TEST_CASE("a lost NACK is repaired by the timeout", "[pure][roce]") {
  NicWire wire;
  wire.join();
  fill(wire, 2 * 10 * 1024);
  wire.fate = [&](unsigned s, const Packet& frame, unsigned nth) {
    return (s == 0 && nth == 3) || (roce(frame).kind == FrameKind::nack) ? FrameFate::drop : FrameFate::deliver;
  };
  WriteRequest r = NicWire::request(10 * 1024);
  r.remote = 10 * 1024;
  wire.ends[0].nic.post_write(0, r, 0);
  const Tick end = wire.run();
  CHECK((end > 100 * us && end < 200 * us));
  CHECK(wire.count(1, FrameKind::nack) == 1);
  CHECK(moved(wire));
}

TEST_CASE("a NACK affects the next packet that starts", "[pure][roce]") {
  NicWire wire;
  wire.join(0, 0);
  wire.fate = [](unsigned s, const Packet&, unsigned nth) {
    return s == 0 && nth == 1 ? FrameFate::drop : FrameFate::deliver;
  };
  wire.ends[0].nic.post_write(0, NicWire::request(100 * 1024), 0);
  wire.run();
  const auto from_0 = [&](const NicWire::Frame& f) { return f.from == 0; };
  std::vector<NicWire::Frame> data;
  std::copy_if(wire.frames.begin(), wire.frames.end(), std::back_inserter(data), from_0);
  unsigned again = 1;
  while (data[again].psn == again) ++again;
  CHECK(data[again].psn == 1);
  // Packet 2 reveals the gap when it is complete. The NACK leaves 700 ns later, and takes effect 700 ns after its last bit.
  const Tick nack = data[2].start + 1106 * 80 + 320'000 + 700'000;
  const Tick acts = nack + 86 * 80 + 320'000 + 700'000;
  CHECK((data[again].start >= acts && data[again].start < acts + 1106 * 80));
}

TEST_CASE("a queue pair gives up after its retries", "[pure][roce]") {
  NicWire wire;
  wire.join(850);
  wire.fate = [](unsigned s, const Packet&, unsigned) { return s == 0 ? FrameFate::drop : FrameFate::deliver; };
  wire.ends[0].nic.post_write(0, NicWire::request(340 * 1024), 0);
  wire.run(400 * us);
  std::vector<std::string> lines = wire.ends[0].nic.waiting();
  REQUIRE(lines.size() == 1);
  CHECK(cut_waiting_since(lines[0]) == 1'600'000);  // the first packet has left, and no answer has arrived
  CHECK(lines[0] == "qp0: 340 packets unacknowledged from PSN 850, timeout 3 of 7");
  CHECK(wire.times(0, Notice::failed).empty());
  wire.run();
  // The timer runs from the first packet that requests an ACK, the 256th.
  const Tick asks = (1122 + 254 * 1106) * 80;
  CHECK(wire.times(0, Notice::failed) == std::vector<Tick>{1'600'000 + 8 * (asks + 100 * us)});
  CHECK(without_times(wire.ends[0].nic.waiting()) ==
        std::vector<std::string>{"qp0: 340 packets unacknowledged from PSN 850, given up after 7 retries"});
  CHECK(wire.ends[0].failure == "queue pair 0 to host1: 340 packets unacknowledged from PSN 850, given up after 7 retries");
  for (auto& e : wire.ends) e.nic.reset(), e.links.reset();
  CHECK((wire.pool.live() == 0 && wire.ends[0].nic.waiting().empty() && wire.ends[0].nic.next() == never));
}

TEST_CASE("queue pairs share the wire packet by packet", "[pure][roce]") {
  NicWire wire;
  for (unsigned i = 0; i < 3; ++i) wire.join();
  for (unsigned i = 0; i < 3; ++i) wire.ends[0].nic.post_write(i, NicWire::request(50 * 1024, i), 0);
  wire.run();
  const std::vector<Tick> arrived = wire.times(1, Notice::arrived);
  REQUIRE(arrived.size() == 3);
  CHECK(arrived[2] - arrived[0] == 2 * 1110 * 80);
}

TEST_CASE("congestion marks return as CNPs, and pace the queue pair", "[pure][roce]") {
  RoceParams params;
  params.dcqcn.on = true;
  NicWire wire(params);
  wire.join();
  Tick marked = 0;
  wire.fate = [&](unsigned s, const Packet& frame, unsigned nth) {
    if (s == 0) CHECK(roce(frame).ecn == static_cast<std::uint8_t>(Ecn::capable));
    if (s == 0 && nth < 3) const_cast<RoceHeader&>(roce(frame)).ecn = 3, ++marked;
    return FrameFate::deliver;
  };
  wire.ends[0].nic.post_write(0, NicWire::request(200 * 1024), 0);
  wire.run(40 * us);
  CHECK(marked == 3);
  CHECK(wire.count(1, FrameKind::cnp) == 1);  // one within 4 us
  std::vector<Tick> starts;
  for (const auto& f : wire.frames)
    if (f.from == 0) starts.push_back(f.start);
  REQUIRE(starts.size() > 60);
  CHECK(starts[2] - starts[1] == 1106 * 80);
  for (unsigned i = 45; i < 60; ++i) CHECK(starts[i + 1] - starts[i] == 2 * 1106 * 80);  // half the rate
}

TEST_CASE("a pause stops data but not ACKs, and can be ended early", "[pure][roce]") {
  for (const bool lifted : {false, true}) {
    NicWire wire;
    wire.join();
    wire.ends[0].nic.post_write(0, NicWire::request(100 * 1024), 0);
    wire.ends[1].nic.post_write(0, NicWire::request(1024), 2 * us);
    const auto pause = [&](unsigned quanta, Tick when) {
      Packet* p = make_frame(wire.pool, FrameKind::pause, 0, false);
      roce(*p).extra = roce_class << 16 | quanta;
      wire.ends[1].links.push(0, p, control_class, when, when);
      wire.ends[1].links_next = when;
    };
    wire.run(2 * us);
    pause(1000, 3 * us);  // 5.12 us
    wire.run(3 * us + 700'000);
    if (lifted) pause(0, 4 * us);
    wire.run();
    const Tick there = 3 * us + 84 * 80 + 320'000, back = 4 * us + 84 * 80 + 320'000;
    Tick last = 0, longest = 0, from = 0;
    for (const auto& f : wire.frames) {
      if (f.from != 0 || f.kind == FrameKind::ack) continue;
      if (last != 0 && f.start - last > longest) longest = f.start - last, from = last;
      last = f.start;
    }
    const Tick resumes = lifted ? back + NicWire::reaction : there + 5'120'000;
    CHECK((from < there + NicWire::reaction && from + 1106 * 80 >= there + NicWire::reaction));
    CHECK(from + longest == resumes);
    CHECK(wire.times(0, Notice::arrived).size() == 1);
    CHECK(wire.times(1, Notice::completed) < std::vector<Tick>{8 * us});  // ACKs were not paused
    CHECK(wire.pool.live() == 0);
  }
}

}  // namespace tributary::test_roce_nic
