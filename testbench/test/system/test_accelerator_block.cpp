// An Accelerator between endpoints: both modes, and a user's parts at its sockets (Liu et al., 4).
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <memory>

#include "modules/base/random.h"
#include "modules/netreduce/accelerator.h"
#include "testbench/test/harness/frame_endpoint.h"
#include "testbench/test/harness/ring_frames.h"

namespace tributary::test_accelerator_block {
namespace {

constexpr Tick cycle = 3103;

/// Six endpoints, one at each port of an accelerator, and a ring of the endpoints.
class Rack {
 public:
  Rack(const std::string& name, bool windows, const Accelerator::Parts& parts = {}) {
    Accelerator::Config config;
    config.ports.assign(ring.hosts, {100_Gbps, 10_ns});
    accelerator = std::make_unique<Accelerator>((name + "_accelerator").c_str(), config, parts, pool);
    for (unsigned h = 0; h < ring.hosts; ++h) {
      hosts.push_back(std::make_unique<FrameEndpoint>((name + "_host" + std::to_string(h)).c_str(), config.ports[0], pool));
      const LinkEnd a = hosts[h]->link_end(0), b = accelerator->link_end(h);
      a.out.bind(b.in);
      b.out.bind(a.in);
    }
    if (!windows) return;
    const Tick lookahead = 15'760, delay = AcceleratorCore::delay(config.params);
    const unsigned devices = ring.hosts + 1;
    for (unsigned h = 0; h < ring.hosts; ++h) hosts[h]->set_windows(Windows::of(lookahead, 10'000, 1'000'000, {h, devices}));
    accelerator->set_windows(Windows::of(lookahead, delay, 1'000'000, {ring.hosts, devices}));
  }
  ~Rack() { accelerator->reset(); }

  /// Sends messages from all hosts, with a different pace of frames for each host.
  void post(unsigned messages) {
    accelerator->begin({ring.ring(ElementType::i32)}, true);
    for (unsigned h = 0; h < ring.hosts; ++h)
      for (unsigned m = 0; m < messages; ++m)
        for (unsigned o = 0; o < ring.message_packets; ++o) {
          const std::vector<std::int32_t> values(256, static_cast<std::int32_t>((h + 1) * (m + 2) * (o + 3)));
          const std::uint64_t number = m * ring.message_packets + o;
          hosts[h]->send(ring.gradient(pool, h, m, o, reinterpret_cast<const std::byte*>(values.data())),
                         1'000'000 + number * 150'000 + below(random_at(5, h, number), 60'000));
        }
  }
  std::uint64_t right(unsigned messages) const {
    std::uint64_t count = 0;
    for (unsigned h = 0; h < ring.hosts; ++h) {
      std::size_t i = 0;
      for (unsigned m = 0; m < messages; ++m)
        for (unsigned o = 0; o < ring.message_packets && i < hosts[h]->arrived.size(); ++o, ++i) {
          std::int32_t sum;
          std::memcpy(&sum, hosts[h]->arrived[i].frame->payload + 1020, 4);
          count += sum == static_cast<std::int32_t>(21 * (m + 2) * (o + 3)) &&
                   roce(*hosts[h]->arrived[i].frame).psn == ring.psn(h, m, o);
        }
    }
    return count;
  }

  RingFrames ring;
  PacketPool pool{framing_of<EthernetLink>(1024)};
  std::unique_ptr<Accelerator> accelerator;
  std::vector<std::unique_ptr<FrameEndpoint>> hosts;
};

/// A connection lookup table that needs 62 ns, as a map.
class OwnTable : public TableModule<ClTransaction> {
 public:
  explicit OwnTable(const sc_core::sc_module_name& name) : TableModule(name) {}
  std::vector<std::string> waiting() const override { return {"table: nothing is amiss"}; }
  void reset() override { entries_.clear(), ++resets; }
  void describe(ProbeDirectory& directory, const std::string& prefix) override {
    directory.add_signal(prefix + "asked", asked, SignalKind::strobe, 24, "PSN");
  }
  unsigned resets = 0, finds = 0;
  SignalProbe asked;

 private:
  void b_transport(ClTransaction& t, sc_core::sc_time& delay) override {
    ++finds;
    delay += sc_core::sc_time(20 * cycle, sc_core::SC_PS);
    const std::uint64_t key = word_of(t.connection);
    if (t.command == ClTransaction::Command::update) entries_[key] = {t.header, t.psn};
    const auto& [header, psn] = entries_[key];
    t.address = {SlotAddress::Verdict::found, header.ring, header.rank, header.message, Psn::add(t.psn, -std::int64_t{psn})};
  }
  std::map<std::uint64_t, std::pair<AggregationHeader, std::uint32_t>> entries_;
};

/// A memory whose reads take 100 ns longer.
class SlowMemory : public TargetModule<> {
 public:
  explicit SlowMemory(const sc_core::sc_module_name& name) : TargetModule(name), bytes_(1 << 20) {}
  unsigned reads = 0, writes = 0;

 private:
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) override {
    access.set_response_status(tlm::TLM_OK_RESPONSE);
    std::byte* const place = bytes_.data() + access.get_address();
    if (access.is_read()) {
      ++reads;
      std::memcpy(access.get_data_ptr(), place, access.get_data_length());
      delay += sc_core::sc_time(100, sc_core::SC_NS);
    } else {
      ++writes;
      std::memcpy(place, access.get_data_ptr(), access.get_data_length());
    }
  }
  std::vector<std::byte> bytes_;
};

/// The model's combinator with 0 to 40 cycles more by time. If it answers later, sums overtake each other in it.
class LateCombinator : public CombinatorModule, private ClockedPart {
 public:
  LateCombinator(const char* name, const AcceleratorParams& params, bool later)
      : CombinatorModule(name, params), later_(later) {}
  void reset() override {
    CombinatorModule::reset();
    sums_.clear();
  }
  unsigned deferred = 0;

 private:
  void b_transport(CombineTransaction& t, sc_core::sc_time& delay) override {
    CombinatorModule::b_transport(t, delay);
    delay += sc_core::sc_time::from_value(random_at(8, 0, t.now) % (40 * cycle));
    if (!later_ || !t.late.defer(*this)) return;
    ++deferred;
    sums_.emplace(t.now + cycle + delay.value(), t.late.ticket);
  }
  Tick next() const override { return sums_.empty() ? never : sums_.begin()->first; }
  void advance(Tick to, AnswerListener& listener) override {
    while (!sums_.empty() && sums_.begin()->first <= to) {
      const auto [when, ticket] = *sums_.begin();
      sums_.erase(sums_.begin());
      listener.answered(ticket, when);
    }
  }
  bool out_of_order() const override { return true; }

  bool later_;
  std::multimap<Tick, Ticket> sums_;
};

/// The times at which results arrive, by host.
std::vector<Tick> tails(const Rack& rack) {
  std::vector<Tick> all;
  for (const auto& host : rack.hosts)
    for (const auto& a : host->arrived) all.push_back(a.tail);
  return all;
}

}  // namespace

TEST_CASE("an accelerator: windows and single events give the same sums and times", "[block][netreduce]") {
  constexpr unsigned messages = 20;
  Rack windows("windows", true), events("events", false);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  windows.post(messages), events.post(messages);
  sc_core::sc_start();
  CHECK(windows.right(messages) == 6 * messages * 4);
  CHECK(events.right(messages) == 6 * messages * 4);
  CHECK(tails(windows) == tails(events));
  CHECK(windows.accelerator->waiting().empty());
  CHECK(windows.accelerator->activations() < events.accelerator->activations());
  ProbeDirectory directory;
  windows.accelerator->describe(directory);
  for (const char* name : {"clt.update", "clt.behind", "slot.stored", "slot.completed", "slot.duplicate", "slot.stale",
                           "slot.refused", "slots.filling", "slots.done", "icrc_errors", "combinator.busy", "reemissions",
                           "ctt.learn", "ctt.miss", "port0.link.sent"})
    CHECK(directory.entries().count(std::string("windows_accelerator.") + name) == 1);
}

TEST_CASE("an accelerator: a user's connection lookup table and payload buffer work at its sockets", "[block][netreduce]") {
  OwnTable* table = nullptr;
  SlowMemory* memory = nullptr;
  Accelerator::Parts with_table, with_memory, unbound;
  with_table.connections = [&](const char* name, const Accelerator::Config&) {
    auto own = std::make_unique<OwnTable>(name);
    table = own.get();
    return own;
  };
  with_memory.payloads = [&](const char* name, const Accelerator::Config&) {
    auto own = std::make_unique<SlowMemory>(name);
    memory = own.get();
    return own;
  };
  unbound.payloads = [](const char*, const Accelerator::Config&) { return nullptr; };
  Rack plain("plain", true), slow_table("slow_table", true, with_table), slow_memory("slow_memory", true, with_memory),
      bound("bound", false, unbound);
  SlowMemory users("users");
  bound.accelerator->payloads.socket.bind(users.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  constexpr unsigned messages = 4;
  for (Rack* rack : {&plain, &slow_table, &slow_memory, &bound}) rack->post(messages);
  sc_core::sc_start();
  for (const Rack* rack : {&plain, &slow_table, &slow_memory, &bound}) CHECK(rack->right(messages) == 6 * messages * 4);
  const std::vector<Tick> before = tails(plain), table_tails = tails(slow_table), memory_tails = tails(slow_memory);
  CHECK(tails(bound) == memory_tails);
  // Delays end at clock edges: 62.06 ns are 20 cycles, and 100 ns 33.
  CHECK(table_tails[0] == before[0] + 20 * cycle);
  CHECK(memory_tails[0] == before[0] + 33 * cycle);
  CHECK(table->finds == 6 * messages * 4);
  CHECK(memory->writes == 6 * messages * 4);
  CHECK(memory->reads == 6 * messages * 4 + 6 * messages);  // and the aggregation headers
  CHECK(slow_table.accelerator->waiting() == std::vector<std::string>{"slow_table_accelerator.table: nothing is amiss"});
  ProbeDirectory directory;
  slow_table.accelerator->describe(directory);
  CHECK(directory.entries().count("slow_table_accelerator.clt.asked") == 1);
  slow_table.accelerator->reset();
  CHECK(table->resets == 1);
}

TEST_CASE("an accelerator: a combinator that answers later gives the times of one that knows them", "[block][netreduce]") {
  constexpr unsigned messages = 20;
  LateCombinator* combinators[3] = {};
  const auto parts = [&](unsigned i, bool later) {
    Accelerator::Parts made;
    made.combinator = [&combinators, i, later](const char* name, const Accelerator::Config& config) {
      auto own = std::make_unique<LateCombinator>(name, config.params, later);
      combinators[i] = own.get();
      return own;
    };
    return made;
  };
  Rack known("known", true, parts(0, false)), windows("windows", true, parts(1, true)),
      events("events", false, parts(2, true));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (Rack* rack : {&known, &windows, &events}) rack->post(messages);
  sc_core::sc_start();
  for (Rack* rack : {&known, &windows, &events}) {
    CHECK(rack->right(messages) == 6 * messages * 4);
    CHECK(tails(*rack) == tails(known));
    CHECK(rack->accelerator->waiting().empty());
  }
  CHECK((combinators[1]->deferred == messages * 4 && combinators[2]->deferred == messages * 4));
  CHECK(windows.accelerator->activations() < events.accelerator->activations());
}

}  // namespace tributary::test_accelerator_block
