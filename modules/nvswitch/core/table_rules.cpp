#include "modules/nvswitch/core/table_rules.h"

#include <algorithm>
#include <iterator>

#include "modules/protocol/nvlink.h"

namespace tributary {
namespace {

using Command = TableTransaction::Command;
using Answer = TableTransaction::Answer;

const char* name_of(Command command) {
  const char* const names[] = {"push", "allocate", "collect", "expire", "finish"};
  return names[static_cast<std::size_t>(command)];
}

std::string name_of(Answer answer) {
  const char* const names[] = {"inserted", "merged", "completed", "refused", "missed", "bypassed", "nothing"};
  const auto index = static_cast<std::size_t>(answer);
  return index < std::size(names) ? names[index] : std::to_string(index);
}

bool knows(Command command, Answer answer) {
  switch (command) {
    case Command::push:
      return answer == Answer::inserted || answer == Answer::merged || answer == Answer::completed ||
             answer == Answer::bypassed;
    case Command::collect:
      return answer == Answer::merged || answer == Answer::completed || answer == Answer::missed;
    case Command::allocate:
      return answer == Answer::inserted || answer == Answer::refused;
    case Command::expire:
      return answer == Answer::inserted || answer == Answer::nothing;
    case Command::finish:
      break;
  }
  return true;
}

std::string block_text(std::uint64_t number) { return "block " + std::to_string(number); }

}  // namespace

std::string name_of(TableRules::Rule rule) {
  const char* const names[] = {"answer", "conserve", "lose", "complete", "expire", "keep", "length"};
  return names[static_cast<std::size_t>(rule)];
}

void TableRules::ask(const TableTransaction& t) {
  operands_ = 0;
  asked_ = key_of(t.address / block_bytes, t.requester);
  if (t.packet == nullptr) return;
  const NvHeader& h = nv(*t.packet);
  address_ = h.address;
  asked_ =
      key_of(h.address / block_bytes, t.command == Command::push ? unsigned{TableTransaction::no_requester} : t.requester);
  operands_ = h.count;
  source_ = h.source;
  references_ = t.packet->references();
  bytes_ = t.packet->payload_bytes;
}

void TableRules::check(const TableTransaction& t) {
  if (!knows(t.command, t.answer))
    report(Rule::answer, t, std::string("the command ") + name_of(t.command) + " has no answer `" + name_of(t.answer) + "`");
  check_packets(t);
  check_kept(t);
  check_expected(t);
  if (operands_ != 0 && (t.answer == Answer::inserted || t.answer == Answer::merged || t.answer == Answer::completed)) {
    Entry& entry = entries_[asked_];
    if (entry.operands == 0) entry.source = source_;
    if (t.command == Command::push) entry.expected = t.expected;
    entry.operands += operands_;
  }
  if (t.result != nullptr) leaves(t, *t.result, asked_);
  if (t.evicted != nullptr)
    leaves(t, *t.evicted, key_of(nv(*t.evicted).address / block_bytes, TableTransaction::no_requester));
}

void TableRules::check_packets(const TableTransaction& t) const {
  if ((t.result != nullptr) != (t.answer == Answer::completed))
    report(Rule::answer, t,
           t.result == nullptr
               ? "`completed` without a result for " + block_text(asked_ >> 16)
               : "a result for " + block_text(asked_ >> 16) + " with the answer `" + name_of(t.answer) + "`");
  if (t.evicted != nullptr && t.answer != Answer::inserted)
    report(Rule::answer, t, "an evicted packet with the answer `" + name_of(t.answer) + "`");
}

void TableRules::check_kept(const TableTransaction& t) const {
  const bool returned = t.answer == Answer::bypassed || t.answer == Answer::missed;
  if (returned && operands_ != 0) {
    const NvHeader& h = nv(*t.packet);
    if (t.packet->references() != references_ || h.count != operands_ || h.address != address_)
      report(Rule::keep, t, "keeps the packet of " + block_text(asked_ >> 16) + " and answers `" + name_of(t.answer) + "`");
  }
  for (const Packet* const leaving : {t.result, t.evicted})
    if (leaving != nullptr && leaving->references() == 0)
      report(Rule::keep, t, "a packet of " + block_text(nv(*leaving).address / block_bytes) + " leaves after its release");
  if (t.result != nullptr && operands_ != 0 && t.result->payload_bytes != bytes_)
    report(Rule::length, t,
           block_text(asked_ >> 16) + " leaves with " + std::to_string(t.result->payload_bytes) +
               " B; legal: " + std::to_string(bytes_) + " B, as its operands");
}

void TableRules::check_expected(const TableTransaction& t) {
  if (t.command == Command::expire && t.evicted == nullptr && t.next_timeout <= t.now)
    report(Rule::expire, t, "an entry is due, and the table neither evicts one nor returns a later time");
  unsigned expected = t.expected;
  if (t.command == Command::allocate && t.answer == Answer::inserted) {
    Entry& entry = entries_[asked_];
    entry.pull = true, entry.expected = expected;
  }
  if (t.command == Command::collect) {
    const auto pull = entries_.find(asked_);
    if (pull == entries_.end() || !pull->second.pull) return;
    if (t.answer == Answer::missed)
      report(Rule::answer, t, "`missed` for " + block_text(asked_ >> 16) + ", which has an entry");
    expected = pull->second.expected;
    if (t.answer == Answer::completed) pull->second.pull = false;
  }
  if (t.answer == Answer::completed && t.count != expected)
    report(Rule::complete, t,
           block_text(asked_ >> 16) + " is complete with " + std::to_string(t.count) + " of " + std::to_string(expected) +
               " operands");
}

void TableRules::leaves(const TableTransaction& t, const Packet& packet, Key key) {
  const auto it = entries_.find(key);
  const unsigned inside = it == entries_.end() ? 0 : it->second.operands;
  if (inside != t.count)
    report(t.count > inside ? Rule::conserve : Rule::lose, t,
           block_text(key >> 16) + " leaves with " + std::to_string(t.count) + " operands, and " + std::to_string(inside) +
               " have entered");
  if (nv(packet).address / block_bytes != key >> 16)
    report(Rule::answer, t,
           block_text(key >> 16) + " leaves in a packet of " + block_text(nv(packet).address / block_bytes));
  if (it == entries_.end()) return;
  it->second.operands -= std::min<unsigned>(t.count, inside);
  if (it->second.operands == 0 && !it->second.pull) entries_.erase(it);
}

TableRules::State TableRules::asked() const {
  const auto it = entries_.find(asked_);
  return it == entries_.end() ? State{} : State{it->second.operands, it->second.expected};
}

std::map<std::uint64_t, unsigned> TableRules::inside() const {
  std::map<std::uint64_t, unsigned> blocks;
  for (const auto& [key, entry] : entries_)
    if (entry.operands != 0) blocks[key >> 16] += entry.operands;
  return blocks;
}

std::vector<TableRules::Kept> TableRules::kept() const {
  std::vector<Kept> all;
  for (const auto& [key, entry] : entries_)
    if (entry.operands != 0) all.push_back({key >> 16, entry.operands, entry.source, entry.pull});
  std::sort(all.begin(), all.end(), [](const Kept& a, const Kept& b) { return a.block < b.block; });
  return all;
}

}  // namespace tributary
