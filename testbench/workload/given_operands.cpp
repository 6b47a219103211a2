#include "testbench/workload/given_operands.h"

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace tributary {
namespace {

template <class T>
T read(const std::byte* place) {
  T x;
  std::memcpy(&x, place, sizeof x);
  return x;
}

/// Returns an element of a floating-point type, which a long double holds exactly.
long double value_of(ElementType type, const std::byte* place) {
  switch (type) {
    case ElementType::f64:
      return read<double>(place);
    case ElementType::f16:
      return from_f16(read<std::uint16_t>(place));
    case ElementType::bf16:
      return from_bf16(read<std::uint16_t>(place));
    default:
      return read<float>(place);
  }
}

long double unit_roundoff(ElementType type) {
  switch (type) {
    case ElementType::f64:
      return 0x1p-53L;
    case ElementType::f16:
      return 0x1p-11L;
    case ElementType::bf16:
      return 0x1p-8L;
    default:
      return 0x1p-24L;
  }
}

/// Unit roundoff of the reference.
constexpr long double reference_roundoff = 0x1p-63L;

}  // namespace

GivenOperands::GivenOperands(ElementType type, ReduceOp op, std::vector<std::vector<std::byte>> messages)
    : type_(type), op_(op), messages_(std::move(messages)) {
  for (const std::vector<std::byte>& message : messages_)
    if (message.size() != messages_.front().size()) throw std::invalid_argument("messages of ranks differ in size");
}

const std::byte* GivenOperands::element(int rank, std::uint64_t index) const {
  return messages_.at(static_cast<std::size_t>(rank)).data() + index * element_size(type_);
}

bool GivenOperands::exact(const OperandRange& range) const {
  return range.operands.size() == 1 || is_integer(type_) || op_ != ReduceOp::sum;
}

void GivenOperands::fill(const std::vector<OperandRange>& ranges, const MemoryOfRank& memory) const {
  for (const OperandRange& range : ranges)
    for (const int rank : range.at)
      std::memcpy(memory(rank) + range.address, element(range.operands.front(), range.first_element), range.bytes);
}

/// Returns the result of an operation that no order of the operands changes.
std::vector<std::byte> GivenOperands::expected(const OperandRange& range) const {
  const std::byte* const first = element(range.operands.front(), range.first_element);
  std::vector<std::byte> result(first, first + range.bytes);
  for (std::size_t i = 1; i < range.operands.size(); ++i)
    apply(op_, type_, result.data(), element(range.operands[i], range.first_element), range.bytes);
  return result;
}

std::uint64_t GivenOperands::count_outside(const OperandRange& range, const std::byte* result) const {
  const std::size_t size = element_size(type_);
  const auto operands = static_cast<long double>(range.operands.size());
  const long double share = (operands - 1) * unit_roundoff(type_) + operands * reference_roundoff;
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < range.bytes / size; ++i) {
    long double sum = 0, magnitude = 0;
    for (const int rank : range.operands) {
      const long double x = value_of(type_, element(rank, range.first_element + i));
      sum += x, magnitude += std::fabs(x);
    }
    const long double found = value_of(type_, result + i * size);
    wrong += std::isnan(sum) ? !std::isnan(found) : found != sum && !(std::fabs(found - sum) <= share * magnitude);
  }
  return wrong;
}

std::uint64_t GivenOperands::count_wrong(const std::vector<OperandRange>& ranges, const MemoryOfRank& memory) const {
  const std::size_t size = element_size(type_);
  std::uint64_t wrong = 0;
  for (const OperandRange& range : ranges) {
    const std::vector<std::byte> right = exact(range) ? expected(range) : std::vector<std::byte>{};
    for (const int rank : range.at) {
      const std::byte* const result = memory(rank) + range.address;
      if (!exact(range))
        wrong += count_outside(range, result);
      else
        for (std::uint64_t i = 0; i < range.bytes; i += size)
          wrong += std::memcmp(result + i, right.data() + i, size) != 0 ? 1 : 0;
    }
  }
  return wrong;
}

}  // namespace tributary
