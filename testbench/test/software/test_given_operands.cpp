/// Operands of a user: where they are written, and which results are wrong.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "testbench/workload/given_operands.h"

namespace tributary::test_given_operands {
namespace {

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& elements) {
  std::vector<std::byte> bytes(elements.size() * sizeof(T));
  std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

/// Returns the number of wrong elements in a result that every rank holds at address 0.
template <class T>
std::uint64_t wrong(ElementType type, ReduceOp op, const std::vector<std::vector<T>>& operands,
                    const std::vector<T>& result) {
  std::vector<std::vector<std::byte>> messages;
  for (const std::vector<T>& operand : operands) messages.push_back(bytes_of(operand));
  const GivenOperands given(type, op, messages);
  std::vector<std::byte> memory = bytes_of(result);
  std::vector<int> ranks;
  for (std::size_t r = 0; r < operands.size(); ++r) ranks.push_back(static_cast<int>(r));
  return given.count_wrong({{{0, 1}, 0, memory.size(), 0, ranks}}, [&](int) { return memory.data(); });
}

}  // namespace

TEST_CASE("given operands: sums of integers wrap, and any other bit is wrong at each rank", "[workload]") {
  using I8 = std::vector<std::int8_t>;
  CHECK(wrong<std::int8_t>(ElementType::i8, ReduceOp::sum, {I8{100, 1}, I8{100, 2}}, {-56, 3}) == 0);
  CHECK(wrong<std::int8_t>(ElementType::i8, ReduceOp::sum, {I8{100, 1}, I8{100, 2}}, {-56, 4}) == 2);
}

TEST_CASE("given operands: sums of floats may round once for each addition", "[workload]") {
  using F = std::vector<float>;
  const std::vector<F> operands{{1.0F}, {0x1p-24F}, {0x1p-24F}};  // in order: 1, in another order: 1 + 2^-23
  for (const float sum : {1.0F, 1.0F + 0x1p-23F}) CHECK(wrong(ElementType::f32, ReduceOp::sum, operands, F{sum}) == 0);
  CHECK(wrong(ElementType::f32, ReduceOp::sum, operands, F{1.0F + 0x1p-21F}) == 2);  // the bound is 2 x 2^-24
  CHECK(wrong(ElementType::f32, ReduceOp::sum, {F{3}, F{4}}, F{8}) == 2);
}

TEST_CASE("given operands: a NaN is right where an operand is one, and an infinity where the sum is", "[workload]") {
  using F = std::vector<float>;
  const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  CHECK(wrong(ElementType::f32, ReduceOp::sum, {F{nan}, F{1}}, F{nan}) == 0);
  CHECK(wrong(ElementType::f32, ReduceOp::sum, {F{nan}, F{1}}, F{1}) == 2);
  CHECK(wrong(ElementType::f32, ReduceOp::sum, {F{2}, F{1}}, F{nan}) == 2);
  CHECK(wrong(ElementType::f32, ReduceOp::sum, {F{infinity}, F{1}}, F{infinity}) == 0);
  CHECK(wrong(ElementType::f32, ReduceOp::sum, {F{2}, F{1}}, F{infinity}) == 2);
}

TEST_CASE("given operands: a minimum is right to the bit", "[workload]") {
  using D = std::vector<double>;
  CHECK(wrong(ElementType::f64, ReduceOp::min, {D{0.0}, D{-0.0}}, D{-0.0}) == 0);
  CHECK(wrong(ElementType::f64, ReduceOp::min, {D{0.0}, D{-0.0}}, D{0.0}) == 2);
}

TEST_CASE("given operands: ranges take their elements from the message of their rank", "[workload]") {
  const GivenOperands given(ElementType::i32, ReduceOp::sum,
                            {bytes_of(std::vector<int>{1, 2, 3, 4}), bytes_of(std::vector<int>{5, 6, 7, 8})});
  std::vector<int> memory(8, 0);
  const auto place = [&](int) { return reinterpret_cast<std::byte*>(memory.data()); };
  const std::vector<OperandRange> ranges{{{0}, 8, 8, 2, {1}}};  // elements 2 and 3 of rank 1 at address 8
  given.fill(ranges, place);
  CHECK(memory == std::vector<int>{0, 0, 7, 8, 0, 0, 0, 0});
  CHECK(given.count_wrong(ranges, place) == 0);
  memory[2] = 6;
  CHECK(given.count_wrong(ranges, place) == 1);
}

TEST_CASE("given operands: messages have one size", "[workload]") {
  CHECK_THROWS_WITH(GivenOperands(ElementType::i8, ReduceOp::sum,
                                  {bytes_of(std::vector<std::int8_t>{1}), bytes_of(std::vector<std::int8_t>{1, 2})}),
                    Catch::Contains("differ in size"));
}

}  // namespace tributary::test_given_operands
