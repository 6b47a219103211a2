// Side ports: devices of two protocols and windows, joined by PCIe.
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/random.h"
#include "modules/pcie/pcie_framing.h"
#include "modules/pcie/pcie_port.h"
#include "platforms/platform.h"
#include "testbench/test/harness/frame_endpoint.h"
#include "testbench/test/harness/test_protocols.h"

namespace tributary::test_side_port_block {
namespace {

using Catch::Matchers::Contains;
using Source = FrameSource<CreditedLink>;

constexpr unsigned frames = 150, most_payload = 4096;
constexpr Tick byte_time = 80, traffic_from = 20'000'000;
constexpr PcieFraming framing{256, 24};

/// Latencies of the links between four devices in a row: source, bridge, Ethernet bridge, endpoint.
struct Hops {
  Tick first, pcie, last;
  Tick delay = 30'000;  // bridges forward after this time
};

LinkParams link_of(Tick latency) {
  LinkParams link;
  link.rate = 100_Gbps;
  link.latency = picoseconds(latency);
  return link;
}
Source::LinkTransmitter::Config credited(Tick latency) {
  Source::LinkTransmitter::Config config;
  config.link = link_of(latency);
  config.flow_control = 2 * 9216;
  return config;
}
PcieSidePort::Config pcie_link(Tick latency) {
  PcieSidePort::Config config;
  config.link = link_of(latency);
  config.flow_control = 2 * framing.wire_bytes(most_payload);
  return config;
}

/// Packets that a side port has received.
class Received : public SideReceiver {
 public:
  struct Arrival {
    Packet* packet;
    Tick tail;
  };
  ~Received() override { clear(); }
  void on_side_packet(Packet* packet, Tick, Tick tail) override { arrivals.push_back({packet, tail}); }
  void clear() {
    for (const Arrival& a : arrivals) a.packet->release();
    arrivals.clear();
  }
  std::vector<Arrival> arrivals;
};

/// Carries packets of a side port and of another link over, `delay` after their last flit.
template <class Forward>
void empty(Received& received, PcieSidePort& side, Tick delay, Forward&& forward) {
  for (const Received::Arrival& a : received.arrivals) {
    forward(*a.packet, a.tail + delay);
    side.free(a.tail + delay, a.packet->vc, flits_of<Pcie>(*a.packet));
  }
  received.clear();
}

/// Between a link with credits and PCIe.
class Bridge : public BasicWindowedDevice<CreditedLink> {
 public:
  Bridge(const sc_core::sc_module_name& name, const Hops& hops, PacketPool& pool)
      : BasicWindowedDevice(name, hops.delay, link_of(hops.first)),
        port("port", static_cast<LinkPortListener&>(*this), activation(), 0, credited(hops.first)),
        side("pcie", *this, received_, hops.delay, pcie_link(hops.pcie)),
        pool_(pool),
        links_(set_ports({&port}), static_cast<LinkOutput&>(*this)),
        delay_(hops.delay) {}
  ~Bridge() override { Bridge::reset(); }
  std::vector<std::string> waiting() const override {
    std::vector<std::string> lines;
    side_ports().add_waiting(lines);
    return lines;
  }
  void reset() override {
    received_.clear();
    links_.reset();
    reset_links();
  }
  void describe(ProbeDirectory& directory) override { describe_ports(directory); }

 private:
  Received received_;

 public:
  LinkPort port;
  PcieSidePort side;

 private:
  void credit(unsigned p, Tick first, const LinkCredit* credits, unsigned count) override {
    links_.credit(p, first, credits, count, false);
  }
  Tick safe_horizon(Tick now, Tick packets, const Tick* credits) override {
    links_.decide(now, credits);
    return packets;
  }
  Tick sent_until() const override { return links_.done(); }
  Tick run_core(Inbox& inbox, Tick horizon) override {
    inbox.take_packets(horizon, [this](unsigned, Packet* packet, Tick, Tick tail) {
      const auto& h = packet->header<FrameHeader>();
      Packet* const p =
          make_pcie(pool_, framing, h.number % 2 == 0 ? PcieKind::post : PcieKind::data, packet->payload_bytes, false);
      pcie(*p).address = h.number;
      side.push(p, p->vc, tail + delay_, tail + delay_);
      links_.free(0, tail + delay_, 0, flits_of<CreditedLink>(*packet));
      packet->release();
    });
    empty(received_, side, delay_, [this](const Packet& from, Tick ready) {
      Packet* const p = pool_.make(from.payload_bytes, false);
      p->header<FrameHeader>().number = pcie(from).address;
      links_[0].push(p, 0, flits_of<CreditedLink>(*p), ready, ready);
      links_.sending(0);
    });
    return links_.finish(horizon, [](const LinkTransmitter::Sent&) {});
  }

  PacketPool& pool_;
  BasicOutgoingLinks<CreditedLink> links_;
  Tick delay_;
};

/// Between PCIe and Ethernet.
class EthernetBridge : public EthernetDevice {
 public:
  EthernetBridge(const sc_core::sc_module_name& name, const Hops& hops, PacketPool& pool)
      : EthernetDevice(name, hops.delay, {{100_Gbps, picoseconds(hops.last)}}, pool),
        side("pcie", *this, received_, hops.delay, pcie_link(hops.pcie)),
        pool_(pool),
        delay_(hops.delay) {}
  ~EthernetBridge() override { EthernetDevice::reset(); }

 private:
  Received received_;

 public:
  PcieSidePort side;

 private:
  Tick run_core(Inbox& inbox, Tick horizon) override {
    inbox.take_packets(horizon, [this](unsigned, Packet* frame, Tick, Tick tail) {
      constexpr PcieKind kinds[] = {PcieKind::read, PcieKind::write, PcieKind::notice};
      Packet* const p = make_pcie(pool_, framing, kinds[roce(*frame).address % 3], frame->payload_bytes, false);
      pcie(*p).address = roce(*frame).address;
      side.push(p, p->vc, tail + delay_, tail + delay_);
      frame->release();
    });
    empty(received_, side, delay_, [this](const Packet& from, Tick ready) {
      Packet* const p = make_frame(pool_, FrameKind::datagram, from.payload_bytes, false);
      p->vc = datagram_class;
      roce(*p).address = pcie(from).address;
      links().push(0, p, p->vc, ready, ready);
    });
    return links().finish(horizon, safe_times(), [](unsigned, const EthernetLinks::Sent&) {});
  }
  std::vector<std::string> core_waiting() const override { return {}; }
  void reset_core() override { received_.clear(); }
  void describe_core(ProbeDirectory&) override {}

  PacketPool& pool_;
  Tick delay_;
};

topology::Graph row_of_four() {
  topology::Graph graph;
  const auto add = [&](const char* name, topology::NodeKind kind, int ports, int island, int index) {
    graph.add_node({kind, name, ports, 0, 0, index, island});
  };
  add("source", topology::NodeKind::nic, 1, 0, 0);
  add("bridge", topology::NodeKind::switch_node, 2, 0, 0);
  add("ethernet_bridge", topology::NodeKind::switch_node, 2, 1, 1);
  add("endpoint", topology::NodeKind::nic, 1, 1, 1);
  graph.connect({0, 0}, {1, 0});
  graph.connect({1, 1}, {2, 1});
  graph.connect({2, 0}, {3, 0});
  return graph;
}

class Row : public Platform {
 public:
  Row(const sc_core::sc_module_name& name, const Hops& hops, bool windowed) : Platform(name, row_of_four()) {
    PlatformPart& packets = add_part({hops.first, hops.delay, 1'000'000}, framing_of<CreditedLink>());
    PlatformPart& ethernet =
        add_part({hops.last + EthernetLink::header_bytes * byte_time, hops.delay, 1'000'000}, framing_of<EthernetLink>());
    source = &add_device_of<Source>(packets, 0, credited(hops.first));
    bridge = &add_device_of<Bridge>(packets, 1, hops, packets.pools.front());
    ethernet_bridge = &add_device_of<EthernetBridge>(ethernet, 2, hops, ethernet.pools.front());
    endpoint = &add_device_of<FrameEndpoint>(ethernet, 3, EthernetDevice::PortConfig{100_Gbps, picoseconds(hops.last)},
                                             ethernet.pools.front());
    pools = {&packets.pools.front(), &ethernet.pools.front()};
    wire(windowed);
  }
  ~Row() override { Platform::reset(); }
  unsigned endpoints() const override { return 0; }
  std::byte* memory_of(unsigned) override { return nullptr; }
  void resize_memory(unsigned, std::uint64_t) override {}
  std::map<std::string, double> counters() const override { return {}; }
  Tick longest_silence(std::uint64_t) const override { return 0; }

  /// One frame from the source alone, then frames of random sizes both ways.
  void send() {
    from_source(1'000, 0, 1'000'000);
    for (unsigned i = 0; i < frames; ++i) {
      from_source(i, static_cast<unsigned>(random_at(3, 0, i) % (most_payload + 1)), traffic_from);
      Packet* const p = make_frame(*pools[1], FrameKind::datagram, static_cast<unsigned>(random_at(3, 1, i) % 1025), false);
      p->vc = datagram_class;
      roce(*p).address = i;
      endpoint->send(p, traffic_from);
    }
  }
  void from_source(std::uint64_t number, unsigned payload, Tick ready) {
    Packet* const p = pools[0]->make(payload, false);
    p->header<FrameHeader>().number = number;
    source->send(p, ready);
  }

  Source* source;
  Bridge* bridge;
  EthernetBridge* ethernet_bridge;
  FrameEndpoint* endpoint;
  std::vector<PacketPool*> pools;
};

}  // namespace

namespace {

void check_alike(const Row& windowed, const Row& reference, const Hops& hops) {
  REQUIRE(windowed.endpoint->arrived.size() == frames + 1);
  REQUIRE(reference.endpoint->arrived.size() == frames + 1);
  for (std::size_t i = 0; i <= frames; ++i) {
    const FrameEndpoint::Arrived &a = windowed.endpoint->arrived[i], &b = reference.endpoint->arrived[i];
    CHECK((a.tail == b.tail && roce(*a.frame).address == roce(*b.frame).address));
  }
  CHECK(windowed.source->arrived == reference.source->arrived);
  CHECK(windowed.source->arrived.size() == frames);
  CHECK(windowed.source->starts == reference.source->starts);
  // 64 B, then a TLP of 24 B, then a frame of 84 B with preamble and gap
  CHECK(windowed.endpoint->arrived.front().tail == 1'000'000 + hops.first + 64 * byte_time + hops.delay + hops.pcie +
                                                       24 * byte_time + hops.delay + hops.last + 84 * byte_time);
  for (const Row* row : {&windowed, &reference}) {
    CHECK(row->waiting().empty());
    CHECK(row->live_packets() == frames + 1);  // kept by the endpoint
    CHECK(row->bridge->side.port().transmitter().traffic().packets == frames + 1);
    CHECK(row->ethernet_bridge->side.port().transmitter().traffic().packets == frames);
  }
  CHECK(windowed.activations() < reference.activations());
}

}  // namespace

TEST_CASE("side ports: devices of unlike windows give equal times in windows and event by event", "[block][side_port]") {
  const std::vector<Hops> all{{20'000, 100'000, 10'000}, {20'000, 1'100'000, 1'000'000}, {400'000, 400'000, 50'000}};
  std::vector<std::unique_ptr<Row>> windowed, reference;
  windowed.reserve(all.size()), reference.reserve(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    windowed.push_back(std::make_unique<Row>(("windowed" + std::to_string(i)).c_str(), all[i], true));
    reference.push_back(std::make_unique<Row>(("reference" + std::to_string(i)).c_str(), all[i], false));
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (std::size_t i = 0; i < all.size(); ++i) windowed[i]->send(), reference[i]->send();
  sc_core::sc_start();
  for (std::size_t i = 0; i < all.size(); ++i) check_alike(*windowed[i], *reference[i], all[i]);
}

TEST_CASE("side ports: they are numbered after the device's other ports, and have probes", "[block][side_port]") {
  Row row("row", {20'000, 100'000, 10'000}, true);
  CHECK(row.bridge->ports() == 2);
  CHECK(row.ethernet_bridge->ports() == 2);
  CHECK(row.bridge->link_end(1).sent.protocol() == ProtocolId::pcie);
  CHECK(row.links()[2].name == "bridge.port1>ethernet_bridge.port1");
  ProbeDirectory probes;
  row.describe(probes);
  struct Seen {
    unsigned packets = 0, kinds = 0;
  } seen;
  probes.for_each<PacketProbe>([&](const std::string& name, PacketProbe& probe) {
    if (name != "row.bridge.pcie.link.sent") return;
    probe.attach(&seen, [](void* observer, Tick, const PacketView& view) {
      auto& s = *static_cast<Seen*>(observer);
      ++s.packets;
      s.kinds |= view.protocol == ProtocolId::pcie ? 1u << view.opcode : 0;
    });
  });
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  row.send();
  sc_core::sc_start();
  CHECK(seen.packets == frames + 1);
  CHECK(seen.kinds == (1u << unsigned(PcieKind::post) | 1u << unsigned(PcieKind::data)));
}

TEST_CASE("side ports: a run that is cut off lists what waits there, and a reset drops it", "[block][side_port]") {
  Row row("row", {20'000, 1'100'000, 10'000}, true);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  row.stop_at(traffic_from + 2'000'000);
  row.send();
  sc_core::sc_start(sc_core::sc_time::from_value(traffic_from + 2'000'000));
  std::string all;
  for (const std::string& line : row.waiting()) all += line + "\n";
  CHECK_THAT(all, Contains("row.bridge.pcie: ") && Contains("credits held"));
  row.reset();
  CHECK(row.waiting().empty());
  CHECK(row.live_packets() == row.endpoint->arrived.size());
}

TEST_CASE("side ports: a device has at most four, and an early packet is refused", "[block][side_port]") {
  Row row("row", {20'000, 100'000, 10'000}, true);
  SidePorts ports;
  for (unsigned i = 0; i < SidePorts::most; ++i) ports.add(row.bridge->side);
  CHECK_THROWS_WITH(ports.add(row.bridge->side), "a device has at most 4 side ports");
  row.ethernet_bridge->set_window(10'000'000);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (unsigned i = 0; i < frames; ++i) row.from_source(i, 0, traffic_from);
  CHECK_THROWS_WITH(sc_core::sc_start(), Contains("row.bridge.pcie>row.ethernet_bridge.pcie: a packet arrives at "));
}

}  // namespace tributary::test_side_port_block
