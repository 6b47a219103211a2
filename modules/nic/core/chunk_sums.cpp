#include "modules/nic/core/chunk_sums.h"

#include <cstring>

namespace tributary {

using Kind = ReductionEvent::Kind;

void ChunkSums::begin(std::uint16_t node, ElementType type, ReduceOp op) {
  node_ = node;
  type_ = type;
  op_ = op;
  sums_.clear();
}

ChunkSums::Element ChunkSums::element(const std::byte* data) const {
  Element e;
  std::memcpy(e.bytes.data(), data, element_size(type_));
  return e;
}

void ChunkSums::operand(std::uint16_t chunk, std::uint16_t from, const std::byte* data, const std::byte* sum) {
  Sum& s = sums_[chunk];
  if (!s.value) s.value = element(sum);
  s.operands.emplace(from, element(data));
}

void ChunkSums::queued(Tick now, std::uint16_t chunk, std::size_t expected) {
  Sum& s = sums_[chunk];
  if (s.count != 0) return;
  s.count = 1;
  s.expected = static_cast<std::uint16_t>(expected);
  fire(now, Kind::allocated, chunk, s, node_, s.value ? &*s.value : nullptr);
}

void ChunkSums::added(Tick now, std::uint16_t chunk, std::uint16_t from) {
  const auto place = sums_.find(chunk);
  if (place == sums_.end()) return;  // observation began later
  Sum& s = place->second;
  const auto known = s.operands.find(from);
  const bool data = known != s.operands.end() && s.value;
  if (data) apply(op_, type_, s.value->bytes.data(), known->second.bytes.data(), element_size(type_));
  ++s.count;
  fire(now, Kind::merged, chunk, s, from, data ? &known->second : nullptr);
  if (data) s.operands.erase(known);
  if (s.count == s.expected) fire(now, Kind::completed, chunk, s, ReductionEvent::no_source, nullptr);
}

void ChunkSums::sent(Tick now, std::uint16_t chunk) {
  const auto place = sums_.find(chunk);
  if (place == sums_.end() || place->second.count == 0) return;
  const Sum sum = place->second;
  sums_.erase(place);
  fire(now, Kind::freed, chunk, sum, ReductionEvent::no_source, nullptr);
}

void ChunkSums::fire(Tick now, Kind kind, std::uint16_t chunk, const Sum& sum, std::uint16_t source,
                     const Element* operand) const {
  ReductionEvent event;
  event.kind = kind;
  event.block = chunk;
  event.count = sum.count;
  event.expected = sum.expected;
  event.source = source;
  event.type = type_;
  event.operands = 1;
  event.operand = operand != nullptr ? operand->bytes.data() : nullptr;
  event.value = sum.value ? sum.value->bytes.data() : nullptr;
  latest_(now, event);
}

void ChunkSums::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add(prefix + "latest", latest_, "last change of a partial sum", 1);
}

}  // namespace tributary
