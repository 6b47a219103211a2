// Data of packets that stay in the sender's memory.
#include <array>
#include <catch2/catch.hpp>
#include <cstring>

#include "modules/packet/payload_views.h"

using namespace tributary;

namespace {

/// A memory whose byte i is i at first.
struct Sender {
  std::array<std::byte, 200> memory;
  PayloadViews::Lender lender;
  Sender() {
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i);
  }
  void write(PayloadViews& loans, std::size_t address, std::size_t bytes) {
    if (lender.lends(address, bytes)) loans.keep(lender, address, bytes);
    std::memset(&memory[address], 0xFF, bytes);
  }
};

}  // namespace

TEST_CASE("lent data lie in the sender's memory until the last packet is in", "[pure][nic]") {
  PayloadViews loans;
  Sender s;
  const PayloadViews::Id id = loans.lend(s.lender, s.memory.data(), 64, 32, 1000);
  REQUIRE(id != PayloadViews::none);
  loans.sent(id, 16), loans.sent(id, 16);
  CHECK(loans.data(id, 1000) == &s.memory[64]);
  CHECK(loans.data(id, 1016) == &s.memory[80]);
  CHECK((s.lender.lends(95, 1) && s.lender.lends(0, 65) && !s.lender.lends(96, 100) && !s.lender.lends(0, 64)));
  loans.arrived(id);
  loans.close(id);
  CHECK(loans.size() == 1);
  loans.arrived(id);
  CHECK(loans.size() == 0);
  CHECK_FALSE(s.lender.lends(0, 200));
  // the other way round: all of it is in before the sender knows that it was the last
  const PayloadViews::Id next = loans.lend(s.lender, s.memory.data(), 0, 16, 0);
  loans.sent(next, 16);
  loans.arrived(next);
  CHECK(loans.size() == 1);
  loans.close(next);
  CHECK(loans.size() == 0);
}

TEST_CASE("packets on their way keep the data they were sent with", "[pure][nic]") {
  PayloadViews loans;
  Sender s;
  const PayloadViews::Id id = loans.lend(s.lender, s.memory.data(), 64, 32, 64);
  const PayloadViews::Id other = loans.lend(s.lender, s.memory.data(), 96, 32, 96);
  loans.sent(id, 32), loans.sent(other, 32);
  s.write(loans, 60, 36);  // up to 96
  CHECK_FALSE(loans.open(id));
  CHECK(loans.open(other));
  CHECK(s.memory[64] == std::byte{0xFF});
  for (std::size_t i = 64; i < 96; ++i) CHECK(*loans.data(id, i) == static_cast<std::byte>(i));
  CHECK(loans.data(other, 96) == &s.memory[96]);
  s.write(loans, 64, 32);  // no other view shares the copy
  CHECK(*loans.data(id, 64) == std::byte{64});
  // what is sent after the change has the new data
  const PayloadViews::Id again = loans.lend(s.lender, s.memory.data(), 64, 32, 64);
  CHECK(again != id);
  CHECK(*loans.data(again, 70) == std::byte{0xFF});
  loans.close(again);
  loans.arrived(id);
  CHECK(loans.size() == 1);
}

TEST_CASE("nothing is copied for packets that are not yet sent, or have arrived", "[pure][nic]") {
  PayloadViews loans;
  Sender s;
  const PayloadViews::Id id = loans.lend(s.lender, s.memory.data(), 0, 64, 0);
  s.write(loans, 0, 8);
  CHECK(loans.open(id));
  loans.sent(id, 32);
  s.write(loans, 32, 32);  // what comes after the first packet
  CHECK(loans.open(id));
  CHECK(loans.data(id, 0) == s.memory.data());
  loans.arrived(id);
  s.write(loans, 8, 8);
  CHECK(loans.open(id));
  CHECK(*loans.data(id, 12) == std::byte{0xFF});
}

TEST_CASE("loans are numbered anew, and are no more than there may be", "[pure][nic]") {
  PayloadViews loans(2);
  Sender s;
  const PayloadViews::Id a = loans.lend(s.lender, s.memory.data(), 0, 8, 0);
  const PayloadViews::Id b = loans.lend(s.lender, s.memory.data(), 8, 8, 8);
  CHECK((a != PayloadViews::none && b != PayloadViews::none && a != b));
  CHECK(loans.lend(s.lender, s.memory.data(), 16, 8, 16) == PayloadViews::none);
  loans.close(a);
  CHECK(loans.lend(s.lender, s.memory.data(), 16, 8, 16) == a);
  CHECK(s.lender.lends(16, 8));
  CHECK_FALSE(s.lender.lends(0, 8));
  loans.sent(b, 8);
  loans.reset();
  CHECK(loans.size() == 0);
  CHECK_FALSE(s.lender.lends(0, 200));
}
