// A tick is a picosecond, and a block that adds 50 ns to a delay must not add 5 ns.
#include <catch2/catch.hpp>

#include "modules/base/sysc/table_socket.h"
#include "modules/base/sysc/target_module.h"
#include "testbench/harness/packet_endpoint.h"
#include "testbench/observe/waveform.h"
#include "testbench/test/harness/child_end.h"

namespace tributary::test_time_resolution {
namespace {

const std::string refusal =
    "tributary: error: time resolution is 100 fs; Tributary needs 1 ps: remove sc_set_time_resolution, and build RTL with "
    "verilator --timescale-override /1ps\n";

void set_resolution() { sc_core::sc_set_time_resolution(100, sc_core::SC_FS); }

void check_refused(const std::function<void()>& work) {
  const ChildEnd end = child_end(work);
  CHECK(end.code == 2);
  CHECK(end.text == refusal);
}

/// A table without contents.
struct Transaction {};
struct Table : TableModule<Transaction> {
  explicit Table(const char* name) : TableModule(name) {}
  void b_transport(Transaction&, sc_core::sc_time&) override {}
  std::vector<std::string> waiting() const override { return {}; }
  void reset() override {}
  void describe(ProbeDirectory&, const std::string&) override {}
};

struct Initiator : sc_core::sc_module {
  explicit Initiator(const sc_core::sc_module_name& name) : sc_module(name) {}
  TableInitiator<Transaction> socket{"socket"};
};

struct Target : TargetModule<> {
  explicit Target(const char* name) : TargetModule(name) {}
  void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
};

}  // namespace

TEST_CASE("time resolution: devices, sockets and waveforms refuse one that was set before", "[block][timing]") {
  const auto before = [](const std::function<void()>& construct) {
    check_refused([&] {
      set_resolution();
      construct();
    });
  };
  before([] { PacketEndpoint("endpoint", NvLinkTransmitter::Config{}); });
  before([] { Initiator("initiator"); });
  before([] { Table("table"); });
  before([] { Target("target"); });
  before([] { Waveform(ProbeDirectory(), {}, "/dev/null"); });
}

TEST_CASE("time resolution: devices and sockets refuse one that is set after they were constructed", "[block][timing]") {
  check_refused([] {
    PacketEndpoint a("a", NvLinkTransmitter::Config{}), b("b", NvLinkTransmitter::Config{});
    connect(a.port, b.port);
    set_resolution();
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  });
  check_refused([] {
    Initiator initiator("initiator");
    Table table("table");
    initiator.socket.bind(table.socket);
    set_resolution();
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  });
}

TEST_CASE("time resolution: 1 ps is accepted, however it is set", "[block][timing]") {
  const ChildEnd end = child_end([] {
    sc_core::sc_set_time_resolution(1000, sc_core::SC_FS);
    PacketEndpoint a("a", NvLinkTransmitter::Config{}), b("b", NvLinkTransmitter::Config{});
    connect(a.port, b.port);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  });
  CHECK(end.code == 0);
  CHECK(end.text == "");
}

}  // namespace tributary::test_time_resolution
