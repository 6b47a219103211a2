// PcieBridgeCore without SystemC: work requests, reads, writes and notices between a NIC and two GPUs.
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "platforms/cluster/nic_times.h"
#include "platforms/cluster/pcie_bridge_core.h"
#include "platforms/cluster/pcie_path.h"

namespace tributary::test_pcie_bridge {
namespace {

using Strings = std::vector<std::string>;

struct Bench : Verbs, PcieBridgeCore::Ports, NicFeedListener {
  struct Sent {
    unsigned gpu;
    PcieHeader header;
    unsigned payload, wire;
    std::uint8_t vc;
    Tick ready;
    NicNotice notice;
  };
  Bench() : core(config(), pool, *this, *this) {
    core.connect(*this);
    core.set_pair(0, 0);
    core.set_pair(1, 1);
  }
  static PcieBridgeCore::Config config() {
    PcieBridgeCore::Config c;
    c.fetch = {4096, 4096, 65'536};
    c.gpus = {6, 7};
    return c;
  }
  void post_write(unsigned pair, const WriteRequest& request, Tick when) override {
    lines.push_back("post " + std::to_string(pair) + " " + std::to_string(request.id) + " at " + std::to_string(when));
    core.posted(pair, request, when);
  }
  unsigned outstanding(unsigned) const override { return 0; }
  void fed(unsigned pair, Tick now) override {
    lines.push_back("fed " + std::to_string(pair) + " at " + std::to_string(now));
  }
  void send(unsigned gpu, Packet* packet, Tick ready) override {
    sent.push_back({gpu, pcie(*packet), packet->payload_bytes, packet->wire_bytes, packet->vc, ready, {}});
    if (pcie(*packet).kind == PcieKind::notice) sent.back().notice = notice_of(*packet);
    packet->release();
  }
  void free(unsigned gpu, const Packet& packet, Tick when) override {
    lines.push_back("free " + std::to_string(gpu) + " " + std::to_string(packet.wire_bytes) + " at " + std::to_string(when));
  }
  Packet* post(unsigned pair, std::uint64_t id, std::uint32_t bytes, std::uint64_t local) {
    WriteRequest r;
    r.id = id, r.local = local, r.bytes = r.data_bytes = bytes, r.remote = 77, r.tagged = false;
    return make_post(pool, {}, pair, r);
  }

  PacketPool pool{framing_of<Pcie>(4096)};
  Strings lines;
  std::vector<Sent> sent;
  PcieBridgeCore core;
};

}  // namespace

TEST_CASE("messages: a work request and its reports pass PCIe unchanged", "[pure][cluster]") {
  PacketPool pool{framing_of<Pcie>(4096)};
  WriteRequest r;
  r.id = ~0ull, r.local = 1ull << 40, r.remote = 3, r.bytes = 9, r.data_bytes = 8;
  r.immediate_valid = r.tagged = true, r.immediate = 0xDEADBEEF, r.signalled = false;
  r.header = {1, 2, 3, 4};
  Packet* p = make_post(pool, {}, 5, r);
  const WriteRequest s = request_of(*p);
  CHECK((s.id == r.id && s.local == r.local && s.remote == 3 && s.bytes == 9 && s.data_bytes == 8));
  CHECK((s.immediate_valid && s.immediate == r.immediate && s.tagged && !s.signalled && s.header.message == 3));
  CHECK((p->payload_bytes == 64 && p->wire_bytes == 64 + 24 && pcie(*p).pair == 5 && p->vc == pcie_posted));
  p->release();
  for (const NicNotice& n :
       {NicNotice{NicNotice::Kind::completed, 4, ~0ull - 1}, NicNotice{NicNotice::Kind::arrived, 5, 0, 0xFFFFFFFF},
        NicNotice{NicNotice::Kind::failed, 6, 0, 0, "queue pair 6 has given up"}}) {
    p = make_notice(pool, {}, n);
    const NicNotice m = notice_of(*p);
    CHECK(
        (m.kind == n.kind && m.queue_pair == n.queue_pair && m.id == n.id && m.immediate == n.immediate && m.why == n.why));
    CHECK(p->vc == pcie_posted);
    p->release();
  }
  CHECK(pool.live() == 0);
}

TEST_CASE("bridge: a request is posted when it has arrived, and its data are read from its GPU", "[pure][cluster]") {
  Bench b;
  b.core.receive(1, b.post(1, 41, 5000, 0x1000), 900);
  b.core.receive(0, b.post(0, 40, 64, 0x2000), 900);
  b.core.receive(0, b.post(0, 39, 0, 0), 800);
  CHECK(b.core.next() == 800);
  CHECK(b.core.run_until(899) == 900);
  CHECK(b.core.run_until(2000) == never);
  // At one instant, the lower GPU is first.
  CHECK(b.lines == Strings{"free 0 88 at 800", "post 0 39 at 800", "free 0 88 at 900", "post 0 40 at 900",
                           "free 1 88 at 900", "post 1 41 at 900"});
  REQUIRE(b.sent.size() == 3);
  CHECK((b.sent[0].gpu == 0 && b.sent[0].header.gpu == 6 && b.sent[0].header.address == 0x2000));
  CHECK((b.sent[0].header.kind == PcieKind::read && b.sent[0].wire == 24 && b.sent[0].ready == 900));
  CHECK((b.sent[1].gpu == 1 && b.sent[1].header.gpu == 7 && b.sent[1].header.bytes == 4096));
  CHECK((b.sent[2].header.address == 0x1000 + 4096 && b.sent[2].header.bytes == 904));
  CHECK(b.core.waiting() == Strings{"reads of 5064 B are in flight"});
  CHECK(b.core.counts().posts == 3);
  CHECK(b.core.counts().read_bytes == 5064);

  // The answer makes the packet available when its last byte is here.
  CHECK(b.core.available({0, 1, 1, 0, 64}, 1000) == never);
  Packet* const data = make_pcie(b.pool, {}, PcieKind::data, 64, true);
  std::memset(data->payload, 0x5A, 64);
  pcie(*data).tag = b.sent[0].header.tag;
  b.core.receive(0, data, 3000);
  b.lines.clear();
  b.core.run_until(3000);
  CHECK(b.lines == Strings{"free 0 88 at 3000", "fed 0 at 3000"});
  CHECK(b.core.available({0, 1, 1, 0, 64}, 3000) == 3000);
  std::byte bytes[64] = {};
  CHECK(b.core.take({0, 1, 1, 0, 64}, bytes, 3000) == 0);
  CHECK((bytes[0] == std::byte{0x5A} && bytes[63] == std::byte{0x5A}));
  b.core.reset();
  CHECK(b.core.waiting().empty());
  CHECK(b.pool.live() == 0);
}

TEST_CASE("bridge: a notice is in the channel of the data before it, and leaves after them", "[pure][cluster]") {
  Bench b;
  const std::vector<std::byte> data(1000, std::byte{7});
  b.core.write_at({1, 0x3000}, data.data(), 1000, 500);
  b.core.write_at({1, 0x3000 + 1000}, nullptr, 24, 500);
  b.core.write_at({1, 0x5000}, nullptr, 0, 500);  // WRITE without data
  b.core.arrived(1, 99, 500);
  b.core.completed(0, 12, 600);
  b.core.failed(0, 700, "no answer");
  REQUIRE(b.sent.size() == 5);
  CHECK((b.sent[0].header.kind == PcieKind::write && b.sent[0].header.address == 0x3000 && b.sent[0].payload == 1000));
  CHECK(b.sent[0].wire == 1000 + 4 * 24);
  CHECK((b.sent[1].payload == 24 && b.sent[1].header.address == 0x3000 + 1000));
  CHECK((b.sent[2].notice.kind == NicNotice::Kind::arrived && b.sent[2].notice.immediate == 99));
  for (unsigned i = 0; i < 3; ++i) CHECK((b.sent[i].gpu == 1 && b.sent[i].vc == pcie_posted && b.sent[i].ready == 500));
  CHECK((b.sent[3].gpu == 0 && b.sent[3].notice.id == 12 && b.sent[3].ready == 600));
  CHECK((b.sent[4].notice.kind == NicNotice::Kind::failed && b.sent[4].notice.why == "no answer"));
  CHECK(b.core.counts().written_bytes == 1024);
}

TEST_CASE("bridge: queue pairs belong to one GPU each", "[pure][cluster]") {
  Bench b;
  CHECK_THROWS_WITH(b.core.set_pair(3, 2), "GPU 2 of a NIC with 2");
  CHECK_THROWS_WITH(b.core.arrived(3, 0, 0), "queue pair 3 belongs to no GPU");
  b.core.receive(1, b.post(0, 1, 64, 0), 100);
  CHECK_THROWS_WITH(b.core.run_until(100), "queue pair 0 belongs to another GPU of its NIC");
}

TEST_CASE("NIC times: what remains of calibrated latencies next to a PCIe link", "[pure][cluster]") {
  PcieLink link;
  link.rate = 1_GBps * 88;  // 1 ns for 88 B
  link.latency = 200_ns;
  CHECK(link.crossing(64) == 201'000);
  MemoryParams memory;
  memory.latency = 100_ns, memory.jitter = 60_ns;
  RoceParams p;
  p.tx_latency = 1600_ns, p.rx_latency = 1300_ns, p.completion_latency = 250_ns;
  const RoceParams q = nic_after_pcie(p, link, memory);
  // request 201 ns, read 200.273 ns (24 B), memory 130 ns on average, data 201 ns
  CHECK(q.tx_latency.value == 1'600'000 - 201'000 - link.crossing(0) - 130'000 - 201'000);
  CHECK(q.rx_latency == 1099_ns);
  CHECK(q.completion_latency == 100_ns);
  CHECK(q.ack_latency == p.ack_latency);
}

TEST_CASE("PCIe path: two links and a switch, at the rate that efficiency leaves", "[pure][cluster]") {
  ClusterParams params;
  ClusterServer server;
  server.pcie_rate = 60e9;
  const PcieLink link = pcie_path(params, server, 2048);
  CHECK((link.latency == 190_ns && link.rate == 54_GBps && link.burst == 4096));
  CHECK((link.framing.payload == 256 && link.framing.overhead == 24));
  // a round trip of 380 ns at 54 GB/s, and two bursts of 4480 B
  CHECK(link.buffer() == 20'520 + 2 * 4480);
  CHECK((nic_fetch(params, 2048).mtu == 2048 && nic_fetch(params, 2048).window == 65'536));
  params.pcie.switch_latency = 50_ns;
  CHECK_THROWS_WITH(pcie_path(params, server, 2048),
                    "cluster.pcie: 2 x latency + switch_latency is 90ns (legal: at least 100ns)");
}

}  // namespace tributary::test_pcie_bridge
