/// Tests Crossbar alone, with a small policy: queues by requester and output, and room set by the test.
#include <array>
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "modules/base/random.h"
#include "modules/switching/core/crossbar_impl.h"

namespace tributary::test_crossbar {
namespace {

constexpr Tick flit = 1000;  // one byte at 1 GB/s

struct SmallShape {
  static constexpr unsigned inputs = 4, outputs = 4, classes = 2, resources = 2;
  static constexpr bool replicates = true;
  struct Input {};
  struct Output {};
};

struct SmallPacket {
  unsigned id = 0, flits = 1, resource = 0;
  Tick tail = 0;
  bool copy = false;
};

class SmallSwitch {
 public:
  struct Crossing : SmallPacket {
    bool more = false;
  };
  struct Seen {
    unsigned id, output;
    Tick begin, end;
    bool operator==(const Seen& o) const {
      return std::tie(id, output, begin, end) == std::tie(o.id, o.output, o.begin, o.end);
    }
  };
  SmallSwitch() {
    for (unsigned i = 0; i < SmallShape::inputs; ++i) crossbar.add_input(bytes_per_second(1'000'000'000), 1);
    for (auto& row : room_for) row.fill(1'000'000);
  }
  /// Queues copies of one packet for several outputs.
  void add(unsigned requester, const std::vector<unsigned>& outputs, SmallPacket packet) {
    packet.copy = outputs.size() > 1;
    for (const unsigned o : outputs) {
      queues[{requester, o}].push_back(packet);
      crossbar.ask(requester, o);
    }
  }
  /// Runs all crossings that begin until then.
  void run(Tick until) {
    for (; now <= until; now += flit) {
      for (unsigned i = 0; i < SmallShape::inputs; ++i)
        if (crossbar.input(i).transfer_end == now) crossbar.end_crossing(i);
      if (crossbar.changed() || crossbar.undecided()) decided = crossbar.match(*this, now);
    }
  }
  void free(unsigned output, unsigned resource, unsigned flits) {
    room_for[output][resource] += flits;
    crossbar.room_freed(output);
  }
  std::vector<unsigned> ids(unsigned output) const {
    std::vector<unsigned> all;
    for (const Seen& s : seen)
      if (s.output == output) all.push_back(s.id);
    return all;
  }

  // The policy.
  bool competes(unsigned, unsigned) const { return true; }
  unsigned resource(unsigned requester, unsigned output) { return queues[{requester, output}].front().resource; }
  Room room(unsigned requester, unsigned output, Tick) {
    ++asked;
    if (unknown[output]) return Room::not_known;
    const SmallPacket& packet = queues[{requester, output}].front();
    return packet.flits <= room_for[output][packet.resource] ? Room::there : Room::none;
  }
  void refused(unsigned, Tick) { ++refusals; }
  Crossing take(unsigned requester, unsigned output) {
    std::deque<SmallPacket>& queue = queues[{requester, output}];
    Crossing packet;
    static_cast<SmallPacket&>(packet) = queue.front();
    queue.pop_front();
    packet.more = !queue.empty();
    return packet;
  }
  void look_at_next(unsigned, Tick) {}
  void cross(unsigned, unsigned output, const Crossing& packet, Tick begin, Tick end) {
    room_for[output][packet.resource] -= packet.flits;
    seen.push_back({packet.id, output, begin, end});
  }
  bool replicates() const { return true; }
  bool replicates(unsigned requester, unsigned output) { return queues[{requester, output}].front().copy; }
  bool is_copy(unsigned requester, unsigned output, unsigned other) {
    return queues[{requester, other}].front().id == queues[{requester, output}].front().id;
  }

  Crossbar<SmallShape> crossbar;
  std::map<std::pair<unsigned, unsigned>, std::deque<SmallPacket>> queues;
  std::array<std::array<unsigned, SmallShape::resources>, SmallShape::outputs> room_for{};
  std::array<bool, SmallShape::outputs> unknown{};
  std::vector<Seen> seen;
  Tick now = 0;
  bool decided = true;
  unsigned asked = 0, refusals = 0;
};

constexpr unsigned second_class = SmallShape::inputs;  // requester of input 0

}  // namespace

TEST_CASE("crossbar: requesters share an output equally, one crossing after another", "[pure][crossbar]") {
  for (unsigned k = 1; k <= 4; ++k) {
    SmallSwitch s;
    constexpr unsigned each = 12, flits = 3;
    for (unsigned i = 0; i < each; ++i)
      for (unsigned r = 0; r < k; ++r) s.add(r, {2}, {r, flits});
    s.run(1000 * flit);
    REQUIRE(s.seen.size() == each * k);
    for (unsigned i = 0; i < each * k; ++i) {
      CHECK(s.seen[i].id == i % k);
      CHECK(s.seen[i].begin == i * flits * flit);
      CHECK(s.seen[i].end == (i + 1) * flits * flit);
    }
  }
}

// Two requesters share the first resource, and one has the second: they get a quarter, a quarter, and half of the output.
TEST_CASE("crossbar: resources share an output in round robin, and so do the requesters of one resource",
          "[pure][crossbar]") {
  SmallSwitch s;
  for (unsigned i = 0; i < 40; ++i) {
    s.add(0, {1}, {0, 1, 0}), s.add(1, {1}, {1, 1, 0});
    s.add(2, {1}, {2, 1, 1});
  }
  s.run(39 * flit);
  std::array<unsigned, 3> share{};
  for (const unsigned id : s.ids(1)) ++share[id];
  CHECK(share == std::array<unsigned, 3>{10, 10, 20});
}

TEST_CASE("crossbar: all queues of an input share its crossbar port, and outputs are independent", "[pure][crossbar]") {
  SmallSwitch s;
  s.add(0, {0}, {1, 5}), s.add(second_class, {1}, {2, 5}), s.add(1, {2}, {3, 5});
  s.run(100 * flit);
  REQUIRE(s.seen.size() == 3);
  CHECK(s.seen[0] == SmallSwitch::Seen{1, 0, 0, 5 * flit});
  CHECK(s.seen[1] == SmallSwitch::Seen{3, 2, 0, 5 * flit});
  CHECK(s.seen[2] == SmallSwitch::Seen{2, 1, 5 * flit, 10 * flit});
}

TEST_CASE("crossbar: a crossing does not end before its tail has arrived", "[pure][crossbar]") {
  SmallSwitch s;
  s.add(0, {0}, {1, 5, 0, 8 * flit}), s.add(1, {0}, {2, 1});
  s.run(100 * flit);
  REQUIRE(s.seen.size() == 2);
  CHECK(s.seen[0].end == 8 * flit);
  CHECK(s.seen[1].begin == 8 * flit);
}

TEST_CASE("crossbar: a packet that does not fit keeps its turn", "[pure][crossbar]") {
  SmallSwitch s;
  s.room_for[3][0] = 1;
  for (unsigned i = 0; i < 10; ++i) s.add(0, {3}, {i, 1});
  s.add(1, {3}, {100, 3});
  s.run(10 * flit);
  for (unsigned i = 0; i < 3; ++i) {
    CHECK(s.ids(3) == std::vector<unsigned>{0});  // small packets would fit
    s.free(3, 0, 1);
    s.run(s.now + 10 * flit);
  }
  CHECK(s.ids(3) == std::vector<unsigned>{0, 100});
  s.free(3, 0, 1);
  s.run(s.now + 10 * flit);
  CHECK(s.ids(3) == std::vector<unsigned>{0, 100, 1});
}

TEST_CASE("crossbar: a refused request is not repeated until room is freed, and does not change the order",
          "[pure][crossbar]") {
  SmallSwitch often, once;
  for (SmallSwitch* s : {&often, &once}) {
    s->room_for[0] = {0, 0};
    for (unsigned r = 0; r < 4; ++r) s->add(r, {0}, {r, 1, r % 2});
    s->run(0);
  }
  CHECK(often.asked == 2);  // the first requester of each resource
  CHECK(often.refusals == 1);
  often.run(50 * flit);
  CHECK(often.asked == 2);
  for (unsigned i = 0; i < 7; ++i) {
    often.free(0, 0, 0);
    often.run(often.now + flit);
  }
  CHECK(often.asked == 16);
  once.run(often.now - flit);
  for (SmallSwitch* s : {&often, &once}) {
    s->free(0, 0, 100), s->free(0, 1, 100);
    s->run(200 * flit);
  }
  CHECK(often.ids(0) == std::vector<unsigned>{0, 1, 2, 3});
  CHECK(once.seen == often.seen);
}

TEST_CASE("crossbar: a round that stops at unknown room continues with the same result", "[pure][crossbar]") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SmallSwitch known, late;
    for (SmallSwitch* s : {&known, &late}) {
      for (unsigned o = 0; o < 4; ++o) s->room_for[o] = {static_cast<unsigned>(random_at(seed, 1, o) % 20), 1000};
      for (unsigned i = 0; i < 40; ++i) {
        const std::uint64_t r = random_at(seed, 2, i);
        std::vector<unsigned> outputs{static_cast<unsigned>(r >> 8) % 4};
        if (r % 4 == 0) outputs.push_back((outputs[0] + 1) % 4);
        s->add(static_cast<unsigned>(r >> 16) % 8, outputs,
               {i, 1 + static_cast<unsigned>(r >> 24) % 5, static_cast<unsigned>(r >> 32) % 2});
      }
    }
    unsigned ended = 0;
    for (Tick t = 0; t < 300 * flit; t += flit) {
      known.run(t);
      late.unknown.fill(false);
      late.unknown[random_at(seed, 3, t) % 4] = true;
      late.run(t);
      late.unknown.fill(false);
      if (!late.decided) {
        ++ended;
        late.now = t;  // again, now that it is known
        late.decided = late.crossbar.match(late, t);
        late.now = t + flit;
      }
    }
    CHECK(late.seen == known.seen);
    CHECK(ended != 0);
  }
}

TEST_CASE("crossbar: a multicast crosses to all free outputs simultaneously, and later to the rest", "[pure][crossbar]") {
  SmallSwitch s;
  s.add(1, {2}, {9, 4});
  s.run(0);
  s.add(0, {0, 1, 2}, {1, 3});
  s.add(second_class, {3}, {2, 1});
  s.run(100 * flit);
  REQUIRE(s.seen.size() == 5);
  // the round begins after output 2, which granted last, so the other queue of the input is first
  CHECK(s.seen[1] == SmallSwitch::Seen{2, 3, flit, 2 * flit});
  CHECK(s.seen[2] == SmallSwitch::Seen{1, 0, 2 * flit, 5 * flit});
  CHECK(s.seen[3] == SmallSwitch::Seen{1, 1, 2 * flit, 5 * flit});
  CHECK(s.seen[4] == SmallSwitch::Seen{1, 2, 5 * flit, 8 * flit});
}

}  // namespace tributary::test_crossbar
