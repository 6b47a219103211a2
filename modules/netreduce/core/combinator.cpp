#include "modules/netreduce/core/combinator.h"

#include <cstring>

namespace tributary {

unsigned Combinator::adder_cycles(unsigned operands) const {
  if (operands < 2) return 0;
  if (params_.order == AdderOrder::chain) return (operands - 1) * params_.add_cycles;
  unsigned levels = 0;
  while (1u << levels < operands) ++levels;
  return levels * params_.add_cycles;
}

Tick Combinator::access(CombineTransaction& t) {
  const Tick clock = params_.clock.value;
  const unsigned unit = unit_of(params_, t.ring);
  if (unit < busy_.size()) busy_[unit](t.now, 1), busy_[unit](t.now + slot_cycles(params_, t.bytes) * clock, 0);
  if (t.operand != nullptr) add(t);
  return adder_cycles(t.operands) * clock;
}

void Combinator::add(const CombineTransaction& t) {
  std::byte* const sum = t.sum + t.skip;
  const unsigned bytes = t.bytes - t.skip;
  if (params_.order == AdderOrder::tree && t.operands > 2) return add_in_tree(t, sum, bytes);
  std::memcpy(sum, t.operand[0] + t.skip, bytes);
  for (unsigned r = 1; r < t.operands; ++r) apply(t.op, t.type, sum, t.operand[r] + t.skip, bytes);
}

void Combinator::add_in_tree(const CombineTransaction& t, std::byte* sum, unsigned bytes) {
  const unsigned pairs = (t.operands + 1) / 2;
  if (partial_.size() < std::size_t{pairs} * bytes) partial_.resize(std::size_t{pairs} * bytes);
  const auto part = [&](unsigned i) { return i == 0 ? sum : partial_.data() + std::size_t{i} * bytes; };
  for (unsigned i = 0; i < pairs; ++i) {
    std::memcpy(part(i), t.operand[2 * i] + t.skip, bytes);
    if (2 * i + 1 < t.operands) apply(t.op, t.type, part(i), t.operand[2 * i + 1] + t.skip, bytes);
  }
  for (unsigned stride = 1; stride < pairs; stride *= 2)
    for (unsigned i = 0; i + stride < pairs; i += 2 * stride) apply(t.op, t.type, part(i), part(i + stride), bytes);
}

void Combinator::describe(ProbeDirectory& directory, const std::string& prefix) {
  for (std::size_t unit = 0; unit < busy_.size(); ++unit) {
    const std::string name = busy_.size() == 1 ? "" : "unit" + std::to_string(unit) + ".";
    directory.add_signal(prefix + name + "busy", busy_[unit], SignalKind::level, 1, "beats of a slot enter the adders");
  }
}

}  // namespace tributary
