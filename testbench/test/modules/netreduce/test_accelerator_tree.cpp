// Accelerators of two racks and a spine without a kernel (Liu et al., 3.3 and Table 3).
#include <array>
#include <catch2/catch.hpp>
#include <functional>

#include "testbench/test/harness/accelerator_bench.h"
#include "testbench/test/harness/ring_frames.h"

namespace tributary::test_accelerator_tree {
namespace {

constexpr std::uint16_t leaf_station = 10, root_station = 12;

/// Two hosts at each of two leaves: ports 0 and 1 lead to the hosts, port 2 to the root. Frames for hosts are stored.
class Tree {
 public:
  explicit Tree(const AcceleratorParams& params = {}, const AggregationParams& rules = {})
      : leaves_{AcceleratorBench(3, params, rules), AcceleratorBench(3, params, rules)}, root_(2, params, rules) {
    ring.hosts = 4;
    for (unsigned l = 0; l < 2; ++l) leaves_[l].core->begin({leaf(l)}, true);
    AggregationRing top = ring.ring(ElementType::i32);
    top.role = TreeRole::root;
    top.station = root_station;
    top.members.clear();
    for (std::uint16_t l = 0; l < 2; ++l)
      top.members.push_back({{static_cast<std::uint16_t>(leaf_station + l), root_station, 0}, l, l});
    root_.core->begin({top}, true);
  }
  ~Tree() {
    for (Packet* p : hosts) p->release();
  }

  AggregationRing leaf(unsigned l) const {
    AggregationRing r = ring.ring(ElementType::i32);
    r.role = TreeRole::leaf;
    r.members = {r.members[2 * l], r.members[2 * l + 1]};
    for (unsigned h = 0; h < 2; ++h) {
      r.members[h].port = h;
      r.receivers.push_back({static_cast<std::uint16_t>(2 * l + h), h});
    }
    r.station = static_cast<std::uint16_t>(leaf_station + l);
    r.parent = root_station;
    r.number = static_cast<std::uint16_t>(l);
    r.uplink = 2;
    return r;
  }
  /// All elements are 10^rank.
  void send(unsigned rank, std::uint32_t message, std::uint32_t offset, Ecn ecn = Ecn::capable) {
    std::vector<std::int32_t> values(256, rank == 0 ? 1 : rank == 1 ? 10 : rank == 2 ? 100 : 1000);
    const auto* const data = reinterpret_cast<const std::byte*>(values.data());
    AcceleratorBench& at = leaves_[rank / 2];
    Packet* const gradient = ring.gradient(at.pool, rank, message, offset, data);
    roce(*gradient).ecn = static_cast<unsigned>(ecn) & 3u;
    at.receive(rank % 2, gradient, now_ += 1'000'000);
    run();
  }
  void send_all(std::uint32_t message, std::uint32_t offset) {
    for (unsigned r = 0; r < 4; ++r) send(r, message, offset);
  }
  void forget() {
    for (Packet* p : hosts) p->release();
    hosts.clear();
  }
  AcceleratorBench& leaf_bench(unsigned l) { return leaves_[l]; }
  AcceleratorBench& root_bench() { return root_; }

  RingFrames ring;
  std::vector<Packet*> hosts;  ///< frames that have left to hosts
  std::function<bool(const Packet&)> lost = [](const Packet&) {
    return false;
  };  ///< selects frames between accelerators to drop
  std::function<bool(const Packet&)> mark = [](const Packet&) {
    return false;
  };  ///< selects frames between accelerators to mark
  unsigned up = 0, down = 0, notifications = 0;

 private:
  void run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (unsigned l = 0; l < 2; ++l) {
        leaves_[l].run();
        moved |= !leaves_[l].sent.empty();
        for (const auto& s : std::exchange(leaves_[l].sent, {})) leave(l, s);
      }
      root_.run();
      moved |= !root_.sent.empty();
      for (const auto& s : std::exchange(root_.sent, {})) {
        ++down;
        pass(leaves_[s.port], 2, s);
      }
    }
  }
  void leave(unsigned from, const AcceleratorBench::Sent& s) {
    if (s.port != 2) return hosts.push_back(s.frame);
    const bool notifies = roce(*s.frame).kind == FrameKind::notification;
    ++(notifies ? notifications : up);
    notifies ? pass(leaves_[1 - from], 2, s) : pass(root_, from, s);
  }
  void pass(AcceleratorBench& to, unsigned port, const AcceleratorBench::Sent& s) {
    now_ = std::max(now_, s.tail);
    if (lost(*s.frame)) return s.frame->release();
    if (mark(*s.frame)) roce(*s.frame).ecn = static_cast<unsigned>(Ecn::congested) & 3u;
    to.receive(port, s.frame, s.tail);
  }

  std::array<AcceleratorBench, 2> leaves_;
  AcceleratorBench root_;
  Tick now_ = 0;
};

std::vector<ConnectionKey> targets(const CtEntry* entry) {
  std::vector<ConnectionKey> to;
  if (entry != nullptr)
    for (const CtTarget& t : entry->to) to.push_back(t.connection);
  std::sort(to.begin(), to.end());
  return to;
}
std::vector<ConnectionKey> sorted(std::vector<ConnectionKey> keys) {
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace

TEST_CASE("translation tables of two racks equal Table 3", "[pure][netreduce]") {
  Tree tree;
  tree.send_all(0, 0);
  const ConnectionKey l1s{10, 12, 0}, l2s{11, 12, 0}, sl1{12, 10, 0}, sl2{12, 11, 0};
  const auto w = [&](unsigned rank) { return tree.ring.connection(rank); };  // W1 is rank 0
  const CtTable &l1 = tree.leaf_bench(0).translations, &l2 = tree.leaf_bench(1).translations,
                &s = tree.root_bench().translations;
  CHECK(targets(l1.find(w(0))) == std::vector{l1s});
  CHECK(targets(l1.find(w(1))) == std::vector{l1s});
  CHECK(targets(l1.find(sl1)) == sorted({w(0), w(3)}));
  CHECK(targets(l2.find(w(2))) == std::vector{l2s});
  CHECK(targets(l2.find(w(3))) == std::vector{l2s});
  CHECK(targets(l2.find(sl2)) == sorted({w(1), w(2)}));
  CHECK(targets(s.find(l1s)) == sorted({sl1, sl2}));
  CHECK(targets(s.find(l2s)) == sorted({sl1, sl2}));
  CHECK((l1.entries() == 3 && l2.entries() == 3 && s.entries() == 2));
  CHECK((l1.find(w(0))->direction == CtDirection::aggregate && l1.find(sl1)->direction == CtDirection::multicast));
  CHECK((s.find(l1s)->preset && !l1.find(sl1)->preset));
}

TEST_CASE("each leaf sends one sum up and gets one result, and each host gets the frames of its connection",
          "[pure][netreduce]") {
  for (const CtLearning learn : {CtLearning::affine, CtLearning::per_message}) {
    AcceleratorParams params;
    params.ctt.learn = learn;
    Tree tree(params);
    const unsigned messages = 6, packets = tree.ring.message_packets;
    for (unsigned m = 0; m < messages; ++m)
      for (unsigned o = 0; o < packets; ++o) tree.send_all(m, o);
    CHECK(tree.up == 2 * messages * packets);
    CHECK(tree.down == 2 * messages * packets);
    // The connections of ranks 1 and 3 lead to the other rack.
    CHECK(tree.notifications == (learn == CtLearning::affine ? 2 : 2 * messages));
    REQUIRE(tree.hosts.size() == 4 * messages * packets);
    unsigned right = 0, sums = 0;
    for (Packet* p : tree.hosts)
      for (unsigned r = 0; r < 4; ++r)
        for (unsigned m = 0; m < messages; ++m)
          for (unsigned o = 0; o < packets; ++o) {
            if (roce(*p).psn != tree.ring.psn(r, m, o)) continue;
            Packet* const own = tree.ring.gradient(tree.root_bench().pool, r, m, o);
            right += std::memcmp(&roce(*own), &roce(*p), sizeof(RoceHeader)) == 0 && own->wire_bytes == p->wire_bytes;
            own->release();
            std::int32_t last;
            std::memcpy(&last, p->payload + 1020, 4);
            sums += last == 1111;
          }
    CHECK(right == 4 * messages * packets);
    CHECK(sums == right);
  }
}

TEST_CASE("a sum lost on its path up, or a result lost on its path down, is sent again in rounds", "[pure][netreduce]") {
  Tree tree;
  tree.send_all(0, 0);
  tree.forget();
  for (const bool above : {false, true}) {
    const std::uint32_t offset = above ? 2 : 1;
    bool first = true;
    tree.lost = [&](const Packet& p) {
      return roce(p).kind == FrameKind::aggregate && (roce(p).from_above != 0) == above && std::exchange(first, false);
    };
    tree.send_all(0, offset);
    CHECK(tree.hosts.size() == (above ? 2 : 0));
    tree.forget();
    tree.up = tree.down = 0;
    for (unsigned r = 0; r < 4; ++r) tree.send(r, 0, offset);  // all senders go back
    // The first duplicate at each leaf causes its sum to be sent up again. The first of these sums completes the root's
    // slot, or begins a round there; the second is the first duplicate, or belongs to the same round.
    CHECK(tree.up == 2);
    CHECK(tree.down == (above ? 2 : 4));
    CHECK(tree.hosts.size() == (above ? 4 : 8));
    tree.forget();
  }
}

// A mark reports a long queue on the path of a sum, and each sender contributes to that queue.
TEST_CASE("a sum has a congestion mark if an operand has one, or if it is marked between accelerators",
          "[pure][netreduce]") {
  Tree tree;
  const auto marks = [&] {
    unsigned marked = 0;
    for (const Packet* p : tree.hosts) marked += roce(*p).ecn == static_cast<unsigned>(Ecn::congested);
    CHECK(tree.hosts.size() == 4);
    tree.forget();
    return marked;
  };
  tree.send_all(0, 0);
  CHECK(marks() == 0);
  for (unsigned r = 0; r < 4; ++r) tree.send(r, 0, 1, r == 2 ? Ecn::congested : Ecn::capable);
  CHECK(marks() == 4);
  for (unsigned r = 0; r < 4; ++r) tree.send(r, 0, 2, Ecn::not_capable);
  CHECK(marks() == 0);
  tree.mark = [](const Packet& p) { return roce(p).from_above != 0 && roce(p).destination == leaf_station; };
  tree.send_all(0, 3);
  CHECK(marks() == 2);  // marks of one rack only
}

TEST_CASE("a lost notification causes a miss at the leaf, and is sent again with the first packet", "[pure][netreduce]") {
  Tree tree;
  bool first = true;
  tree.lost = [&](const Packet& p) { return roce(p).kind == FrameKind::notification && std::exchange(first, false); };
  tree.send_all(0, 0);
  CHECK(tree.hosts.size() == 3);
  CHECK(tree.leaf_bench(1).count("ctt.miss") == 1);  // connection W2 -> W3
  tree.forget();
  tree.send(1, 0, 0);
  CHECK(tree.hosts.size() == 4);
}

TEST_CASE("a connection is translated with any first packet, or with that of the message alone", "[pure][netreduce]") {
  const ConnectionKey from{12, 10, 0}, to{3, 0, 103};
  const auto known = [&](unsigned messages, std::uint32_t learnt, std::uint32_t asked) {
    CtTable table;
    CtTransaction t;
    t.command = CtTransaction::Command::learn;
    t.from = from, t.to = to;
    t.first.message = learnt, t.first.valid = true;
    t.known_messages = messages;
    table.access(t);
    return table.find(from)->to.front().first_of(asked) != nullptr;
  };
  CHECK((known(1, 0, 0) && known(1, 0, 1) && known(1, 0, 4)));
  CHECK((known(4, 1, 1) && known(4, 5, 5)));
  CHECK_FALSE(known(4, 1, 0));
  CHECK_FALSE(known(4, 1, 5));  // the place of message 1 mod 4
  CHECK_FALSE(known(4, 5, 1));
}

TEST_CASE("a table that translates targets one by one is occupied for a cycle by each", "[pure][netreduce]") {
  const ConnectionKey from{12, 10, 0}, one{1, 2, 101};
  struct Times {
    Tick latency, interval;
    bool operator==(const Times& o) const { return latency == o.latency && interval == o.interval; }
  };
  const auto with = [&](unsigned targets) {
    CtTable table({3103, targets});
    const auto access = [&](CtTransaction::Command command, const ConnectionKey& source, Tick now, std::uint16_t to = 0) {
      CtTransaction t;
      t.command = command, t.from = source, t.to = {to, 0, 100}, t.now = now;
      const Tick latency = table.access(t);
      return Times{latency, t.timing.interval};
    };
    using Command = CtTransaction::Command;
    for (std::uint16_t to = 0; to < 5; ++to) access(Command::preset, from, 0, to);
    access(Command::preset, one, 0);
    return std::vector<Times>{access(Command::translate, from, 31'030), access(Command::translate, one, 31'030),
                              access(Command::learn, one, 31'030, 7),   access(Command::translate, one, 31'030),
                              access(Command::translate, one, 310'300), access(Command::translate, from, 3103)};
  };
  // Five targets last five cycles. Learning takes a cycle; its answer delays nothing. A request of an earlier time does not
  // wait.
  const std::vector<Times> single = with(1), pairs = with(2), all = with(0);
  CHECK(single == std::vector<Times>{
                      {4 * 3103, 4 * 3103}, {5 * 3103, 0}, {0, 0}, {8 * 3103, 3103}, {3103, 3103}, {4 * 3103, 4 * 3103}});
  CHECK(pairs ==
        std::vector<Times>{{2 * 3103, 2 * 3103}, {3 * 3103, 0}, {0, 0}, {5 * 3103, 0}, {0, 0}, {2 * 3103, 2 * 3103}});
  CHECK(all == std::vector<Times>(6, {0, 0}));
}

TEST_CASE("the saved bytes of a translation table do not depend on the order of learning, and restore it",
          "[pure][netreduce]") {
  const ConnectionKey from{12, 10, 0}, other{1, 2, 101}, a{3, 0, 103}, b{0, 1, 100};
  const auto bytes = [](const CtTable& table) {
    std::string text;
    StateWriter out(text);
    table.save(out);
    return text;
  };
  std::vector<std::pair<ConnectionKey, ConnectionKey>> rows{{from, a}, {from, b}, {other, {10, 12, 0}}};
  std::string first;
  for (unsigned turn = 0; turn < 3; ++turn) {
    CtTable table, copy;
    for (const auto& [source, target] : rows) {
      CtTransaction t;
      t.command = CtTransaction::Command::learn;
      t.from = source, t.to = target;
      t.direction = source == from ? CtDirection::multicast : CtDirection::aggregate;
      t.first = {7, 0xFFFFFE, 0x1000, 3, 50'003, source == from};
      t.known_messages = 4;
      table.access(t);
    }
    std::rotate(rows.begin(), rows.begin() + 1, rows.end());
    const std::string text = bytes(table);
    if (turn == 0) first = text;
    CHECK(text == first);
    StateReader in(text);
    copy.load(in);
    CHECK((in.empty() && bytes(copy) == text));
    CHECK((targets(copy.find(from)) == sorted({a, b}) && copy.entries() == 2));
    const FirstPacket* const known = copy.find(from)->to.front().first_of(7);
    REQUIRE(known != nullptr);
    CHECK((known->psn == 0xFFFFFE && known->address == 0x1000 && known->rank == 3 && known->udp_port == 50'003));
    CHECK(copy.find(from)->to.front().first_of(3) == nullptr);
  }
}

TEST_CASE("per_message: a lost notification causes a miss, not a header of the message 2N before", "[pure][netreduce]") {
  AcceleratorParams params;
  params.ctt.learn = CtLearning::per_message;
  Tree tree(params);
  for (std::uint32_t m = 0; m < 4; ++m)
    for (unsigned o = 0; o < tree.ring.message_packets; ++o) tree.send_all(m, o);
  tree.forget();
  tree.lost = [](const Packet& p) { return roce(p).kind == FrameKind::notification && roce(p).destination == 2; };
  tree.send_all(4, 0);
  CHECK(tree.leaf_bench(1).count("ctt.miss") == 1);
  CHECK(tree.hosts.size() == 3);
  for (const Packet* p : tree.hosts) CHECK(roce(*p).destination != 2);
}

TEST_CASE("in a tree message numbers wrap, and results have the headers of messages before and after the one learnt",
          "[pure][netreduce]") {
  for (const CtLearning learn : {CtLearning::affine, CtLearning::per_message}) {
    AcceleratorParams params;
    params.ctt.learn = learn;
    Tree tree(params);
    tree.ring.first_psn = 0xFFFFFA;  // PSNs wrap, too
    const unsigned packets = tree.ring.message_packets;
    for (const std::uint32_t m : {0xFFFFFFFEu, 0xFFFFFFFFu, 0u, 1u}) {
      for (unsigned o = 0; o < packets; ++o) tree.send_all(m, o);
      REQUIRE(tree.hosts.size() == 4 * packets);
      unsigned right = 0;
      for (Packet* p : tree.hosts)
        for (unsigned r = 0; r < 4; ++r)
          for (unsigned o = 0; o < packets; ++o) {
            Packet* const own = tree.ring.gradient(tree.root_bench().pool, r, m, o);
            right += std::memcmp(&roce(*own), &roce(*p), sizeof(RoceHeader)) == 0;
            own->release();
          }
      CHECK(right == 4 * packets);
      tree.forget();
    }
  }
}

TEST_CASE("results of messages that no longer have a slot, and of other roots, are dropped", "[pure][netreduce]") {
  Tree tree;
  tree.send_all(0, 0);
  tree.forget();
  AcceleratorBench& leaf = tree.leaf_bench(0);
  for (const std::uint16_t source : {root_station, std::uint16_t{13}}) {
    Packet* const p = make_frame(leaf.pool, FrameKind::aggregate, 1024, false);
    RoceHeader& h = roce(*p);
    h.source = source, h.destination = 10, h.from_above = 1, h.extra = source == root_station ? 4 : 0;
    leaf.receive(2, p, 500'000'000);
    leaf.run();
  }
  CHECK(leaf.sent.empty());
  CHECK(leaf.count("dropped") == 2);
}

}  // namespace tributary::test_accelerator_tree
