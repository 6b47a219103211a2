// A mailbox between two threads.
#include <catch2/catch.hpp>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "modules/link/lane_crossing.h"

namespace tributary::test_lane_mailbox {
namespace {

struct Receiver : LaneMailbox::Backward {
  tlm::tlm_sync_enum nb_transport_bw(LinkTransfer& transfer, LinkPhase&, sc_core::sc_time& delay) override {
    if (fails) throw std::logic_error("refused");
    first.push_back(delay.value());
    for (unsigned i = 0; i < transfer.count; ++i) flits.push_back(transfer.credits[i].flits);
    return tlm::TLM_ACCEPTED;
  }
  std::vector<Tick> first;
  std::vector<unsigned> flits;
  bool fails = false;
};

LinkCredit credit(unsigned flits) {
  LinkCredit c{};
  c.flits = static_cast<decltype(c.flits)>(flits);
  return c;
}

}  // namespace

TEST_CASE("lane mailbox: the receiver sees what has been published, in the order of the posts", "[lanes]") {
  LaneMailbox mailbox;
  Receiver receiver;
  const LinkCredit one = credit(1), two = credit(2);
  CHECK(!mailbox.publish());
  mailbox.post_credits(receiver, 110, &one, 1, 0);
  CHECK(!mailbox.published());
  CHECK(mailbox.publish());
  mailbox.post_credits(receiver, 120, &two, 1, 0);
  mailbox.publish();
  mailbox.post_credits(receiver, 130, &two, 1, 0);  // not published
  mailbox.drain(100);
  CHECK(receiver.first == std::vector<Tick>{10, 20});
  CHECK(receiver.flits == std::vector<unsigned>{1, 2});
  CHECK(!mailbox.published());
  CHECK(!mailbox.empty());
  mailbox.clear();
  CHECK(mailbox.empty());
}

TEST_CASE("lane mailbox: after a failure it can be cleared", "[lanes]") {
  LaneMailbox mailbox;
  Receiver receiver;
  const LinkCredit one = credit(1);
  for (const Tick first : {110, 120}) {
    mailbox.post_credits(receiver, first, &one, 1, 0);
    mailbox.publish();
  }
  receiver.fails = true;
  CHECK_THROWS(mailbox.drain(100));
  mailbox.clear();
  receiver.fails = false;
  mailbox.drain(100);
  CHECK(receiver.first.empty());
}

TEST_CASE("lane mailbox: one thread posts while another drains", "[lanes]") {
  constexpr unsigned calls = 20'000;
  LaneMailbox mailbox;
  Receiver receiver;
  std::thread sender([&] {
    for (unsigned i = 0; i < calls; ++i) {
      const LinkCredit c = credit(i % 100);
      mailbox.post_credits(receiver, i, &c, 1, 0);
      if (i % 3 == 0) mailbox.publish();
    }
    mailbox.publish();
  });
  while (receiver.first.size() < calls) mailbox.drain(0);
  sender.join();
  bool in_order = true;
  for (unsigned i = 0; i < calls; ++i) in_order = in_order && receiver.first[i] == i && receiver.flits[i] == i % 100;
  CHECK(in_order);
}

}  // namespace tributary::test_lane_mailbox
