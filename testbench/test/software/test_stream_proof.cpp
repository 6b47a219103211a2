/// Proofs of stream programs: damaged programs are rejected, and accepted programs run correctly in every order that was
/// tried.
#include <catch2/catch.hpp>
#include <functional>
#include <random>

#include "testbench/codegen/stream_lowering.h"
#include "testbench/codegen/stream_proof.h"
#include "testbench/codegen/stream_writer.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/test/harness/blink_trees.h"
#include "testbench/test/harness/stream_executor.h"

namespace tributary::test_stream_proof {

using Catch::Matchers::Contains;
using collective::ScheduleError;
using collective::TreeUse;
using Kind = StreamCommand::Kind;

namespace {

constexpr std::uint64_t message = 12'800;

struct Made {
  JobSpec job;
  StreamPlan streams;
  unsigned queues = 32;

  void prove() const { prove_streams(job, bytes(message), streams.programs, streams.memory, queues); }
};

Made made(const char* collective, TreeUse use, const std::vector<collective::WeightedTree>& trees,
          std::uint64_t chunk = 1280) {
  Made all;
  all.job.collective = collective;
  for (std::size_t r = 0; r < trees.front().tree.parent.size(); ++r) all.job.ranks.push_back(static_cast<int>(r));
  all.job.type = ElementType::i32;
  StreamOptions options;
  options.chunk = bytes(chunk);
  all.streams = plan_streams(all.job, bytes(message), on_path(trees, CopyPath::nvlink), use, options);
  return all;
}
/// A program up and down the chain 0, 1, 2 with ten chunks.
Made chain() { return made("allreduce", TreeUse::allreduce, collective::chain_from(3, 0)); }

StreamCommand& nth(StreamProgram& program, Kind kind, std::size_t n) {
  for (StreamCommand& c : program.commands)
    if (c.kind == kind && n-- == 0) return c;
  throw std::out_of_range("no such command");
}
void erase(StreamProgram& program, Kind kind, std::size_t n) {
  program.commands.erase(program.commands.begin() + (&nth(program, kind, n) - program.commands.data()));
}

void refused(const std::function<void(std::vector<StreamProgram>&)>& spoil, const std::string& why) {
  Made all = chain();
  CHECK_NOTHROW(all.prove());
  spoil(all.streams.programs);
  CHECK_THROWS_WITH(all.prove(), Contains(why));
}

using Programs = std::vector<StreamProgram>;

}  // namespace

TEST_CASE("stream proof: a missing wait is found", "[pure]") {
  // The wait of the middle rank for the sums of the last rank.
  refused([](Programs& p) { erase(p[1], Kind::wait, 0); }, "hold no operand");
  // The wait of the last rank at its end: it may be done before its data arrive.
  refused([](Programs& p) { p[2].commands.pop_back(); }, "it may arrive after all commands of its GPU have ended");
  // A wait for a value that is too low: the previous chunk.
  refused([](Programs& p) { nth(p[1], Kind::wait, 2).value -= 1; }, "race");
  refused([](Programs& p) { p[2].commands.back().value = 9; }, "it may arrive after all commands");
  // A wait for more records than will arrive.
  refused([](Programs& p) { p[2].commands.back().value = 11; }, "it never ends, as there are only 10 records");
}

TEST_CASE("stream proof: a record to a wrong or missing semaphore is found", "[pure]") {
  refused([](Programs& p) { nth(p[1], Kind::record, 0).semaphore ^= 1; }, "its value would not identify an event");
  refused(
      [](Programs& p) {
        p[2].streams = 2;
        nth(p[2], Kind::record, 4).stream = 1;
      },
      "GPU 2 records it in stream 0 also; its value would not identify an event");
  refused([](Programs& p) { nth(p[2], Kind::record, 0).semaphore = 99; }, "there is no such semaphore");
  refused([](Programs& p) { erase(p[2], Kind::record, 9); }, "it never ends, as there are only 9 records");
  refused([](Programs& p) { nth(p[2], Kind::record, 0).peer = 0; }, "of GPU 0");
  refused([](Programs& p) { nth(p[2], Kind::record, 0).peer = 7; }, "the peer is not in this job");
  // A record before its copy proves nothing about it.
  refused([](Programs& p) { std::swap(nth(p[2], Kind::record, 0), nth(p[2], Kind::copy, 0)); }, "race");
  // A record over another path proves nothing either.
  refused([](Programs& p) { nth(p[2], Kind::record, 0).path = CopyPath::pcie; }, "race");
}

TEST_CASE("stream proof: a copy to another mailbox, or of other elements, is found", "[pure]") {
  refused([](Programs& p) { nth(p[2], Kind::copy, 0).destination = nth(p[2], Kind::copy, 1).destination; },
          "hold no operand");
  refused([](Programs& p) { std::swap(nth(p[2], Kind::copy, 0).destination, nth(p[2], Kind::copy, 1).destination); },
          "race");
  refused([](Programs& p) { nth(p[2], Kind::copy, 0).destination += 128; }, "are used in part by another command");
  refused([](Programs& p) { nth(p[2], Kind::copy, 0).destination = 1 << 30; }, "are outside its memory");
  refused([](Programs& p) { nth(p[2], Kind::copy, 0).source = 1280; }, "holds elements from");
  refused([](Programs& p) { nth(p[2], Kind::copy, 0).peer = 2; }, "a copy engine copies only to peers");
}

TEST_CASE("stream proof: sums that lack an operand, or hold one twice, are found", "[pure]") {
  refused([](Programs& p) { erase(p[1], Kind::kernel, 0); }, "hold the operand of rank 2 0 times instead of 1");
  refused([](Programs& p) { p[1].commands.insert(p[1].commands.begin() + 2, nth(p[1], Kind::kernel, 0)); },
          "hold the operand of rank 2 2 times instead of 1");
  refused([](Programs& p) { nth(p[1], Kind::kernel, 0).input_count = 0; }, "a kernel has 1 to 8 inputs");
}

TEST_CASE("stream proof: a queue order that deadlocks is found", "[pure]") {
  // On one queue the last rank's wait for the result precedes its sums.
  Made all = chain();
  const auto late = [](StreamProgram& p) { std::rotate(p.commands.begin(), p.commands.end() - 1, p.commands.end()); };
  late(all.streams.programs[2]);
  CHECK_THROWS_WITH(all.prove(), Contains("deadlock") && Contains(", queued after ") && Contains(", waits for "));
  // In its own stream it may come first, unless that stream is mapped to the same hardware queue.
  all.streams.programs[2].commands.front().stream = 1;
  all.streams.programs[2].streams = 2;
  CHECK_NOTHROW(all.prove());
  all.queues = 1;
  CHECK_THROWS_WITH(all.prove(), Contains("deadlock"));
}

TEST_CASE("stream proof: copies of a rank that overtake its other commands are found", "[pure]") {
  // The middle rank forwards the chunk while its own sum may still be read: it waits for no command of its own.
  refused(
      [](Programs& p) {
        for (StreamCommand& c : p[0].commands)
          if (c.kind == Kind::wait && c.stream == 1) c.value = 0;
      },
      "race");
  refused([](Programs& p) { p[0].commands.front().stream = 9; }, "there is no such stream");
  refused([](Programs& p) { p.pop_back(); }, "2 programs for 3 ranks");
  refused([](Programs& p) { p[0].steps.emplace_back(); }, "channels");
}

TEST_CASE("stream proof: overwriting data that are still to be read is found", "[pure]") {
  // Rank 0 copies the message to rank 1, and twice to the next block there, from which rank 1 copies it back in between.
  StreamWriter root(0), other(1);
  const auto first = other.new_semaphore(), second = other.new_semaphore(), back = root.new_semaphore();
  const auto out = root.stream({0, 0, 0, 0}), in = root.stream({1, 0, 0, 0});
  const auto reads = other.stream({0, 0, 0, 0}), ends = other.stream({1, 0, 0, 0});
  const CopyPath route = CopyPath::nvlink;
  const auto programs = [&](bool told) {
    StreamWriter r = root, o = other;
    r.copy(out, route, 1, 0, 0, 128);
    r.copy(out, route, 1, 0, 128, 128);
    r.record(out, route, o, first);
    o.wait(reads, first);
    o.copy(reads, route, 0, 128, 128, 128);
    o.record(reads, route, r, back);
    r.wait(told ? out : in, back);
    for (int i = 0; i < 5; ++i) r.wait(out, r.new_semaphore());  // without need
    r.copy(out, route, 1, 0, 128, 128);
    r.record(out, route, o, second);
    o.wait(ends, second);
    return Programs{r.finish(ElementType::i32, ReduceOp::sum), o.finish(ElementType::i32, ReduceOp::sum)};
  };
  JobSpec job;
  job.collective = "broadcast", job.ranks = {0, 1};
  CHECK_NOTHROW(prove_streams(job, bytes(128), programs(true), {256, 256}, 32));
  CHECK_THROWS_WITH(prove_streams(job, bytes(128), programs(false), {256, 256}, 32), Contains("race for 128 B at 128"));
}

TEST_CASE("stream proof: randomly damaged programs that pass run correctly in every order", "[pure]") {
  std::mt19937 random(7);
  int passed = 0, caught = 0, wrong = 0;
  for (int i = 0; i < 1500; ++i) {
    const auto use = blink_trees::all_uses[static_cast<std::size_t>(i) % 6];
    static const char* const names[] = {"broadcast", "reduce", "allreduce", "gather", "allgather", "reduce_scatter"};
    static const std::vector<Made> good = [] {
      std::vector<Made> all;
      for (const TreeUse each : blink_trees::all_uses)
        all.push_back(made(names[all.size()], each, blink_trees::trees_of(topology::dgx1v(), {0, 1, 2, 3}, each), 2560));
      return all;
    }();
    Made all = good[static_cast<std::size_t>(use)];
    all.queues = i % 2 == 0 ? 32 : 2;
    StreamProgram& p = all.streams.programs[random() % 4];
    const auto pick = [&] { return p.commands.begin() + static_cast<std::ptrdiff_t>(random() % p.commands.size()); };
    const auto here = pick(), there = pick();
    switch (random() % 8) {
      case 0:
        p.commands.erase(here);
        break;
      case 1:
        std::swap(*here, *there);
        break;
      case 2:
        here->stream = there->stream;
        break;
      case 3:
        here->value += random() % 2 == 0 ? 1 : ~0U;
        break;
      case 4:
        here->semaphore = there->semaphore;
        break;
      case 5:
        here->destination = there->destination;
        break;
      case 6:
        here->peer = there->peer;
        break;
      default:
        p.commands.insert(here, *there);
    }
    bool proved = true;
    try {
      all.prove();
    } catch (const ScheduleError&) {
      proved = false;
    }
    proved ? ++passed : ++caught;
    std::string found;
    for (unsigned seed = 0; seed < 4 && (proved || found.empty()); ++seed) {
      try {
        found = StreamExecutor(all.job, bytes(message), all.streams.programs, all.streams.memory, all.queues, seed).run();
      } catch (const std::exception& error) {
        found = error.what();
      }
      if (proved) CHECK(found == "");
    }
    wrong += !found.empty();
  }
  CHECK(passed > 100);
  CHECK(wrong > 500);
  CHECK(caught >= wrong);
}

}  // namespace tributary::test_stream_proof
