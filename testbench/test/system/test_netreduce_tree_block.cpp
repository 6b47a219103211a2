// Two racks of two hosts and a spine wired by hand, each switch with an accelerator (Liu et al., 3.3), with and without
// losses.
#include <catch2/catch.hpp>

#include "testbench/test/harness/netreduce_hosts.h"

namespace tributary::test_netreduce_tree_block {
namespace {

/// Ports of a leaf's switch: hosts 0 and 1, accelerator 2 to 4 (4: its uplink), spine 5. Ports of the spine's switch:
/// leaves 0 and 1, accelerator 2 and 3. Stations of the accelerators: 10, 11, and 12 at the spine.
class Tree : public NetReduceHosts {
 public:
  Tree(const std::string& name, bool windows, unsigned message_packets, std::uint64_t bytes, CtLearning learn)
      : NetReduceHosts(4, message_packets, bytes, true) {
    add_hosts(name);
    Accelerator::Config leaf, top;
    leaf.ports.assign(3, port), top.ports.assign(2, port);
    leaf.params.ctt.learn = learn;
    EthernetSwitch::Config spine;
    spine.ports.assign(4, port);
    for (std::uint16_t l = 0; l < 2; ++l) {
      spine.routes.set(static_cast<std::uint16_t>(10 + l), {l});
      AccessRule sums;
      sums.ports.reset().set(l);
      sums.destination = root;
      sums.redirect = 2u + l;
      spine.rules.push_back(sums);
    }
    spine.routes.set(root, {2});
    for (std::uint16_t h = 0; h < 4; ++h) spine.routes.set(h, {h / 2u});
    switches.push_back(&add(std::make_unique<EthernetSwitch>((name + "_spine").c_str(), spine, pool_)));
    accelerators.push_back(&add(std::make_unique<Accelerator>((name + "_root").c_str(), top, Accelerator::Parts{}, pool_)));
    for (unsigned l = 0; l < 2; ++l) {
      connect(*switches[0], 2 + l, *accelerators[0], l);
      const std::string number = std::to_string(l);
      switches.push_back(&add(std::make_unique<EthernetSwitch>((name + "_switch" + number).c_str(), leaf_switch(l), pool_)));
      accelerators.push_back(
          &add(std::make_unique<Accelerator>((name + "_leaf" + number).c_str(), leaf, Accelerator::Parts{}, pool_)));
      connect(*switches[1 + l], 5, *switches[0], l);
      for (unsigned i = 0; i < 3; ++i) connect(*switches[1 + l], 2 + i, *accelerators[1 + l], i);
      for (unsigned i = 0; i < 2; ++i) connect(*switches[1 + l], i, *host[2 * l + i], 0);
    }
    if (windows) set_windows();
  }
  void post(Tick t0) {
    AggregationRing top = ring();
    top.role = TreeRole::root;
    top.station = root;
    for (std::uint16_t l = 0; l < 2; ++l) {
      const auto station = static_cast<std::uint16_t>(10 + l);
      top.members.push_back({{station, root, ring_number}, l, l});
      AggregationRing r = ring();
      r.role = TreeRole::leaf;
      r.station = station;
      r.parent = root;
      r.number = l;
      r.uplink = 2;
      for (unsigned i = 0; i < 2; ++i) {
        r.members.push_back(member(2u * l + i, i));
        r.receivers.push_back({static_cast<std::uint16_t>(2 * l + i), i});
      }
      accelerators[1 + l]->begin({r}, true);
    }
    accelerators[0]->begin({top}, true);
    post_jobs(t0);
  }

  std::vector<EthernetSwitch*> switches;   // spine, leaves
  std::vector<Accelerator*> accelerators;  // root, leaves

 private:
  static constexpr std::uint16_t root = 12;

  EthernetSwitch::Config leaf_switch(unsigned l) const {
    EthernetSwitch::Config s;
    s.ports.assign(6, port);
    std::bitset<max_ethernet_ports> from_accelerator;
    for (unsigned p = 2; p < 5; ++p) from_accelerator.set(p);
    for (std::uint16_t h = 0; h < 4; ++h) s.routes.set(h, {h / 2u == l ? h % 2u : 5});
    for (std::uint16_t k = 0; k < 2; ++k) s.routes.set(static_cast<std::uint16_t>(10 + k), {k == l ? 4u : 5u});
    s.routes.set(root, {5});
    // Connections that begin here, and notifications of connections that end here.
    for (std::uint16_t h = 0; h < 4; ++h)
      if (h / 2u == l || next(h) / 2u == l)
        s.rules.push_back(detour_rule(h, next(h), from_accelerator, h / 2u == l ? 2 + h % 2u : 4));
    return s;
  }
};

}  // namespace

TEST_CASE("tree by hand: two racks and a spine sum a tensor, in windows as with single events", "[block][netreduce]") {
  constexpr std::uint64_t bytes = 60'000, messages = 8;  // 8176 B each
  Tree windows("windows", true, 8, bytes, CtLearning::affine), events("events", false, 8, bytes, CtLearning::affine),
      literal("literal", true, 8, bytes, CtLearning::per_message);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (Tree* tree : {&windows, &events, &literal}) tree->post(2'000'000);
  sc_core::sc_start();
  for (Tree* tree : {&windows, &events, &literal}) {
    CHECK(tree->right() == 4 * bytes / 4);
    CHECK(tree->waiting().empty());
    for (unsigned l = 0; l < 2; ++l) {
      // One sum of each packet goes up, one result comes down; no other packet enters or leaves the root.
      const LinkMeter::Traffic up = tree->switches[0]->link_end(2 + l).sent.traffic(),
                               down = tree->accelerators[0]->link_end(l).sent.traffic();
      CHECK((up.packets == messages * 8 && down.packets == messages * 8));
      CHECK((up.bytes == messages * 8 * 1106 && down.bytes == messages * 8 * 1106));
    }
  }
  for (unsigned h = 0; h < 4; ++h) CHECK(windows.finished.when(h) == events.finished.when(h));
}

TEST_CASE("tree by hand: losses between racks or inside one are repaired", "[block][netreduce]") {
  constexpr std::uint64_t bytes = 60'000;
  struct Case {
    const char* name;
    unsigned at, port;  // switch, and its port
    std::function<bool(const Packet&)> lost;
  };
  const auto kind = [](FrameKind k, bool from_above, std::uint32_t message) {
    return [=](const Packet& p) {
      return roce(p).kind == k && (roce(p).from_above != 0) == from_above && roce(p).extra == message;
    };
  };
  const std::vector<Case> cases{{"gradient", 1, 3, kind(FrameKind::write_first, false, 3)},
                                {"sum", 1, 5, kind(FrameKind::aggregate, false, 2)},
                                {"result", 0, 0, kind(FrameKind::aggregate, true, 2)},
                                {"result_to_host", 2, 1, kind(FrameKind::write_last_immediate, false, 4)},
                                {"notification", 1, 5, kind(FrameKind::notification, false, 0)}};
  std::vector<std::unique_ptr<Tree>> trees;
  std::vector<OneLoss> faults(2 * cases.size());
  for (std::size_t i = 0; i < 2 * cases.size(); ++i) {
    const Case& c = cases[i / 2];
    trees.push_back(std::make_unique<Tree>(c.name + std::to_string(i % 2), i % 2 == 0, 8, bytes, CtLearning::affine));
    faults[i].lost = c.lost;
    trees[i]->switches[c.at]->links().set_faults(c.port, &faults[i]);
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (const auto& tree : trees) tree->post(2'000'000);
  sc_core::sc_start();
  for (std::size_t i = 0; i < trees.size(); ++i) {
    INFO(cases[i / 2].name);
    CHECK(faults[i].done);
    CHECK(trees[i]->right() == 4 * bytes / 4);
    CHECK(trees[i]->waiting().empty());
    for (unsigned h = 0; i % 2 == 1 && h < 4; ++h) CHECK(trees[i]->finished.when(h) == trees[i - 1]->finished.when(h));
  }
}

}  // namespace tributary::test_netreduce_tree_block
