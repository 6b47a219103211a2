// NetworkEngineCore at the hub of a GPU: packets of its NIC, requests of other engines, and tasks.
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modules/gpu/core/compute_engine_core.h"
#include "modules/gpu/core/operation_engine_core.h"
#include "platforms/cluster/network_engine_core.h"
#include "platforms/cluster/pcie_messages.h"
#include "testbench/test/harness/gpu_bench.h"

namespace tributary::test_network_engine {

using namespace tributary::gpu_bench;

namespace {

struct Bench : GpuBench, PcieEnd::Port {
  struct Sent {
    PcieHeader header;
    unsigned payload, wire;
    std::vector<std::byte> data;
    Tick ready;
  };
  Bench()
      : engine(add_engine<NetworkEngineCore>("network", config(), std::ref(pcie_pool), std::ref<PcieEnd::Port>(*this))) {}
  ~Bench() override { core->reset(); }
  static NetworkEngineCore::Config config() {
    NetworkEngineCore::Config c;
    c.tasks.mtu = 1024;
    c.tasks.commands.rate = 1_GBps;
    return c;
  }
  void send(Packet* packet, Tick ready) override {
    Sent s{pcie(*packet), packet->payload_bytes, packet->wire_bytes, {}, ready};
    if (packet->payload != nullptr) s.data.assign(packet->payload, packet->payload + packet->payload_bytes);
    requests.push_back(packet->payload != nullptr && s.header.kind == PcieKind::post ? request_of(*packet) : WriteRequest{});
    to_nic.push_back(s);
    packet->release();
  }
  void free(const Packet& packet, Tick when) override { freed.emplace_back(packet.wire_bytes, when); }

  void from_nic(PcieKind kind, std::uint64_t address, unsigned bytes, Tick tail) {
    Packet* const p = make_pcie(pcie_pool, {}, kind, kind == PcieKind::write ? bytes : 0, true);
    pcie(*p).address = address, pcie(*p).bytes = bytes, pcie(*p).tag = 17, pcie(*p).pair = 2;
    if (p->payload != nullptr) std::memset(p->payload, 0x33, bytes);
    engine.receive(p, tail);
  }
  void notice(NicNotice::Kind kind, unsigned pair, std::uint64_t id, std::uint32_t immediate, Tick tail) {
    engine.receive(make_notice(pcie_pool, {}, {kind, pair, id, immediate, kind == NicNotice::Kind::failed ? "dead" : ""}),
                   tail);
  }
  std::byte* bytes() { return reinterpret_cast<std::byte*>(memory.data()); }

  PacketPool pcie_pool{framing_of<Pcie>(4096)};
  std::vector<Sent> to_nic;
  std::vector<WriteRequest> requests;
  std::vector<std::pair<unsigned, Tick>> freed;
  NetworkEngineCore& engine;
};

struct Listener : VerbsListener {
  std::vector<std::string> lines;
  void completed(unsigned pair, std::uint64_t id, Tick when) override { add("completed", pair, id, when); }
  void arrived(unsigned pair, std::uint32_t immediate, Tick when) override { add("arrived", pair, immediate, when); }
  void failed(unsigned pair, Tick when, const std::string& why) override { add("failed " + why, pair, 0, when); }
  void add(const std::string& what, unsigned pair, std::uint64_t value, Tick when) {
    lines.push_back(what + " " + std::to_string(pair) + " " + std::to_string(value) + " " + std::to_string(when));
  }
};

DeviceTask task(DeviceTask::Kind kind, std::uint32_t operation, std::uint32_t waits, std::vector<std::uint32_t> next) {
  DeviceTask t;
  t.kind = kind, t.operation = operation, t.waits = waits, t.next = std::move(next);
  return t;
}

}  // namespace

TEST_CASE("network engine: answers leave in the order of their reads", "[pure][cluster]") {
  Bench b;
  b.latency = 3 * read_time;
  b.from_nic(PcieKind::read, 0, 64, 5'000);
  b.core->run_until(5'000);
  b.latency = read_time;
  b.from_nic(PcieKind::read, 64, 64, 6'000);
  b.from_nic(PcieKind::read, 128, 64, 5'000 + 3 * read_time);
  b.core->run_until(5'000 + 3 * read_time);
  REQUIRE(b.to_nic.size() == 3);
  CHECK(b.to_nic[0].header.address == 0);
  CHECK(b.to_nic[0].ready == 5'000 + 3 * read_time);
  CHECK(b.to_nic[1].header.address == 64);
  CHECK(b.to_nic[1].ready == b.to_nic[0].ready);
  CHECK(b.to_nic[2].header.address == 128);
  CHECK(b.to_nic[2].ready == 5'000 + 4 * read_time);
}

TEST_CASE("network engine: the NIC reads after the latency of the memory, and writes on arrival", "[pure][cluster]") {
  Bench b;
  std::memset(b.bytes() + 256, 0x44, 3000);
  b.from_nic(PcieKind::read, 256, 3000, 5'000);
  b.from_nic(PcieKind::write, 8192, 100, 6'000);
  CHECK(b.core->run_until(4'999) == 5'000);
  CHECK(b.to_nic.empty());
  b.core->run_until(6'000);
  CHECK(b.freed == std::vector<std::pair<unsigned, Tick>>{{24, 5'000}, {124, 6'000}});
  REQUIRE(b.to_nic.size() == 1);
  const Bench::Sent& data = b.to_nic.front();
  CHECK((data.header.kind == PcieKind::data && data.header.tag == 17 && data.header.pair == 2 && data.header.bytes == 3000));
  CHECK(data.ready == 5'000 + read_time);
  CHECK(data.wire == 3000 + 12 * 24);
  CHECK((data.data.size() == 3000 && data.data.front() == std::byte{0x44} && data.data.back() == std::byte{0x44}));
  CHECK((b.bytes()[8191] == std::byte{0} && b.bytes()[8192] == std::byte{0x33} && b.bytes()[8292] == std::byte{0}));
  CHECK(b.core->waiting().empty());
  std::map<std::string, double> counters;
  b.core->count(counters);
  CHECK((counters["pcie.read_bytes"] == 3000 && counters["pcie.written_bytes"] == 100));
  CHECK(b.pcie_pool.live() == 0);
}

TEST_CASE("network engine: other engines of the GPU use its NIC", "[pure][cluster]") {
  Bench b;
  NicAccess* const nic = EngineSeat(*b.core, 0).nic();
  REQUIRE(nic != nullptr);
  Listener listener;
  nic->listen(3, &listener);
  WriteRequest w;
  w.id = 5, w.local = 640, w.bytes = w.data_bytes = 4;
  nic->post_write(3, w, 2'000);
  CHECK(nic->outstanding(3) == 1);
  REQUIRE(b.to_nic.size() == 1);
  CHECK((b.to_nic[0].header.kind == PcieKind::post && b.to_nic[0].header.pair == 3 && b.to_nic[0].header.gpu == 1));
  CHECK((b.to_nic[0].wire == 88 && b.to_nic[0].ready == 2'000 && b.requests[0].id == 5 && b.requests[0].local == 640));
  CHECK(b.core->waiting() == std::vector<std::string>{"network: qp3: 1 requests are not acknowledged"});
  b.notice(NicNotice::Kind::completed, 3, 5, 0, 3'000);
  b.notice(NicNotice::Kind::arrived, 3, 0, 77, 3'500);
  b.notice(NicNotice::Kind::failed, 3, 0, 0, 4'000);
  b.core->run_until(4'000);
  CHECK(listener.lines == std::vector<std::string>{"completed 3 5 3000", "arrived 3 77 3500", "failed dead 3 0 4000"});
  CHECK(nic->outstanding(3) == 0);
}

TEST_CASE("network engine: a program of network tasks alone ends with its last one", "[pure][cluster]") {
  Bench b;
  auto write = std::make_shared<RailWork>();
  write->pair = 1, write->write.bytes = write->write.data_bytes = 256;
  auto wait = std::make_shared<RailWork>();
  wait->kind = RailWork::Kind::wait, wait->pair = 1, wait->write.immediate = 4;
  GpuProgram p;
  p.network = {write, wait};
  p.tasks.emplace();
  using Kind = DeviceTask::Kind;
  p.tasks->tasks = {task(Kind::network, 1, 0, {1}), task(Kind::network, 0, 1, {2}), task(Kind::network, 1, 1, {})};
  b.core->post(p, t0);
  b.core->run_until(t0);
  CHECK(b.done == 0);
  b.notice(NicNotice::Kind::arrived, 1, 0, 4, t0 + 500);
  b.core->run_until(t0 + 500);
  REQUIRE(b.requests.size() == 1);
  CHECK((b.to_nic[0].ready == t0 + 500 && b.requests[0].bytes == 256));
  b.notice(NicNotice::Kind::arrived, 1, 0, 4, t0 + 600);
  b.notice(NicNotice::Kind::completed, 1, b.requests[0].id, 0, t0 + 900);
  b.core->run_until(t0 + 899);
  CHECK(b.done == 0);
  b.core->run_until(t0 + 900);
  CHECK(b.done == t0 + 900);
  CHECK(b.core->waiting().empty());
}

TEST_CASE("network engine: schedules add in the GPU's memory, and take multiprocessors meanwhile", "[pure][cluster]") {
  Bench b;
  b.add_engine<ComputeEngineCore>("compute");
  b.add_engine<OperationEngineCore>("operations");
  b.engine.set_memory(b.bytes());
  for (unsigned i = 0; i < 250; ++i) b.memory[i] = i, b.memory[1024 + i] = 1000;
  auto work = std::make_shared<RailWork>();
  work->kind = RailWork::Kind::commands;
  work->commands.type = ElementType::i32;
  work->commands.number = 1;
  NicCommand c;
  c.receives = c.reduce = true, c.from = 4096, c.bytes = 1000;
  work->commands.commands.push_back(c);
  GpuProgram p;
  p.network = {work};
  p.type = ElementType::i32;
  p.tasks.emplace();
  DeviceTask compute = task(DeviceTask::Kind::compute, 0, 0, {});
  compute.time = 4'000'000;  // at full rate
  DeviceTask schedule = task(DeviceTask::Kind::network, 0, 0, {});
  schedule.multiprocessors = all_multiprocessors / 2;
  p.tasks->tasks = {compute, schedule};
  b.core->post(p, t0);
  b.core->run_until(t0 + 1'000'000);
  b.notice(NicNotice::Kind::arrived, 1, 0, 1 << 16, t0 + 1'000'000);
  b.core->run_until(t0 + 20'000'000);
  // The chunk is added by t0 + 2 us: until then the other task has half of the multiprocessors.
  CHECK(b.done == t0 + 5'000'000);
  for (unsigned i = 0; i < 250; ++i) CHECK(b.memory[i] == 1000 + i);
  std::map<std::string, double> counters;
  b.core->count(counters);
  CHECK(counters["gpu.added_elements"] == 250);
  CHECK(counters["kernel.bytes_read"] == 2000);
  CHECK(counters["kernel.bytes_written"] == 1000);
}

TEST_CASE("network engine: a reset drops what has arrived", "[pure][cluster]") {
  Bench b;
  b.from_nic(PcieKind::write, 0, 100, 5'000);
  CHECK(b.core->waiting() == std::vector<std::string>{"network: 1 packets of PCIe have arrived"});
  b.core->reset();
  CHECK(b.core->waiting().empty());
  CHECK(b.pcie_pool.live() == 0);
}

}  // namespace tributary::test_network_engine
