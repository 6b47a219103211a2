#pragma once
/// TableRules: checks the answers of a reduction table against docs/blocks/reduction_table.md.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "modules/nvswitch/core/table_transaction.h"

namespace tributary {

class TableRules {
 public:
  enum class Rule : std::uint8_t {
    answer,    ///< an answer that is legal for the command, with the required fields
    conserve,  ///< leaving packets count no more operands of their block than have entered
    lose,      ///< leaving packets count no fewer; the others stay in inside()
    complete,  ///< a completed block has all expected operands
    expire     ///< a table that is due evicts an entry, or returns a later time
  };
  /// Called for a breach, with one line.
  using Report = std::function<void(Rule, Tick, const std::string&)>;

  explicit TableRules(Report report) : report_(std::move(report)) {}

  /// Remembers the operand of a transaction. Call before the table gets it: a table may change the packet.
  void ask(const TableTransaction& t);
  /// Checks the answer to the last ask().
  void check(const TableTransaction& t);
  /// Returns the blocks whose operands have not left, by number: {block, operands}.
  std::map<std::uint64_t, unsigned> inside() const;
  void reset() { inside_.clear(), pulls_.clear(); }

 private:
  using Block = std::pair<std::uint64_t, unsigned>;  // number, requester
  void check_packets(const TableTransaction& t);
  void check_expected(const TableTransaction& t);
  void leaves(const TableTransaction& t, const Packet& packet, const Block& block);
  void require(bool holds, Rule rule, const TableTransaction& t, const std::string& text) {
    if (!holds) report_(rule, t.now, text);
  }

  Report report_;
  Block asked_{};
  unsigned operands_ = 0;             // in the last ask()
  std::map<Block, unsigned> inside_;  // operands
  std::map<Block, unsigned> pulls_;   // expected operands of entries for pulls
};

std::string name_of(TableRules::Rule rule);

}  // namespace tributary
