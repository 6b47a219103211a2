/// A block from parameters to waveform: the example of docs/adding_a_block.md, which quotes this file.
#include <catch2/catch.hpp>

#include "modules/base/parameter_set.h"
#include "modules/link/core/serializer.h"
#include "modules/link/nvlink_port.h"
#include "modules/protocol/nvlink.h"
#include "modules/timing/device.h"
#include "testbench/harness/packet_endpoint.h"
#include "testbench/harness/protocol_monitor.h"
#include "testbench/test/harness/forked_run.h"

namespace tributary::test_example_block {

using Catch::Matchers::Contains;

namespace {

// Parameters: unit, meaning, source and legal range are declared only here.
struct LimiterParams {
  Bandwidth rate = 10_GBps;
};
template <class V>
void visit(V& v, LimiterParams& p) {
  v.field("rate", p.rate, Note("packets pass at this rate at most").source("our example").range("1MB/s", "1TB/s"));
}

/// Core: arithmetic on picoseconds, no SystemC.
class LimiterCore {
 public:
  explicit LimiterCore(const LimiterParams& params) : pace_(params.rate, NvLink::flit_bytes) {}

  /// Accepts a packet at `now`, not before the previous one; returns when it may leave.
  Tick admit(Tick now, unsigned flits) {
    const Tick start = std::max(now, pace_.free_at());
    pace_.serve(start, flits);
    admitted(start, ++count_);
    return start;
  }
  void reset() { pace_.reset(), count_ = 0; }
  void describe(ProbeDirectory& directory, const std::string& name) {
    directory.add_signal(name + ".admitted", admitted, SignalKind::strobe, 32, "a packet goes on (how many so far)");
  }

  SignalProbe admitted;

 private:
  Serializer pace_;
  std::uint64_t count_ = 0;
};

/// Shell: a device of its own, with a link in and a link out; one core.
class Limiter : public Device, private LinkPortListener {
 public:
  Limiter(const sc_core::sc_module_name& name, const LimiterParams& params, const NvLinkTransmitter::Config& link)
      : Device(name),
        in("in", static_cast<LinkPortListener&>(*this), activation(), 0, link),
        out("out", static_cast<LinkPortListener&>(*this), activation(), 1, link),
        core(params) {}

  NvLinkPort in, out;
  LimiterCore core;

 private:
  /// Stores arrivals with their own times; no earlier action of this device depends on them.
  void on_packets(unsigned, Tick first, const LinkArrival* packets, unsigned count, Tick) override {
    for (const LinkArrival* a = packets; a != packets + count; ++a) {
      const Tick start = core.admit(first + a->after + a->duration, flits_of<NvLink>(*a->packet));
      out.transmitter().push(a->packet, a->packet->vc, flits_of<NvLink>(*a->packet), start, start);
      wake(start);
    }
  }
  void on_credits(unsigned, Tick first, const LinkCredit* credits, unsigned count, Tick) override {
    for (const LinkCredit* c = credits; c != credits + count; ++c) {
      out.transmitter().credit(c->vc, c->flits, first + c->after);
      wake(out.transmitter().next_with_credit(c->vc, first + c->after));
    }
  }
  /// Sends all packets that leave up to the horizon. The space of a packet is free when its last flit has left.
  Tick run_until(Tick horizon) override {
    return out.transmitter().run_until(horizon, [this](const NvLinkTransmitter::Sent& s) {
      const LinkCredit room{0, s.packet->vc, flits_of<NvLink>(*s.packet)};
      in.return_credits(s.tail - out.transmitter().latency(), &room, 1, 0);
      const LinkArrival arrival(0, s.tail - s.head, s.packet);
      out.deliver(s.head, &arrival, 1, 0);
    });
  }
};

constexpr unsigned packets = 100, flits = 9;

/// A source, the limiter, a sink; monitors on both links.
struct Bench {
  explicit Bench(bool windowed) : source("source", link), limiter("limiter", {}, link), sink("sink", link) {
    connect_monitored(source.port, limiter.in, {link.link, link.flow_control}, monitors);
    connect_monitored(limiter.out, sink.port, {link.link, link.flow_control}, monitors);
    limiter.core.admitted.attach(this, [](void* self, Tick, std::uint64_t n) { static_cast<Bench*>(self)->seen = n; });
    const Tick window = windowed ? link.link.latency.value : 0;
    source.set_window(window), limiter.set_window(window), sink.set_window(window);
  }
  void run() {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    for (unsigned i = 0; i < packets; ++i) source.source.send(pool.make((flits - 1) * NvLink::flit_bytes, false), 1'000'000);
    source.start(1'000'000);
    sc_core::sc_start();
    for (const auto& monitor : monitors) monitor->finish();
  }
  /// Arrival of each last flit.
  std::string tails() const {
    std::string text;
    for (const PacketEndpoint::Delivery& d : sink.delivered) text += std::to_string(d.tail) + " ";
    return text;
  }

  NvLinkTransmitter::Config link{{}, 4 * flits, 0};
  PacketPool pool{NvLink{}};
  std::uint64_t seen = 0;
  PacketEndpoint source;
  Limiter limiter;
  PacketEndpoint sink;
  std::vector<std::unique_ptr<ProtocolMonitor>> monitors;
};

}  // namespace

TEST_CASE("example block: the core admits packets at its rate, and not before their arrival", "[pure][example]") {
  LimiterCore core({});
  CHECK(core.admit(0, 9) == 0);
  CHECK(core.admit(1'000, 9) == 14'400);  // 144 B at 10 GB/s
  CHECK(core.admit(50'000, 9) == 50'000);
  core.reset();
  CHECK(core.admit(1'000, 9) == 1'000);
}

TEST_CASE("example block: its parameter is one of the parameters", "[pure][example]") {
  LimiterParams params;
  const ParameterSet set(params);
  set.set_assignment("rate=5GB/s");
  CHECK(params.rate == 5_GBps);
  CHECK_THROWS_WITH(set.set_assignment("rate=2TB/s"), Contains("1TB/s"));
}

TEST_CASE("example block: between a source and a sink nothing is lost, and the rate is exact", "[block][example]") {
  Bench bench(true);
  bench.run();
  REQUIRE(bench.sink.delivered.size() == packets);
  CHECK(bench.sink.delivered.back().tail - bench.sink.delivered.front().tail == (packets - 1) * 14'400);
  CHECK(bench.seen == packets);
  for (const auto& monitor : bench.monitors) CHECK(to_text(monitor->violations()).empty());
  CHECK(bench.limiter.out.transmitter().quiescent());
  CHECK(bench.pool.live() == 0);
}

TEST_CASE("example block: windows change nothing", "[block][example]") {
  const auto tails = [](bool windowed) {
    return in_child([=] {
      Bench bench(windowed);
      bench.run();
      return bench.tails();
    });
  };
  CHECK(tails(true) == tails(false));
}

}  // namespace tributary::test_example_block
