// One loss at a time, hosts and channels in lockstep: its consequences by arithmetic (Liu et al., 3.2;
// docs/systems/netreduce.md#loss).
#include <catch2/catch.hpp>

#include "testbench/harness/ring_driver.h"

namespace tributary::test_loss_cases {
namespace {

using ChannelKind = RingModel::ChannelKind;
using Losses = std::vector<RingDriver::Loss>;
using Result = RingDriver::Result;

constexpr unsigned ranks = 4, length = 12, messages = 6;

RingModel::Config ring() {
  RingModel::Config c;
  c.ranks = ranks;
  c.window = 2;
  c.message_packets = length;
  c.messages = messages;
  return c;
}

/// A run with these losses, and the counts of its probes.
struct Run {
  explicit Run(const Losses& losses, const RingModel::Config& config = ring()) : driver(config) {
    const auto count = [](void* n, Tick, std::uint64_t) { ++*static_cast<unsigned*>(n); };
    for (unsigned r = 0; r < config.ranks; ++r) {
      driver.model().send_queue(r).rewinds.attach(&rewinds, count);
      driver.model().receive_queue(r).duplicates.attach(&duplicates, count);
    }
    driver.model().table(0).refused.attach(&refused, count);
    driver.model().table(0).behind.attach(&behind, count);
    driver.model().slots(0).completed.attach(&completed, count);
    driver.model().slots(0).duplicate.attach(&again, count);
    result = driver.in_step(losses);
    CHECK(result.wrong == 0);
    if (result.finished) CHECK((result.exactly_once && result.tags_rise));
  }
  std::uint64_t carried(ChannelKind kind) const { return driver.carried(kind); }
  RingDriver driver;
  Result result;
  unsigned rewinds = 0, duplicates = 0, refused = 0, behind = 0, completed = 0, again = 0;
};

/// Number of a packet in its channel, until packets are sent again.
unsigned packet(unsigned message, unsigned offset) { return message * length + offset; }

}  // namespace

TEST_CASE("without loss, each packet passes each channel once", "[pure][netreduce]") {
  const Run run({});
  CHECK((run.result.finished && run.result.timeouts == 0 && run.rewinds == 0));
  CHECK(run.carried(ChannelKind::gradient) == ranks * messages * length);
  CHECK(run.carried(ChannelKind::result) == ranks * messages * length);
  CHECK(run.carried(ChannelKind::answer) == ranks * messages);
  CHECK((run.completed == messages * length && run.again == 0 && run.duplicates == 0));
}

TEST_CASE("a lost gradient leaves a gap at all receivers: all senders go back", "[pure][netreduce]") {
  const Run run({{ChannelKind::gradient, 1, packet(2, 5)}});
  CHECK((run.result.finished && run.result.timeouts == 0));
  CHECK(run.rewinds == ranks);
  CHECK(run.completed == messages * length);  // the slot of the lost packet completes once, with the others
}

TEST_CASE("a lost first packet drops the rest of its message", "[pure][netreduce]") {
  const Run run({{ChannelKind::gradient, 1, packet(2, 0)}});
  CHECK((run.result.finished && run.result.timeouts == 0));
  CHECK(run.refused == length - 1);
  CHECK(run.behind == ranks);  // all send message 2 again when message 3 is in the table
  CHECK(run.completed == messages * length);
}

TEST_CASE("a lost result is repaired by its own connection alone", "[pure][netreduce]") {
  const Run run({{ChannelKind::result, 1, packet(2, 5)}});
  CHECK((run.result.finished && run.result.timeouts == 0 && run.rewinds == 1));
  CHECK(run.completed == messages * length);
  CHECK(run.carried(ChannelKind::gradient) == ranks * messages * length + run.again);
  CHECK(run.carried(ChannelKind::result) == ranks * messages * length + run.again);
}

TEST_CASE("a lost ACK is replaced by the next one, and that of the last message by the timer", "[pure][netreduce]") {
  const Run middle({{ChannelKind::answer, 0, 2}});
  CHECK((middle.result.finished && middle.rewinds == 0 && middle.duplicates == 0));
  const Run last({{ChannelKind::answer, 0, messages - 1}});
  CHECK((last.result.finished && last.result.timeouts == 1 && last.rewinds == 1));
  CHECK((last.duplicates > 0 && last.completed == messages * length));
}

TEST_CASE("a lost NACK or a lost last packet is repaired by the timer", "[pure][netreduce]") {
  const Run nack({{ChannelKind::result, 1, packet(2, 5)}, {ChannelKind::answer, 1, 2}});
  CHECK((nack.result.finished && nack.result.timeouts > 0));
  const Run last({{ChannelKind::gradient, 3, packet(messages, 0) - 1}});
  CHECK((last.result.finished && last.result.timeouts == ranks));
}

TEST_CASE("slot rules after one loss: `any` and `bit` wait forever for a lost result", "[pure][netreduce]") {
  for (const SlotRule rule : {SlotRule::tag, SlotRule::full, SlotRule::full1, SlotRule::any, SlotRule::bit}) {
    RingModel::Config c = ring();
    c.message_packets = 1;
    c.messages = 40;
    c.rules.rule = rule;
    c.rules.reemit = Reemission::all;
    const Run result({{ChannelKind::result, 1, 5}}, c), gradient({{ChannelKind::gradient, 1, 5}}, c);
    CHECK(result.result.finished == (rule != SlotRule::any && rule != SlotRule::bit));
    CHECK(gradient.result.finished);
  }
}

TEST_CASE("a result and its NACK are lost: a range of 2N - 1 messages suffices, N does not", "[pure][netreduce]") {
  for (const ConnectionRange range : {ConnectionRange::twice_window, ConnectionRange::window}) {
    RingModel::Config c = ring();
    c.rules.clt_range = range;
    const Run run({{ChannelKind::result, 0, packet(2, 5)}, {ChannelKind::answer, 0, 2}}, c);
    CHECK(run.result.finished == (range == ConnectionRange::twice_window));
    if (range == ConnectionRange::window)
      CHECK(run.result.waiting.find("host1: message 4 waits for result 2") != std::string::npos);
  }
}

TEST_CASE("an entry moved back by a repeated first packet loses the packets to which an ACK skips", "[pure][netreduce]") {
  // The last packet of message 1 and the ACK of message 0 are lost. The timer rewinds rank 0 to message 0; the ACK of its
  // first duplicate advances it past the first packet of message 1.
  for (const ConnectionOrder order : {ConnectionOrder::forward, ConnectionOrder::last}) {
    RingModel::Config c = ring();
    c.window = 1;
    c.messages = 3;
    c.rules.clt_order = order;
    const Run run({{ChannelKind::gradient, 0, packet(2, 0) - 1}, {ChannelKind::answer, 0, 0}}, c);
    CHECK(run.result.finished == (order == ConnectionOrder::forward));
  }
}

TEST_CASE("in a tree a lost gradient costs one more sum for each repeated packet, without rounds, one for each sender",
          "[pure][netreduce]") {
  const auto totals = [](TreeReemission reemit, const Losses& losses, std::uint64_t& gradients) {
    RingModel::Config c = ring();
    c.ranks = 32;
    c.racks = 4;
    c.rules.reemit_tree = reemit;
    RingDriver driver(c);
    CHECK(driver.in_step(losses).finished);
    gradients = driver.carried(ChannelKind::gradient);
    return driver.carried(ChannelKind::total);
  };
  const Losses lost{{ChannelKind::gradient, 0, packet(2, 5)}};
  std::uint64_t gradients = 0, first = 0;
  const std::uint64_t clean = totals(TreeReemission::round, {}, first);
  CHECK((clean == 4 * messages * length && first == 32 * messages * length));
  const std::uint64_t rounds = totals(TreeReemission::round, lost, gradients) - clean;
  const std::uint64_t sent_again = (gradients - first) / 32;  // packets; the lost packet is the first of them
  CHECK(rounds <= 4 * sent_again);
  const std::uint64_t storm = totals(TreeReemission::all, lost, gradients) - clean;
  CHECK(storm > 16 * rounds);
}

}  // namespace tributary::test_loss_cases
