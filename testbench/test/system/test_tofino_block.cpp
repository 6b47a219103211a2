// A TofinoSwitch between workers as devices: both modes, and a user's pool at its socket.
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>

#include "modules/tofino/tofino_host.h"
#include "modules/tofino/tofino_switch.h"

namespace tributary::test_tofino_block {
namespace {

constexpr Tick ns = 1000, us = 1000 * ns;
constexpr unsigned workers = 3;
constexpr std::uint64_t count = 1000;  // values of a worker

/// Three workers, with ATP a server, and a switch.
class Rack {
 public:
  Rack(const std::string& name, AggregationScheme scheme, bool windows, const TofinoSwitch::Parts& parts = {}) {
    const bool atp = scheme == AggregationScheme::atp;
    const EthernetDevice::PortConfig port{100_Gbps, 10_ns};
    TofinoSwitch::Config config;
    config.core.scheme = scheme;
    config.core.payload = 128;
    config.core.station = 100;
    config.pool = {8, workers, 32, true};
    config.aggregators = {16, 32, true};
    config.latency = 300 * ns;
    for (unsigned p = 0; p < workers + (atp ? 1 : 0); ++p) {
      config.ports.push_back(port);
      config.core.stations.push_back(static_cast<std::uint16_t>(p));
    }
    device = std::make_unique<TofinoSwitch>((name + "_switch").c_str(), config, parts, pool);
    for (unsigned w = 0; w < workers; ++w) {
      TofinoWorker::Config c;
      c.port = port;
      c.core.scheme = scheme;
      c.core.slots = 8;
      c.core.timeout = 100 * us;
      c.core.packet_time = 30 * ns;
      c.core.send_latency = 1600 * ns;
      c.core.receive_latency = 1300 * ns;
      c.core.shared_exponent = !atp;
      c.core.scale = 256;
      c.core.aggregators = 16;
      c.core.station = static_cast<std::uint16_t>(w);
      c.core.destination = atp ? workers : 100;
      hosts.push_back(std::make_unique<TofinoWorker>((name + "_worker" + std::to_string(w)).c_str(), c, pool));
      hosts[w]->on_end([this](Tick when, const std::string& why) { ends.push_back(when), failed |= !why.empty(); });
      memory[w].resize(2 * count);
      for (unsigned i = 0; i < count; ++i) memory[w][i] = static_cast<float>(w * 100 + i);
      hosts[w]->set_memory(reinterpret_cast<std::byte*>(memory[w].data()));
      join(*hosts[w], w);
    }
    if (atp) {
      TofinoServer::Config c;
      c.port = port;
      c.core.server = {workers, 8, 32, 256, true};
      c.core.station = workers;
      c.core.switch_station = 100;
      c.core.packet_time = 30 * ns;
      c.core.send_latency = 1600 * ns;
      c.core.receive_latency = 1300 * ns;
      server = std::make_unique<TofinoServer>((name + "_server").c_str(), c, pool);
      join(*server, workers);
    }
    if (!windows) return;
    const unsigned devices = workers + 2;
    for (unsigned w = 0; w < workers; ++w) hosts[w]->set_windows(Windows::of(15'760, 1300 * ns, us, {w, devices}));
    if (server) server->set_windows(Windows::of(15'760, 1300 * ns, us, {workers, devices}));
    device->set_windows(Windows::of(15'760, 300 * ns, us, {workers + 1, devices}));
  }
  ~Rack() { device->reset(); }

  void post() {
    AggregationGroup group;
    for (unsigned w = 0; w < workers; ++w) group.workers.push_back(w);
    group.server = server ? workers : 0;
    device->begin({group});
    for (unsigned w = 0; w < workers; ++w)
      hosts[w]->post({0, static_cast<std::uint16_t>(w), workers, 0, 4 * count, 4 * count}, us + w * 777 * ns);
  }
  unsigned wrong() const {
    unsigned n = failed ? 1 : 0;
    for (unsigned w = 0; w < workers; ++w)
      for (unsigned i = 0; i < count; ++i) n += memory[w][count + i] != static_cast<float>(300 + 3 * i);
    return n;
  }

  PacketPool pool{framing_of<EthernetLink>(1024)};
  std::unique_ptr<TofinoSwitch> device;
  std::vector<std::unique_ptr<TofinoWorker>> hosts;
  std::unique_ptr<TofinoServer> server;
  std::vector<float> memory[workers];
  std::vector<Tick> ends;
  bool failed = false;

 private:
  void join(EthernetDevice& host, unsigned port) {
    const LinkEnd a = host.link_end(0), b = device->link_end(port);
    a.out.bind(b.in);
    b.out.bind(a.in);
  }
};

void check_both_modes(AggregationScheme scheme) {
  Rack windows("windows", scheme, true), events("events", scheme, false);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  windows.post(), events.post();
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  for (Rack* rack : {&windows, &events}) {
    CHECK(rack->wrong() == 0);
    CHECK(rack->ends.size() == workers);
    CHECK(rack->pool.live() == 0);
    CHECK(rack->device->waiting().empty());
  }
  std::sort(windows.ends.begin(), windows.ends.end());
  std::sort(events.ends.begin(), events.ends.end());
  CHECK(windows.ends == events.ends);
  CHECK(windows.device->activations() < events.device->activations());
}

/// A pool that needs 50 ns for each access.
class SlowPool : public TableModule<PoolTransaction> {
 public:
  SlowPool(const sc_core::sc_module_name& name, const AggregationPool::Config& config) : TableModule(name), pool_(config) {}
  std::vector<std::string> waiting() const override { return pool_.waiting(); }
  void reset() override { pool_.reset(); }
  void describe(ProbeDirectory& directory, const std::string& prefix) override { pool_.describe(directory, prefix); }
  unsigned accesses = 0;

 private:
  void b_transport(PoolTransaction& t, sc_core::sc_time& delay) override {
    ++accesses;
    pool_.access(t);
    delay += sc_core::sc_time(50, sc_core::SC_NS);
  }
  AggregationPool pool_;
};

}  // namespace

TEST_CASE("programmable switch: SwitchML is the same in windows as with single events", "[block]") {
  check_both_modes(AggregationScheme::switchml);
}
TEST_CASE("programmable switch: ATP is the same in windows as with single events", "[block]") {
  check_both_modes(AggregationScheme::atp);
}

TEST_CASE("programmable switch: a user's pool works at its socket", "[block]") {
  SlowPool* own = nullptr;
  TofinoSwitch::Parts parts;
  parts.pool = [&](const char* name, const AggregationPool::Config& config) {
    auto made = std::make_unique<SlowPool>(name, config);
    own = made.get();
    return made;
  };
  Rack plain("plain", AggregationScheme::switchml_rdma, true), slow("slow", AggregationScheme::switchml_rdma, true, parts);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  plain.post(), slow.post();
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  CHECK(plain.wrong() == 0);
  CHECK(slow.wrong() == 0);
  CHECK(own->accesses == workers * (32 + 8));  // 32 packets of 128 B, and exponents of 8
  // Five packets use each slot in sequence.
  REQUIRE(slow.ends.size() == workers);
  CHECK(*std::max_element(slow.ends.begin(), slow.ends.end()) ==
        *std::max_element(plain.ends.begin(), plain.ends.end()) + 5 * 50 * ns);
  ProbeDirectory directory;
  slow.device->describe(directory);
  CHECK(directory.entries().count("slow_switch.pool.slot.completed") == 1);
  CHECK(directory.entries().count("slow_switch.port0.link.sent") == 1);
}

}  // namespace tributary::test_tofino_block
