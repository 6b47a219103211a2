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
  const char* const names[] = {"answer", "conserve", "lose", "complete", "expire"};
  return names[static_cast<std::size_t>(rule)];
}

void TableRules::ask(const TableTransaction& t) {
  operands_ = 0;
  asked_ = {t.address / block_bytes, t.requester};
  if (t.packet == nullptr) return;
  asked_ = {nv(*t.packet).address / block_bytes, t.command == Command::push ? TableTransaction::no_requester : t.requester};
  operands_ = nv(*t.packet).count;
}

void TableRules::check(const TableTransaction& t) {
  require(knows(t.command, t.answer), Rule::answer, t,
          std::string("the command ") + name_of(t.command) + " has no answer `" + name_of(t.answer) + "`");
  check_packets(t);
  check_expected(t);
  if (t.answer == Answer::inserted || t.answer == Answer::merged || t.answer == Answer::completed)
    if (operands_ != 0) inside_[asked_] += operands_;
  if (t.result != nullptr) leaves(t, *t.result, asked_);
  if (t.evicted != nullptr) leaves(t, *t.evicted, {nv(*t.evicted).address / block_bytes, TableTransaction::no_requester});
}

void TableRules::check_packets(const TableTransaction& t) {
  const std::string block = block_text(asked_.first);
  require(t.result != nullptr || t.answer != Answer::completed, Rule::answer, t,
          "`completed` without a result for " + block);
  require(t.result == nullptr || t.answer == Answer::completed, Rule::answer, t,
          "a result for " + block + " with the answer `" + name_of(t.answer) + "`");
  require(t.evicted == nullptr || t.answer == Answer::inserted, Rule::answer, t,
          "an evicted packet with the answer `" + name_of(t.answer) + "`");
}

void TableRules::check_expected(const TableTransaction& t) {
  require(t.command != Command::expire || t.evicted != nullptr || t.next_timeout > t.now, Rule::expire, t,
          "an entry is due, and the table neither evicts one nor returns a later time");
  unsigned expected = t.expected;
  if (t.command == Command::allocate && t.answer == Answer::inserted) pulls_[asked_] = expected;
  if (t.command == Command::collect) {
    const auto pull = pulls_.find(asked_);
    require(pull == pulls_.end() || t.answer != Answer::missed, Rule::answer, t,
            "`missed` for " + block_text(asked_.first) + ", which has an entry");
    if (pull == pulls_.end()) return;
    expected = pull->second;
    if (t.answer == Answer::completed) pulls_.erase(pull);
  }
  require(t.answer != Answer::completed || t.count == expected, Rule::complete, t,
          block_text(asked_.first) + " is complete with " + std::to_string(t.count) + " of " + std::to_string(expected) +
              " operands");
}

void TableRules::leaves(const TableTransaction& t, const Packet& packet, const Block& block) {
  const auto it = inside_.find(block);
  const unsigned inside = it == inside_.end() ? 0 : it->second;
  require(inside == t.count, t.count > inside ? Rule::conserve : Rule::lose, t,
          block_text(block.first) + " leaves with " + std::to_string(t.count) + " operands, and " + std::to_string(inside) +
              " have entered");
  require(nv(packet).address / block_bytes == block.first, Rule::answer, t,
          block_text(block.first) + " leaves in a packet of " + block_text(nv(packet).address / block_bytes));
  if (it == inside_.end()) return;
  if ((it->second -= std::min<unsigned>(t.count, inside)) == 0) inside_.erase(it);
}

std::map<std::uint64_t, unsigned> TableRules::inside() const {
  std::map<std::uint64_t, unsigned> blocks;
  for (const auto& [block, operands] : inside_) blocks[block.first] += operands;
  return blocks;
}

}  // namespace tributary
