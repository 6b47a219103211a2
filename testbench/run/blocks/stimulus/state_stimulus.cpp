#include <algorithm>

#include "testbench/run/blocks/stimulus/stimulus_source.h"

namespace tributary {
namespace {

constexpr unsigned slot_window = 2, slot_packets = 8;

/// A packet of a ring; `slot`: the state of its slot is read.
struct SlotStep {
  bool reads = false;
  std::uint32_t message = 0, offset = 0;
  unsigned member = 0;
};

/// The first transaction begins the ring.
std::function<std::unique_ptr<StimulusSource>(const StimulusInput&)> slot_steps(
    std::size_t count, unsigned ranks, const std::function<SlotStep(std::size_t i, StimulusRandom& random)>& step) {
  return [=](const StimulusInput& input) -> std::unique_ptr<StimulusSource> {
    auto random = std::make_shared<StimulusRandom>(input.seed);
    const std::size_t all = count == endless ? endless : count + 1;
    return std::make_unique<ListedStimulus>(all, [=](std::size_t i, RequestFields& request) {
      if (i == 0) {
        request.name("command", "begin").number("ring", 0).number("number", 1).name("role", "alone");
        request.number("window", slot_window).number("message_packets", slot_packets).number("mtu", 1024);
        request.name("type", "f32").name("op", "sum").number("ranks", ranks);
        for (unsigned r = 0; r < ranks; ++r) request.number("rank" + std::to_string(r) + ".rank", r);
        return Tick{0};
      }
      const SlotStep x = step(i - 1, *random);
      request.name("command", x.reads ? "slot" : "arrive").number("ring", 0).number("message", x.message);
      request.number("offset", x.offset);
      if (!x.reads) request.number("member", x.member);
      return 17 * input.clock;
    });
  };
}

/// Packet `n` of a member in sequence.
SlotStep in_sequence(std::uint64_t n, unsigned member) {
  return {false, static_cast<std::uint32_t>(n / slot_packets), static_cast<std::uint32_t>(n % slot_packets), member};
}

/// Members send in sequence, at most a window apart; some packets are sent again, some are older.
std::function<SlotStep(std::size_t, StimulusRandom&)> random_slots(unsigned ranks) {
  auto sent = std::make_shared<std::vector<std::uint64_t>>(ranks, 0);
  return [sent, ranks](std::size_t i, StimulusRandom& random) {
    if (i == 0) sent->assign(ranks, 0);
    auto member = static_cast<unsigned>(random.below(ranks));
    const auto least = std::min_element(sent->begin(), sent->end());
    if ((*sent)[member] >= *least + (slot_window - 1) * slot_packets) member = static_cast<unsigned>(least - sent->begin());
    std::uint64_t packet = (*sent)[member];
    if (random.one_in(10))
      packet -= std::min<std::uint64_t>(packet, random.below(6 * slot_packets));
    else
      ++(*sent)[member];
    SlotStep step = in_sequence(packet, member);
    step.reads = random.one_in(20);
    return step;
  };
}

}  // namespace

StimulusBlock slot_stimulus() {
  StimulusBlock all{"netreduce.accelerator.state", {{"window", "2"}}, {}};
  all.cases.push_back(
      {"random", "six members in sequence, with packets that are sent again", slot_steps(endless, 6, random_slots(6))});
  all.cases.push_back(
      {"in_order", "all members of each slot in sequence",
       slot_steps(24, 3, [](std::size_t i, StimulusRandom&) { return in_sequence(i / 3, static_cast<unsigned>(i % 3)); })});
  all.cases.push_back(
      {"duplicate", "a packet before and after its slot is complete", slot_steps(5, 2, [](std::size_t i, StimulusRandom&) {
         const unsigned members[] = {0, 0, 1, 0, 1};
         return in_sequence(0, members[i]);
       })});
  all.cases.push_back({"wrap", "messages that use the slots of earlier ones",
                       slot_steps(6 * slot_packets * 2, 2, [](std::size_t i, StimulusRandom&) {
                         return in_sequence(i / 2, static_cast<unsigned>(i % 2));
                       })});
  all.cases.push_back({"stale", "packets of messages before the window",
                       slot_steps(6 * slot_packets * 2 + 2, 2, [](std::size_t i, StimulusRandom&) {
                         const std::size_t done = 6 * slot_packets * 2;
                         return i < done ? in_sequence(i / 2, static_cast<unsigned>(i % 2))
                                         : in_sequence(0, static_cast<unsigned>(i - done));
                       })});
  all.cases.push_back({"one_rank", "slots that one packet completes",
                       slot_steps(8, 1, [](std::size_t i, StimulusRandom&) { return in_sequence(i, 0); })});
  all.cases.push_back({"h64", "64 members", slot_steps(65, 64, [](std::size_t i, StimulusRandom&) {
                         SlotStep step = in_sequence(0, static_cast<unsigned>(i % 64));
                         step.reads = i == 64;
                         return step;
                       })});
  return all;
}

}  // namespace tributary
