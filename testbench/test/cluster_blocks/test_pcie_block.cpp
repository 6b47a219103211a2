// PcieBridge and NetworkEngine between two GPUs and their NICs: both modes, unlike windows, losses, times.
#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "testbench/test/cluster_blocks/two_gpus.h"
#include "testbench/test/harness/nic_wire.h"

namespace tributary::test_pcie_block {

using namespace tributary::two_gpus;

namespace {

constexpr unsigned messages = 60;
constexpr Tick t0 = 10'000'000;
constexpr std::uint64_t from = 65'536, to = 600'000, most = 20'000;

/// Messages may overlap: a byte of one is the same byte of the other.
std::uint32_t size_of(unsigned gpu, unsigned message) {
  const std::uint64_t r = random_at(5, gpu, message);
  return static_cast<std::uint32_t>(r % 5 == 0 ? r / 8 % 3 : 1 + r / 8 % (message % 2 == 0 ? 4096 : most));
}

/// Messages over two queue pairs, each after the message four before it; every third one after the arrival of the other
/// GPU's.
GpuProgram traffic(unsigned gpu) {
  Tasks t;
  std::vector<std::uint32_t> waits, writes;
  for (unsigned m = 0; m < messages; ++m) waits.push_back(t.add(wait_of(m % 2, 1000 + m)));
  for (unsigned m = 0; m < messages; ++m) {
    std::vector<std::uint32_t> after;
    if (m >= 4) after.push_back(writes[m - 4]);
    if (m % 3 == 2) after.push_back(waits[m - 1]);
    writes.push_back(t.add(write_of(m % 2, from + 4096 * m, to + 4096 * m, size_of(gpu, m), 1000 + m), after));
  }
  return t.done();
}

/// All packets of all links: (time, protocol, kind, bytes, address).
struct Recorder {
  using Event = std::tuple<Tick, unsigned, unsigned, unsigned, std::uint64_t>;
  explicit Recorder(TwoGpus& platform, std::size_t prefix) {
    platform.describe(probes);
    probes.for_each<PacketProbe>([&](const std::string& name, PacketProbe& probe) {
      if (name.size() < 10 || name.compare(name.size() - 10, 10, ".link.sent") != 0) return;
      auto& events = links[name.substr(prefix)];
      probe.attach(&events, [](void* observer, Tick when, const PacketView& view) {
        static_cast<std::vector<Event>*>(observer)->push_back(
            {when, static_cast<unsigned>(view.protocol), view.opcode, view.bytes, view.address});
      });
    });
  }
  ProbeDirectory probes;
  std::map<std::string, std::vector<Event>> links;
};

void run_traffic(TwoGpus& p) {
  for (unsigned i = 0; i < 2; ++i) {
    if (p.bytes(i) != nullptr)
      for (std::uint64_t b = from; b < to; ++b) p.bytes(i)[b] = static_cast<unsigned char>(random_at(7, i, b));
    p.gpus[i]->post(traffic(i), t0);
    p.writer(i).start_at(t0 + 3'000'000 * i, 400);
  }
}

void check_data(TwoGpus& p) {
  for (unsigned i = 0; i < 2; ++i) {
    unsigned wrong = 0;
    for (unsigned m = 0; m < messages; ++m) {
      const std::uint32_t bytes = size_of(1 - i, m);
      for (std::uint32_t b = 0; b < bytes; ++b)
        wrong += p.bytes(i)[to + 4096 * m + b] != p.bytes(1 - i)[from + 4096 * m + b];
    }
    CHECK(wrong == 0);
    CHECK(p.writer(i).received == 400);
    CHECK(p.bytes(i)[128 * 399] == 400 % 200 + 1);
  }
}

const Hops cases[] = {{20'000, 190'000, 10'000}, {20'000, 1'100'000, 1'000'000}, {400'000, 450'000, 50'000}};

}  // namespace

TEST_CASE("PCIe block: unlike windows give equal times in windows and event by event", "[block][cluster]") {
  std::vector<std::unique_ptr<TwoGpus>> all;
  std::vector<std::unique_ptr<Recorder>> seen;
  for (Hops hops : cases) {
    hops.jitter = 115'200;
    hops.losses = 25;
    hops.read = all.size() % 4 == 0 ? 4096 : 512;
    hops.window = all.size() % 4 == 0 ? 65'536 : 8192;
    for (const bool windowed : {true, false}) {
      hops.windowed = windowed;
      const std::string name = (windowed ? "w" : "e") + std::to_string(all.size() / 2);
      all.push_back(std::make_unique<TwoGpus>(name.c_str(), hops));
      seen.push_back(std::make_unique<Recorder>(*all.back(), name.size() + 1));
    }
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (const auto& p : all) run_traffic(*p);
  sc_core::sc_start();
  for (std::size_t i = 0; i < all.size(); i += 2) {
    TwoGpus &windowed = *all[i], &event = *all[i + 1];
    CHECK(windowed.ends.size() == 2);
    CHECK(windowed.ends == event.ends);
    CHECK(seen[i]->links.size() == 8);
    CHECK(seen[i]->links == seen[i + 1]->links);
    CHECK(windowed.activations() < event.activations());
    for (TwoGpus* p : {&windowed, &event}) {
      check_data(*p);
      CHECK(p->failure.empty());
      CHECK(p->waiting().empty());
      CHECK(p->live_packets() == 0);
      CHECK(p->rewinds() > 0);
    }
  }
}

TEST_CASE("PCIe block: bytes on PCIe are those of the NIC's payloads, and data change no time", "[block][cluster]") {
  Hops hops = cases[0];
  TwoGpus with("with", hops);
  hops.data = false;
  TwoGpus without("without", hops);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  run_traffic(with), run_traffic(without);
  sc_core::sc_start();
  check_data(with);
  CHECK(with.ends.size() == 2);
  CHECK(with.ends == without.ends);
  for (unsigned i = 0; i < 2; ++i) {
    std::uint64_t sent = 0, received = 0;
    for (unsigned q = 0; q < 2; ++q) {
      sent += with.nics[i]->nic().core().queue_pair(q).send.counts().bytes;
      received += with.nics[i]->nic().core().queue_pair(q).receive.counts().bytes;
    }
    for (TwoGpus* p : {&with, &without}) {
      const PcieBridgeCore& bridge = p->bridge(i).core();
      CHECK(bridge.counts().read_bytes == sent);
      CHECK(bridge.counts().written_bytes == received);
      CHECK(bridge.counts().posts == messages);
      CHECK(bridge.counts().notices == 2 * messages);
      CHECK(bridge.fetch().dropped_bytes() == 0);
      CHECK(p->engine(i).core().end().counts().read_bytes == sent);
    }
  }
}

TEST_CASE("PCIe block: a small WRITE takes what it takes where PCIe is part of the NIC's latencies", "[block][cluster]") {
  const Hops hops;
  TwoGpus p("machine", hops);
  Tasks send, receive;
  send.add(write_of(0, from, to, 64, 9));
  receive.add(wait_of(0, 9));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  p.gpus[0]->post(send.done(), t0);
  p.gpus[1]->post(receive.done(), t0);
  sc_core::sc_start();
  NicWire wire(calibrated(), hops.ethernet, 400_Gbps);
  wire.join();
  wire.ends[0].nic.post_write(0, NicWire::request(64, 9), t0);
  wire.run();
  const double arrived = static_cast<double>(wire.times(1, NicWire::Notice::arrived).at(0) - t0);
  const double completed = static_cast<double>(wire.times(0, NicWire::Notice::completed).at(0) - t0);
  INFO(static_cast<double>(p.ends.at(1) - t0) / arrived << ", " << static_cast<double>(p.ends.at(0) - t0) / completed);
  CHECK(static_cast<double>(p.ends.at(1) - t0) / arrived == Approx(1).epsilon(0.02));
  CHECK(static_cast<double>(p.ends.at(0) - t0) / completed == Approx(1).epsilon(0.02));
}

TEST_CASE("PCIe block: a long WRITE fills the line of the NIC", "[block][cluster]") {
  const Hops hops;
  TwoGpus p("machine", hops);
  Tasks send, receive;
  constexpr std::uint32_t bytes = 400'000;
  send.add(write_of(0, 0, 500'000, bytes, 9));
  receive.add(wait_of(0, 9));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  p.gpus[0]->post(send.done(), t0);
  p.gpus[1]->post(receive.done(), t0);
  sc_core::sc_start();
  // 98 packets at 50 GB/s with 82 B around each payload; the fixed part is below 4 us.
  const double line = (bytes + 98.0 * 82) / 50e9 * 1e12;
  const double time = static_cast<double>(p.ends.at(1) - t0);
  CHECK(time > line);
  CHECK(time < line + 4e6);
}

TEST_CASE("PCIe block: the end of a NIC that gives up reaches the GPU", "[block][cluster]") {
  Hops hops;
  hops.losses = 1;
  TwoGpus p("machine", hops);
  Tasks send;
  send.add(write_of(0, from, to, 64, 9));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  p.gpus[0]->post(send.done(), t0);
  sc_core::sc_start();
  CHECK_THAT(p.failure, Catch::Matchers::Contains("queue pair 0 to host1: 1 packets unacknowledged from PSN 100, given up"));
  CHECK(p.ends.empty());
  CHECK_FALSE(p.waiting().empty());
  p.reset();
  CHECK(p.waiting().empty());
  CHECK(p.live_packets() == 0);
}

}  // namespace tributary::test_pcie_block
