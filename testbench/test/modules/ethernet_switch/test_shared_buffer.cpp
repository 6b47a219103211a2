// Parts of an Ethernet switch in isolation: buffer, marks, pauses.
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "modules/ethernet_switch/core/ecn_marker.h"
#include "modules/ethernet_switch/core/pfc_controller.h"
#include "modules/ethernet_switch/core/shared_buffer.h"

namespace tributary::test_shared_buffer {

using Place = SharedBuffer::Place;
using Catch::Matchers::Contains;

namespace {

SharedBuffer::Config lossy(std::uint64_t bytes, double alpha) {
  SharedBuffer::Config config;
  config.ports = 4;
  config.bytes = bytes;
  config.alpha = alpha;
  return config;
}

// One lossless class on 4 ports: 4 x (1000 + 2000) B are reserved, 10 000 B are shared.
SharedBuffer::Config lossless() {
  SharedBuffer::Config config = lossy(22'000, 1);
  config.lossless = 1u << roce_class;
  config.pfc_alpha = 0.5;
  config.reserve = 1'000;
  config.resume = 500;
  config.headroom.assign(4, 2'000);
  return config;
}

/// Returns the number of frames that a queue accepts before it refuses one.
unsigned fill(SharedBuffer& buffer, unsigned output, unsigned bytes) {
  unsigned frames = 0;
  for (; buffer.place(0, output, background_class, bytes) == Place::shared; ++frames)
    buffer.put(0, output, background_class, bytes, Place::shared);
  return frames;
}

}  // namespace

TEST_CASE("shared buffer: a single queue fills alpha / (1 + alpha) of it", "[pure][ethernet_switch]") {
  SharedBuffer half(lossy(12'000, 1)), third(lossy(12'000, 0.5)), most(lossy(12'000, 8));
  CHECK(fill(half, 0, 100) == 60);
  CHECK(fill(third, 0, 100) == 40);
  CHECK(fill(most, 0, 100) == 107);  // the last queue finds 8 x 1 400 B
  CHECK(most.used() == 10'700);
  CHECK(most.free() == 1'300);
}

TEST_CASE("shared buffer: a later queue finds a smaller threshold, and gets more when the first one drains",
          "[pure][ethernet_switch]") {
  SharedBuffer buffer(lossy(12'000, 1));
  CHECK(fill(buffer, 0, 100) == 60);
  CHECK(fill(buffer, 1, 100) == 30);
  CHECK(fill(buffer, 2, 100) == 15);
  CHECK(buffer.place(0, 0, background_class, 100) == Place::none);
  for (int i = 0; i < 60; ++i) buffer.take(0, 0, background_class, 100);
  CHECK(buffer.queue(0, background_class) == 0);
  CHECK(fill(buffer, 1, 100) == 23);  // half of 105, plus the one that just fits
  buffer.reset();
  CHECK(buffer.used() == 0);
  CHECK(fill(buffer, 2, 100) == 60);
}

TEST_CASE("shared buffer: classes of a port are queues of their own", "[pure][ethernet_switch]") {
  SharedBuffer buffer(lossy(12'000, 1));
  CHECK(fill(buffer, 0, 100) == 60);
  CHECK(buffer.place(0, 0, control_class, 100) == Place::shared);
  CHECK(buffer.queue(0, control_class) == 0);
}

TEST_CASE("shared buffer: a lossless input has its reserve, its share and its headroom", "[pure][ethernet_switch]") {
  SharedBuffer buffer(lossless());
  CHECK(buffer.free() == 10'000);
  for (int i = 0; i < 10; ++i) {
    CHECK(buffer.undisturbed(1, 0, roce_class, 100));
    buffer.put(1, 0, roce_class, 100, buffer.place(1, 0, roce_class, 100));
  }
  CHECK(buffer.free() == 10'000);  // all in the reserve
  unsigned shared = 0;
  for (; !buffer.pauses(1, roce_class); ++shared) buffer.put(1, 0, roce_class, 100, Place::shared);
  CHECK(shared == 34);  // 3 400 >= (10 000 - 3 400) / 2
  CHECK(!buffer.undisturbed(1, 0, roce_class, 100));
  unsigned headroom = 0;
  for (; buffer.place(1, 0, roce_class, 100) == Place::headroom; ++headroom)
    buffer.put(1, 0, roce_class, 100, Place::headroom);
  CHECK(headroom == 20);
  CHECK(buffer.headroom(1, roce_class) == 2'000);
  CHECK(buffer.free() == 6'600);
  CHECK(buffer.place(1, 0, roce_class, 100) == Place::none);
  CHECK(buffer.place(2, 0, roce_class, 100) == Place::shared);
}

TEST_CASE("shared buffer: headroom empties first, and an input resumes below its threshold less the offset",
          "[pure][ethernet_switch]") {
  SharedBuffer buffer(lossless());
  for (int i = 0; i < 44; ++i) buffer.put(1, 0, roce_class, 100, Place::shared);
  for (int i = 0; i < 3; ++i) buffer.put(1, 0, roce_class, 100, Place::headroom);
  for (int i = 0; i < 3; ++i) {
    CHECK(!buffer.resumes(1, roce_class));
    buffer.take(1, 0, roce_class, 100);
  }
  CHECK(buffer.headroom(1, roce_class) == 0);
  int more = 0;
  for (; !buffer.resumes(1, roce_class); ++more) buffer.take(1, 0, roce_class, 100);
  CHECK(more == 4);  // 3 000 + 500 <= (10 000 - 3 000) / 2
  for (int i = 0; i < 40; ++i) buffer.take(1, 0, roce_class, 100);
  CHECK(buffer.free() == 10'000);
  CHECK(buffer.used() == 0);
  CHECK(!buffer.holds(1, roce_class));
}

TEST_CASE("shared buffer: a lossless input fills its share exactly, and a frame with one more byte goes to its headroom",
          "[pure][ethernet_switch]") {
  SharedBuffer buffer(lossless());
  for (int i = 0; i < 4; ++i) buffer.put(1, 0, roce_class, 1'000, Place::shared);
  CHECK(buffer.free() == 7'000);                                // 1 000 B are in the reserve, 3 000 B are shared
  CHECK(buffer.place(1, 0, roce_class, 500) == Place::shared);  // 3 000 + 500 = 7 000 / 2
  CHECK(buffer.place(1, 0, roce_class, 501) == Place::headroom);
}

TEST_CASE("shared buffer: a paused input does not resume while its headroom is in use, however large its share is",
          "[pure][ethernet_switch]") {
  SharedBuffer buffer(lossless());
  PfcController pfc({PfcController::longest, std::vector<Tick>(4, 5'120)}, buffer);
  buffer.put(1, 0, roce_class, 2'000, Place::shared);  // 1 000 B beyond its reserve
  buffer.put(2, 0, roce_class, 9'000, Place::shared);  // 8 000 B: 1 000 B stay free, so the share of an input is 500 B
  CHECK(buffer.place(1, 0, roce_class, 100) == Place::headroom);
  buffer.put(1, 0, roce_class, 100, Place::headroom);
  CHECK(pfc.arrived(1, roce_class, false, 0));
  buffer.take(2, 0, roce_class, 9'000);  // the share grows to (10 000 - 1 000) / 2
  CHECK_FALSE(buffer.resumes(1, roce_class));
  CHECK_FALSE(pfc.departed(1, roce_class));
  buffer.take(1, 0, roce_class, 100);  // from the headroom
  CHECK(buffer.headroom(1, roce_class) == 0);
  CHECK(pfc.departed(1, roce_class));
}

TEST_CASE("shared buffer: reserves and headrooms must leave something to share", "[pure][ethernet_switch]") {
  SharedBuffer::Config config = lossless();
  config.bytes = 12'000;
  CHECK_THROWS_WITH(SharedBuffer(config), Contains("12000 B of a buffer of 12000 B"));
}

TEST_CASE("ECN marker: marks none up to kmin, all above kmax, and a fraction pmax just below kmax",
          "[pure][ethernet_switch]") {
  const EcnMarker marker({true, 1'000, 3'000, 0.2, 7});
  constexpr unsigned frames = 100'000;
  const auto marked = [&](std::uint64_t queue) {
    unsigned n = 0;
    for (unsigned i = 0; i < frames; ++i) n += marker.marks(queue, 3, i);
    return n;
  };
  CHECK(marked(1'000) == 0);
  CHECK(marked(3'001) == frames);
  const auto near = [](unsigned n, double p) { return std::abs(n - p * frames) < 5 * std::sqrt(p * (1 - p) * frames); };
  CHECK(near(marked(3'000), 0.2));
  CHECK(near(marked(2'000), 0.1));
  CHECK(near(marked(1'100), 0.01));
  CHECK(marker.below(1'000));
  CHECK(!marker.below(1'001));
  CHECK(EcnMarker({}).below(~std::uint64_t{0}));
  CHECK_THROWS(EcnMarker({true, 5, 5, 0.2, 1}));
}

TEST_CASE("ECN marker: marks depend only on port, number and seed", "[pure][ethernet_switch]") {
  const EcnMarker a({true, 0, 100, 0.5, 1}), b({true, 0, 100, 0.5, 2});
  unsigned ports = 0, seeds = 0;
  for (unsigned i = 0; i < 1'000; ++i) {
    CHECK(a.marks(60, 1, i) == a.marks(60, 1, i));
    ports += a.marks(60, 1, i) != a.marks(60, 2, i);
    seeds += a.marks(60, 1, i) != b.marks(60, 1, i);
  }
  CHECK(ports > 300);
  CHECK(seeds > 300);
}

TEST_CASE("PFC: one pause when the share is full, repeated before it expires, and one resume", "[pure][ethernet_switch]") {
  SharedBuffer buffer(lossless());
  PfcController pfc({100, std::vector<Tick>(4, 5'120)}, buffer);
  unsigned frames = 0;
  do buffer.put(1, 0, roce_class, 100, Place::shared), ++frames;
  while (!pfc.arrived(1, roce_class, false, 1'000'000));
  CHECK(frames == 44);
  CHECK(pfc.state(1, roce_class) == PfcController::State::paused);
  CHECK(pfc.state(2, roce_class) == PfcController::State::normal);
  buffer.put(1, 0, roce_class, 100, Place::headroom);
  CHECK(!pfc.arrived(1, roce_class, false, 1'000'000));
  CHECK(pfc.state(1, roce_class) == PfcController::State::headroom);
  CHECK(pfc.next() == 1'000'000 + 50 * 5'120);
  unsigned again = 0;
  pfc.refresh(pfc.next(), [&](unsigned input, unsigned c) { again += input == 1 && c == roce_class; });
  CHECK(again == 1);
  CHECK(pfc.next() == 1'000'000 + 100 * 5'120);
  CHECK(pfc.waiting() == std::vector<std::string>{"port1: class 1 of its sender is paused"});
  unsigned left = 0;
  do buffer.take(1, 0, roce_class, 100), ++left;
  while (!pfc.departed(1, roce_class));
  CHECK(left == 5);
  CHECK(!pfc.active());
  CHECK(pfc.next() == never);
}

TEST_CASE("PFC: a refused frame pauses its input if the input has frames in the buffer", "[pure][ethernet_switch]") {
  SharedBuffer buffer(lossless());
  PfcController pfc({PfcController::longest, std::vector<Tick>(4, 5'120)}, buffer);
  CHECK(!pfc.arrived(1, roce_class, true, 0));
  buffer.put(1, 0, roce_class, 100, Place::shared);
  CHECK(pfc.arrived(1, roce_class, true, 0));
  buffer.take(1, 0, roce_class, 100);
  CHECK(pfc.departed(1, roce_class));
}

TEST_CASE("PFC: headroom covers wire, reaction time and switch, and three frames", "[pure][ethernet_switch]") {
  PfcPath path{100_Gbps, 10'000, 500'000, 300'000, 1122, true};
  CHECK(pfc_headroom(path) == 820 * 125 / 10 + 72 + 84 + 3 * 1122);
  path.cut_through = false;
  CHECK(pfc_headroom(path) == 820 * 125 / 10 + 72 + 84 + 4 * 1122);
}

}  // namespace tributary::test_shared_buffer
