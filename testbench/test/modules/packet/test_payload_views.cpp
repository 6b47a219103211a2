// Tests packet data that stay in the sender's memory.
#include <array>
#include <catch2/catch.hpp>
#include <cstring>

#include "modules/packet/payload_views.h"

namespace tributary::test_payload_views {
namespace {

/// A memory whose byte i is i initially.
struct Sender {
  std::array<std::byte, 200> memory;
  PayloadViews::Owner owner;
  Sender() {
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i);
  }
  void write(PayloadViews& views, std::size_t address, std::size_t bytes) {
    if (owner.viewed(address, bytes)) views.copy_on_write(owner, address, bytes);
    std::memset(&memory[address], 0xFF, bytes);
  }
};

}  // namespace

TEST_CASE("viewed data stay in the sender's memory until the last packet has arrived", "[pure][nic]") {
  PayloadViews views;
  Sender s;
  const PayloadViews::Id id = views.add(s.owner, s.memory.data(), 64, 32, 1000);
  REQUIRE(id != PayloadViews::none);
  views.sent(id, 16), views.sent(id, 16);
  CHECK(views.data(id, 1000) == &s.memory[64]);
  CHECK(views.data(id, 1016) == &s.memory[80]);
  CHECK((s.owner.viewed(95, 1) && s.owner.viewed(0, 65) && !s.owner.viewed(96, 100) && !s.owner.viewed(0, 64)));
  views.arrived(id);
  views.close(id);
  CHECK(views.size() == 1);
  views.arrived(id);
  CHECK(views.size() == 0);
  CHECK_FALSE(s.owner.viewed(0, 200));
  // reverse order: all packets have arrived before the sender knows that one was the last
  const PayloadViews::Id next = views.add(s.owner, s.memory.data(), 0, 16, 0);
  views.sent(next, 16);
  views.arrived(next);
  CHECK(views.size() == 1);
  views.close(next);
  CHECK(views.size() == 0);
}

TEST_CASE("packets in flight keep the data that they were sent with", "[pure][nic]") {
  PayloadViews views;
  Sender s;
  const PayloadViews::Id id = views.add(s.owner, s.memory.data(), 64, 32, 64);
  const PayloadViews::Id other = views.add(s.owner, s.memory.data(), 96, 32, 96);
  views.sent(id, 32), views.sent(other, 32);
  s.write(views, 60, 36);  // up to 96
  CHECK_FALSE(views.open(id));
  CHECK(views.open(other));
  CHECK(s.memory[64] == std::byte{0xFF});
  for (std::size_t i = 64; i < 96; ++i) CHECK(*views.data(id, i) == static_cast<std::byte>(i));
  CHECK(views.data(other, 96) == &s.memory[96]);
  s.write(views, 64, 32);  // no other view shares the copy
  CHECK(*views.data(id, 64) == std::byte{64});
  // packets sent after the change have the new data
  const PayloadViews::Id again = views.add(s.owner, s.memory.data(), 64, 32, 64);
  CHECK(again != id);
  CHECK(*views.data(again, 70) == std::byte{0xFF});
  views.close(again);
  views.arrived(id);
  CHECK(views.size() == 1);
}

TEST_CASE("nothing is copied for packets that are not yet sent, or have arrived", "[pure][nic]") {
  PayloadViews views;
  Sender s;
  const PayloadViews::Id id = views.add(s.owner, s.memory.data(), 0, 64, 0);
  s.write(views, 0, 8);
  CHECK(views.open(id));
  views.sent(id, 32);
  s.write(views, 32, 32);  // data after the first packet
  CHECK(views.open(id));
  CHECK(views.data(id, 0) == s.memory.data());
  views.arrived(id);
  s.write(views, 8, 8);
  CHECK(views.open(id));
  CHECK(*views.data(id, 12) == std::byte{0xFF});
}

TEST_CASE("numbers of views are reused, and their maximum is enforced", "[pure][nic]") {
  PayloadViews views(2);
  Sender s;
  const PayloadViews::Id a = views.add(s.owner, s.memory.data(), 0, 8, 0);
  const PayloadViews::Id b = views.add(s.owner, s.memory.data(), 8, 8, 8);
  CHECK((a != PayloadViews::none && b != PayloadViews::none && a != b));
  CHECK(views.add(s.owner, s.memory.data(), 16, 8, 16) == PayloadViews::none);
  views.close(a);
  CHECK(views.add(s.owner, s.memory.data(), 16, 8, 16) == a);
  CHECK(s.owner.viewed(16, 8));
  CHECK_FALSE(s.owner.viewed(0, 8));
  views.sent(b, 8);
  views.reset();
  CHECK(views.size() == 0);
  CHECK_FALSE(s.owner.viewed(0, 200));
}

}  // namespace tributary::test_payload_views
