// Hosts, a switch and an accelerator wired by hand: the whole path of a gradient (Liu et al., Fig. 3), with and without
// losses.
#include <catch2/catch.hpp>

#include "testbench/test/harness/netreduce_hosts.h"

namespace tributary::test_netreduce_rack_block {
namespace {

/// Three hosts at ports 0 to 2 of a switch, and the accelerator at ports 3 to 5.
class Rack : public NetReduceHosts {
 public:
  Rack(const std::string& name, bool windows, unsigned message_packets, std::uint64_t bytes, bool with_data = true)
      : NetReduceHosts(3, message_packets, bytes, with_data) {
    EthernetSwitch::Config s;
    Accelerator::Config a;
    s.ports.assign(6, port);
    a.ports.assign(3, port);
    std::bitset<max_ethernet_ports> from_accelerator;
    for (unsigned h = 0; h < 3; ++h) {
      from_accelerator.set(3 + h);
      s.routes.set(static_cast<std::uint16_t>(h), {h});
    }
    for (unsigned h = 0; h < 3; ++h)
      s.rules.push_back(detour_rule(static_cast<std::uint16_t>(h), next(h), from_accelerator, 3 + h));
    ethernet_switch = &add(std::make_unique<EthernetSwitch>((name + "_switch").c_str(), s, pool_));
    accelerator = &add(std::make_unique<Accelerator>((name + "_accelerator").c_str(), a, Accelerator::Parts{}, pool_));
    add_hosts(name);
    for (unsigned h = 0; h < 3; ++h) {
      connect(*host[h], 0, *ethernet_switch, h);
      connect(*accelerator, h, *ethernet_switch, 3 + h);
    }
    if (windows) set_windows();
  }
  void post(Tick t0) {
    AggregationRing r = ring();
    for (unsigned h = 0; h < 3; ++h) r.members.push_back(member(h, h));
    accelerator->begin({r}, with_data_);
    post_jobs(t0);
  }

  EthernetSwitch* ethernet_switch;
  Accelerator* accelerator;
};

}  // namespace

TEST_CASE("rack by hand: hosts, a switch and an accelerator sum a tensor, in windows as with single events",
          "[block][netreduce]") {
  constexpr std::uint64_t bytes = 100'000;  // 13 messages of 8176 B, the last one not full
  Rack windows("windows", true, 8, bytes), events("events", false, 8, bytes);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  windows.post(2'000'000), events.post(2'000'000);
  sc_core::sc_start();
  CHECK(windows.right() == 3 * bytes / 4);
  CHECK(events.right() == 3 * bytes / 4);
  for (unsigned h = 0; h < 3; ++h) CHECK(windows.finished.when(h) == events.finished.when(h));
  CHECK(windows.waiting().empty());
  CHECK(events.waiting().empty());
}

TEST_CASE("rack by hand: a window of two messages of 170 packets runs at line rate", "[block][netreduce]") {
  constexpr std::uint64_t messages = 12;
  Rack rack("rack", true, 170, messages * 174'064, false);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  rack.post(2'000'000);
  sc_core::sc_start();
  // 188 040 B per message at 12.5 GB/s, and one path of about 4 us.
  const Tick wire = messages * 188'040 * 80, took = rack.finished.when(0) - 2'000'000;
  CHECK(took > wire + 3'000'000);
  CHECK(took < wire + 5'000'000);
  CHECK(rack.waiting().empty());
}

TEST_CASE("rack by hand: a lost gradient, first gradient, result or acknowledgement is repaired", "[block][netreduce]") {
  constexpr std::uint64_t bytes = 60'000;
  struct Case {
    const char* name;
    bool to_accelerator;
    std::function<bool(const Packet&)> lost;
  };
  const auto nth = [](unsigned n) { return [n](const Packet& p) mutable { return is_write(roce(p).kind) && n-- == 0; }; };
  const std::vector<Case> cases{
      {"gradient", true, nth(3)},
      {"first", true, [](const Packet& p) { return roce(p).kind == FrameKind::write_first && roce(p).extra == 2; }},
      {"last", true, [](const Packet& p) { return roce(p).kind == FrameKind::write_last_immediate && roce(p).extra == 7; }},
      {"result", false, nth(20)},
      {"ack", false, [](const Packet& p) { return roce(p).kind == FrameKind::ack; }}};
  std::vector<std::unique_ptr<Rack>> racks;
  std::vector<OneLoss> faults(2 * cases.size());
  for (std::size_t i = 0; i < 2 * cases.size(); ++i) {
    const Case& c = cases[i / 2];
    racks.push_back(std::make_unique<Rack>(c.name + std::to_string(i % 2), i % 2 == 0, 8, bytes));
    faults[i].lost = c.lost;
    // On the path to the accelerator, or to host 1.
    racks[i]->ethernet_switch->links().set_faults(c.to_accelerator ? 3 : 1, &faults[i]);
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (const auto& rack : racks) rack->post(2'000'000);
  sc_core::sc_start();
  for (std::size_t i = 0; i < racks.size(); ++i) {
    INFO(cases[i / 2].name);
    CHECK(faults[i].done);
    CHECK(racks[i]->right() == 3 * bytes / 4);
    CHECK(racks[i]->waiting().empty());
    for (unsigned h = 0; i % 2 == 1 && h < 3; ++h) CHECK(racks[i]->finished.when(h) == racks[i - 1]->finished.when(h));
  }
}

}  // namespace tributary::test_netreduce_rack_block
