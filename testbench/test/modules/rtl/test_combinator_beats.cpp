// CombinatorBeats: slots through a combinator of registers take the times of the model's combinator, and give its sums.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include "modules/base/random.h"
#include "modules/rtl/core/combinator_beats.h"
#include "testbench/test/modules/rtl/pipeline_model.h"

namespace tributary::test_combinator_beats {

using Catch::Matchers::Contains;
using test_rtl::PipelineModel;

RtlBlock block_of(const PipelineModel::Options& options) {
  RtlBlock block = rtl_block([options] { return std::make_unique<PipelineModel>(options); }, "", "i32", "sum");
  block.parameters["RANKS"] = options.ranks;
  return block;
}

/// A slot of random operands.
struct Slot {
  Slot(unsigned ranks, unsigned bytes, std::uint64_t seed) : operands(ranks), sum(bytes) {
    for (unsigned r = 0; r < ranks; ++r) {
      for (unsigned i = 0; i < bytes; ++i) operands[r].push_back(static_cast<std::byte>(random_at(seed, r, i)));
      pointers.push_back(operands[r].data());
    }
    t.operands = ranks;
    t.operand = pointers.data();
    t.sum = sum.data();
    t.bytes = bytes;
    t.type = ElementType::i32;
  }
  std::vector<std::vector<std::byte>> operands;
  std::vector<const std::byte*> pointers;
  std::vector<std::byte> sum;
  CombineTransaction t;
};

AcceleratorParams with_adders(unsigned cycles) {
  AcceleratorParams params;
  params.add_cycles = cycles;
  return params;
}

TEST_CASE("a slot takes the times of the model: 1 + levels x add_cycles clocks, and 1 + beats for each slot",
          "[pure][rtl]") {
  for (const bool saves : {true, false})
    for (const unsigned adder : {2u, 11u})
      for (const unsigned ranks : {2u, 4u, 6u}) {
        PipelineModel::Options options;
        options.ranks = ranks;
        options.depth = 1 + adder * (ranks == 2 ? 1 : ranks == 4 ? 2 : 3);
        options.saves = saves;
        CombinatorBeats beats("combinator", block_of(options), with_adders(adder));
        Combinator model(with_adders(adder));
        Tick now = 5 * 3103 + 77, free = 0;  // the clock of an accelerator has an edge where its job begins
        for (unsigned n = 0; n < 200; ++n) {
          // Gaps from none to more than the pipeline is deep; lengths from one beat to 16.
          now += 3103 * (n % 7 == 0 ? 60 : random_at(1, 2, n) % 20);
          const unsigned bytes = n % 5 == 0 ? 100 : 1024;
          Slot slot(ranks, bytes, n), other(ranks, bytes, n);
          slot.t.now = other.t.now = now;
          slot.t.skip = other.t.skip = n % 3 == 0 ? 16 : 0;
          model.access(slot.t);
          const CombinatorBeats::Answer answer = beats.access(other.t);
          const Tick start = std::max(now, free);
          free = start + (1 + (bytes + 63) / 64) * 3103;
          REQUIRE(answer.start == start);
          REQUIRE(answer.done == start + options.depth * Tick{3103});
          REQUIRE(answer.interval == 0);
          REQUIRE(slot.sum == other.sum);
        }
      }
}

TEST_CASE("a combinator that stalls has an interval, and later slots wait", "[pure][rtl]") {
  for (const bool saves : {true, false}) {
    PipelineModel::Options options;
    options.stall = 10;
    options.saves = saves;
    CombinatorBeats beats("combinator", block_of(options), with_adders(2));
    Tick done = 0;
    for (unsigned n = 0; n < 5; ++n) {
      Slot slot(2, 128, n);
      slot.t.now = 0;
      const CombinatorBeats::Answer answer = beats.access(slot.t);
      // Two beats, ten clocks without ready: 12 clocks for each slot in place of three.
      CHECK(answer.interval == 9 * 3103);
      if (n > 0) CHECK(answer.done - done == 12 * 3103);
      done = answer.done;
    }
  }
}

TEST_CASE("stalls of the output change no sum, with one slot or several in the pipeline", "[pure][rtl]") {
  for (const bool saves : {true, false}) {
    PipelineModel::Options options;
    options.depth = 9;
    options.saves = saves;
    options.waits = true;
    CombinatorBeats beats("combinator", block_of(options), with_adders(2));
    beats.stall({30, 3});
    Tick done = 0;
    for (unsigned n = 0; n < 60; ++n) {
      Slot slot(2, 256, n), expected(2, 256, n);
      slot.t.now = n * 5 * Tick{3103};
      Combinator(with_adders(2)).access(expected.t);
      const Tick before = done;
      done = beats.access(slot.t).done;
      REQUIRE(slot.sum == expected.sum);
      if (saves) REQUIRE(done > before);  // otherwise slots have the block one after another, in no time
    }
  }
}

TEST_CASE("a combinator without data has the same times", "[pure][rtl]") {
  PipelineModel::Options options;
  CombinatorBeats beats("combinator", block_of(options), with_adders(2));
  CombineTransaction t;
  t.operands = 2;
  t.bytes = 1024;
  t.type = ElementType::i32;
  CHECK(beats.access(t).done == 3 * 3103);
  CHECK(beats.access(t).done == (17 + 3) * 3103);
}

TEST_CASE("operands that a slot lacks do not change the sum", "[pure][rtl]") {
  PipelineModel::Options options;
  options.ranks = 6;
  CombinatorBeats beats("combinator", block_of(options), with_adders(2));
  Slot slot(3, 200, 7), expected(3, 200, 7);
  beats.access(slot.t);
  Combinator(with_adders(2)).access(expected.t);
  CHECK(slot.sum == expected.sum);
}

TEST_CASE("the identity of an operation changes no operand", "[pure][rtl]") {
  for (const ElementType type : {ElementType::f32, ElementType::f16, ElementType::i32, ElementType::bf16, ElementType::f64,
                                 ElementType::i8, ElementType::i16, ElementType::i64})
    for (const ReduceOp op : {ReduceOp::sum, ReduceOp::min, ReduceOp::max})
      for (const std::uint64_t word : {0ull, 0x8000800080008000ull, 0x3F803F803F803F80ull, 0xBB7F01FF807F1234ull}) {
        std::uint8_t identity[8], data[8];
        fill_identity(op, type, identity, 8);
        std::memcpy(data, &word, 8);
        apply(op, type, identity, data, 8);
        std::uint64_t changed = 0;
        std::memcpy(&changed, identity, 8);
        CHECK(changed == word);
      }
}

TEST_CASE("slots that the block cannot add are refused", "[pure][rtl]") {
  PipelineModel::Options options;
  CombinatorBeats beats("rack.combinator", block_of(options), with_adders(2));
  Slot wide(3, 64, 1), floats(2, 64, 1), least(2, 64, 1);
  floats.t.type = ElementType::f32;
  least.t.op = ReduceOp::min;
  CHECK_THROWS_WITH(beats.access(wide.t), Contains("RANKS=2, and a slot has 3 operands"));
  CHECK_THROWS_WITH(beats.access(floats.t), "rack.combinator: the block in RTL has no type f32 (legal: i32)");
  CHECK_THROWS_WITH(beats.access(least.t), "rack.combinator: the block in RTL has no operation min (legal: sum)");
  AcceleratorParams narrow;
  narrow.beat = 32_B;
  CHECK_THROWS_WITH(CombinatorBeats("c", block_of(options), narrow), Contains("netreduce.accelerator.beat is 32B"));
}

TEST_CASE("wrong answers are named with the rule", "[pure][rtl]") {
  PipelineModel::Options id, last;
  id.wrong_id = true;
  last.wrong_last = true;
  Slot slot(2, 128, 1);
  CHECK_THROWS_WITH(CombinatorBeats("c", block_of(id), with_adders(2)).access(slot.t),
                    "c breaks the rule `answer`: answers request 2 in place of 1");
  CHECK_THROWS_WITH(CombinatorBeats("c", block_of(last), with_adders(2)).access(slot.t),
                    "c breaks the rule `answer`: a sum of 2 beats with `m_last` at beat 1");
}

TEST_CASE("texts of a build give parameters, types and operations", "[pure][rtl]") {
  const RtlBlock block = rtl_block({}, "RANKS=6 ADD_CYCLES=11", "i32 f32", "sum max");
  CHECK(block.parameters == PinParameters{{"RANKS", 6}, {"ADD_CYCLES", 11}});
  CHECK(block.types == std::vector<ElementType>{ElementType::i32, ElementType::f32});
  CHECK(block.ops == std::vector<ReduceOp>{ReduceOp::sum, ReduceOp::max});
  for (const char* wrong : {"RANKS", "RANKS=", "RANKS=x", "RANKS=-1"})
    CHECK_THROWS_AS(rtl_block({}, wrong, "", ""), std::invalid_argument);
  CHECK_THROWS_AS(rtl_block({}, "", "i33", ""), std::invalid_argument);
}

}  // namespace tributary::test_combinator_beats
