// Hosts with RDMA NICs as modules: both modes, frames as bytes, an agent and a memory of the user's.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/random.h"
#include "modules/roce/ethernet_host.h"

namespace tributary::test_roce_block {
namespace {

constexpr Tick begin = 2'000'000, latency = 320'000;
const EthernetDevice::PortConfig port{100_Gbps, picoseconds(latency), 0};

/// The program of both agents: message i is posted some time after message i - 2 of the other side has arrived.
struct Ping {
  unsigned messages = 0, posted = 0;
  std::vector<Tick> arrived{}, completed{};
  static WriteRequest request(unsigned i) {
    WriteRequest r;
    r.id = i;
    r.bytes = r.data_bytes = 1 + static_cast<std::uint32_t>(random_at(3, 0, i) % 20'000);
    r.local = i % 5 * 20'000;
    r.remote = 100'000 + r.local;
    r.immediate_valid = true;
    r.immediate = i;
    r.tagged = i % 3 == 0 && r.bytes > 16 && r.bytes <= 1024;
    if (r.tagged) r.data_bytes -= 16, r.header = {1, 2, i, 1};
    return r;
  }
  static Tick pause(std::uint32_t immediate) { return random_at(4, 0, immediate) % 3'000'000; }
};

/// Runs inside of the host.
class PingAgent : public HostAgentModule, private HostAgent {
 public:
  PingAgent(const sc_core::sc_module_name& name, unsigned messages) : HostAgentModule(name), ping{messages} {}
  HostAgent& agent() override { return *this; }
  void start(Tick t0) {
    due_ = {t0, t0};
    wake(t0);
  }
  Ping ping;
  std::string failure;

 private:
  Tick run_until(Tick horizon) override {
    for (; !due_.empty() && due_.front() <= horizon; due_.erase(due_.begin()))
      if (ping.posted < ping.messages) verbs.post_write(0, Ping::request(ping.posted), due_.front()), ++ping.posted;
    return next();
  }
  Tick next() const override { return due_.empty() ? never : due_.front(); }
  void completed(unsigned, std::uint64_t, Tick when) override { ping.completed.push_back(when); }
  void arrived(unsigned, std::uint32_t immediate, Tick when) override {
    ping.arrived.push_back(when);
    due_.push_back(when + Ping::pause(immediate));
    std::sort(due_.begin(), due_.end());
  }
  void failed(unsigned, Tick, const std::string& why) override { failure = why; }
  std::vector<std::string> waiting() const override { return {}; }
  void reset() override {}
  void describe(ProbeDirectory&, const std::string&) override {}

  std::vector<Tick> due_;
};

/// Runs the same program outside of the host, with a process of its own.
class OutsideAgent : public sc_core::sc_module, private VerbsListener {
 public:
  OutsideAgent(const sc_core::sc_module_name& name, unsigned messages)
      : sc_module(name), verbs("verbs", static_cast<VerbsListener&>(*this)), ping{messages} {
    SC_HAS_PROCESS(OutsideAgent);
    SC_METHOD(post);
    sensitive << due_;
    dont_initialize();
  }
  void start(Tick t0) {
    due_.notify(to_sc_time(t0 - kernel_now()));
    due_.notify(to_sc_time(t0 - kernel_now()));
  }
  VerbsInitiator verbs;
  Ping ping;

 private:
  void post() {
    if (ping.posted < ping.messages) verbs.post_write(0, Ping::request(ping.posted), kernel_now()), ++ping.posted;
  }
  void completed(unsigned, std::uint64_t, Tick when) override { ping.completed.push_back(when); }
  void arrived(unsigned, std::uint32_t immediate, Tick when) override {
    ping.arrived.push_back(when);
    due_.notify(to_sc_time(when + Ping::pause(immediate) - kernel_now()));
  }
  void failed(unsigned, Tick, const std::string&) override {}

  sc_core::sc_event_queue due_{"due"};
};

/// A memory of the user's, without direct access.
class OwnMemory : public MemoryModule {
 public:
  explicit OwnMemory(const char* name) : MemoryModule(name) {}
  void resize(std::uint64_t size) override { bytes.resize(size); }
  std::uint64_t size() const override { return bytes.size(); }
  std::byte* data() override { return reinterpret_cast<std::byte*>(bytes.data()); }
  std::vector<unsigned char> bytes;
  unsigned reads = 0, writes = 0;

 private:
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time&) override {
    access.set_response_status(tlm::TLM_OK_RESPONSE);
    unsigned char* const place = &bytes.at(access.get_address());
    ++(access.is_read() ? reads : writes);
    if (access.is_read()) std::memcpy(access.get_data_ptr(), place, access.get_data_length());
    if (access.is_write()) std::memcpy(place, access.get_data_ptr(), access.get_data_length());
  }
};

/// Drops some frames.
struct Losses : FrameFaults {
  explicit Losses(unsigned s) : stream(s) {}
  FrameFate fate(const Packet&, Tick) override {
    const std::uint64_t r = random_at(9, stream, count++) % 120;
    return r == 0 ? FrameFate::drop : r == 1 ? FrameFate::corrupt : r == 2 ? FrameFate::flip : FrameFate::deliver;
  }
  void begin(Tick) override {}
  unsigned stream, count = 0;
};

struct Pair {
  struct Options {
    bool windowed = true, bytes = false, data = true;
    unsigned messages = 40;
    EthernetHost::MemoryFactory memory{};  ///< memory of the first host
  };
  Pair(const std::string& name, const Options& o) {
    EthernetHost::Config config;
    config.port = port;
    config.nic.ack_interval = 8;
    config.checking = o.bytes ? FrameChecking::bytes : FrameChecking::flags;
    config.queue_pairs = 2;
    for (unsigned i = 0; i < 2; ++i) {
      config.station = static_cast<std::uint16_t>(i);
      const auto make_agent = [&](const char* n) { return std::make_unique<PingAgent>(n, o.messages); };
      hosts.push_back(std::make_unique<EthernetHost>((name + "_host" + std::to_string(i)).c_str(), config, make_agent, pool,
                                                     i == 0 ? o.memory : EthernetHost::MemoryFactory{}));
      join(i, o.windowed);
      if (o.data) hosts[i]->resize_memory(200'000);
      if (std::byte* memory = hosts[i]->memory().data(); memory != nullptr)
        for (unsigned b = 0; b < 200'000; ++b) memory[b] = static_cast<std::byte>(mix64(b + i) & 0xFF);
    }
    wire();
  }
  void join(unsigned i, bool windowed) {
    const RoceParams params;
    const std::uint32_t psn[2] = {0xFFFFF0, 77};
    hosts[i]->nic().core().add_queue_pair({100 + i, static_cast<std::uint16_t>(1 - i), 101 - i, psn[i], psn[1 - i]});
    losses.push_back(std::make_unique<Losses>(i));
    hosts[i]->links().set_faults(0, losses[i].get());
    if (windowed) hosts[i]->set_windows(Windows::of(latency, params.ack_latency.value, params.tx_latency.value, {i, 2}));
  }
  void wire() {
    const LinkEnd a = hosts[0]->link_end(0), b = hosts[1]->link_end(0);
    a.out.bind(b.in);
    b.out.bind(a.in);
  }
  PingAgent& agent(unsigned i) { return dynamic_cast<PingAgent&>(hosts[i]->agent()); }
  void start() {
    for (unsigned i = 0; i < 2; ++i) agent(i).start(begin + i * 100);
  }
  void check_end() {
    for (unsigned i = 0; i < 2; ++i) {
      CHECK(hosts[i]->waiting().empty());
      CHECK(agent(i).ping.arrived.size() == agent(1 - i).ping.messages);
      CHECK(agent(i).ping.completed.size() == agent(i).ping.messages);
      CHECK(agent(i).failure.empty());
    }
    CHECK(pool.live() == 0);
  }
  PacketPool pool{EthernetLink{}};
  std::vector<std::unique_ptr<Losses>> losses;
  std::vector<std::unique_ptr<EthernetHost>> hosts;
};

}  // namespace

TEST_CASE("RDMA NIC block: windows, events and frames as bytes agree under losses in both directions", "[block][roce]") {
  Pair windowed("windowed", {true}), reference("reference", {false}), bytes("bytes", {true, true});
  Pair timing("timing", {true, false, false});
  for (Pair* p : {&windowed, &reference, &bytes, &timing}) p->start();
  sc_core::sc_start();
  for (Pair* p : {&windowed, &reference, &bytes, &timing}) {
    p->check_end();
    for (unsigned i = 0; i < 2; ++i) {
      CHECK(p->agent(i).ping.arrived == reference.agent(i).ping.arrived);
      CHECK(p->agent(i).ping.completed == reference.agent(i).ping.completed);
      const std::byte *memory = p->hosts[i]->memory().data(), *expected = reference.hosts[i]->memory().data();
      CHECK((memory != nullptr) == (p != &timing));
      if (memory != nullptr) CHECK(std::memcmp(memory, expected, 200'000) == 0);
    }
    CHECK(p->losses[0]->count > 400);
  }
  CHECK(windowed.hosts[0]->activations() * 3 < reference.hosts[0]->activations());
}

TEST_CASE("RDMA NIC block: an agent outside of the host and a memory without direct access give the same run",
          "[block][roce]") {
  OwnMemory* own = nullptr;
  Pair::Options options;
  options.memory = [&](const char* name) {
    auto memory = std::make_unique<OwnMemory>(name);
    own = memory.get();
    return memory;
  };
  Pair inside("inside", {}), foreign("foreign", options);
  // A pair whose first host has an agent outside of it.
  PacketPool pool{EthernetLink{}};
  std::vector<std::unique_ptr<Losses>> losses;
  EthernetHost::Config config;
  config.port = port;
  config.nic.ack_interval = 8;
  OutsideAgent outside("outside", 40);
  EthernetHost first("first", config, {}, pool);
  outside.verbs.bind(first.nic().verbs);
  config.station = 1;
  const auto make_agent = [&](const char* n) { return std::make_unique<PingAgent>(n, 40); };
  EthernetHost second("second", config, make_agent, pool);
  for (unsigned i = 0; i < 2; ++i) {
    EthernetHost& host = i == 0 ? first : second;
    const std::uint32_t psn[2] = {0xFFFFF0, 77};
    host.nic().core().add_queue_pair({100 + i, static_cast<std::uint16_t>(1 - i), 101 - i, psn[i], psn[1 - i]});
    losses.push_back(std::make_unique<Losses>(i));
    host.links().set_faults(0, losses[i].get());
    host.set_windows(Windows::of(latency, 700'000, 1'600'000, {i, 2}));
  }
  const LinkEnd a = first.link_end(0), b = second.link_end(0);
  a.out.bind(b.in);
  b.out.bind(a.in);

  for (unsigned i = 0; i < 200'000; ++i) own->bytes[i] = static_cast<unsigned char>(mix64(i) & 0xFF);
  inside.start(), foreign.start();
  outside.start(begin);
  dynamic_cast<PingAgent&>(second.agent()).start(begin + 100);
  sc_core::sc_start();
  inside.check_end(), foreign.check_end();
  CHECK(inside.agent(0).ping.arrived == outside.ping.arrived);
  CHECK(inside.agent(0).ping.completed == outside.ping.completed);
  CHECK(inside.agent(0).ping.arrived == foreign.agent(0).ping.arrived);
  CHECK(std::memcmp(own->bytes.data(), inside.hosts[0]->memory().data(), 200'000) == 0);
  CHECK((own->reads > 200 && own->writes > 200));
  CHECK((first.waiting().empty() && pool.live() == 0));
}

}  // namespace tributary::test_roce_block
