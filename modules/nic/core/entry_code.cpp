#include "modules/nic/core/entry_code.h"

#include <stdexcept>

namespace tributary {
namespace {

constexpr unsigned op_bytes = 1, id_bytes = 2, address_bytes = 6, size_bytes = 4;
static_assert(8 * (op_bytes + 2 * id_bytes + 4 * id_bytes + id_bytes + address_bytes + size_bytes) == schedule_entry_bits);

void put(EntryCode& code, std::size_t& at, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) code[at++] = static_cast<std::byte>(value >> 8 * i & 0xFF);
}

template <class T>
T take(const EntryCode& code, std::size_t& at, unsigned bytes) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value |= std::to_integer<std::uint64_t>(code[at++]) << 8 * i;
  return static_cast<T>(value);
}

}  // namespace

EntryCode encode(const ScheduleEntry& e) {
  if (e.start >> 8 * address_bytes != 0)
    throw std::out_of_range("address " + std::to_string(e.start) + " of the " + describe(e) + " has more than 48 bits");
  EntryCode code{};
  std::size_t at = 0;
  put(code, at, static_cast<std::uint64_t>(e.op), op_bytes);
  put(code, at, e.tree, id_bytes);
  put(code, at, e.parent, id_bytes);
  for (const std::uint16_t child : e.children) put(code, at, child, id_bytes);
  put(code, at, e.step, id_bytes);
  put(code, at, e.start, address_bytes);
  put(code, at, e.bytes, size_bytes);
  return code;
}

ScheduleEntry decode(const EntryCode& code) {
  std::size_t at = 0;
  ScheduleEntry e{};
  e.op = static_cast<ScheduleEntry::Op>(take<std::uint8_t>(code, at, op_bytes));
  if (e.op > ScheduleEntry::Op::nop)
    throw std::invalid_argument("Op " + std::to_string(static_cast<unsigned>(e.op)) + " of a schedule entry is undefined");
  e.tree = take<std::uint16_t>(code, at, id_bytes);
  e.parent = take<std::uint16_t>(code, at, id_bytes);
  for (std::uint16_t& child : e.children) child = take<std::uint16_t>(code, at, id_bytes);
  e.step = take<std::uint16_t>(code, at, id_bytes);
  e.start = take<std::uint64_t>(code, at, address_bytes);
  e.bytes = take<std::uint32_t>(code, at, size_bytes);
  return e;
}

const char* name(ScheduleEntry::Op op) {
  return op == ScheduleEntry::Op::reduce ? "reduce" : op == ScheduleEntry::Op::gather ? "gather" : "nop";
}

std::string describe(const ScheduleEntry& e) {
  const std::string tree = e.op == ScheduleEntry::Op::nop ? "" : " of tree " + std::to_string(e.tree);
  return name(e.op) + tree + " in step " + std::to_string(e.step);
}

}  // namespace tributary
