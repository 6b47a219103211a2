#pragma once
/// TableRules: checks the answers of a reduction table against docs/blocks/reduction_table.md.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "modules/nvswitch/core/table_transaction.h"

namespace tributary {

class TableRules {
 public:
  enum class Rule : std::uint8_t {
    answer,    ///< an answer that is legal for the command, with the required fields
    conserve,  ///< leaving packets count no more operands of their block than have entered
    lose,      ///< leaving packets count no fewer; the others stay in inside()
    complete,  ///< a completed block has all expected operands
    expire,    ///< a table that is due evicts an entry, or returns a later time
    keep,      ///< a packet that the caller keeps is unchanged; a packet that leaves is alive
    length     ///< a sum has the bytes of its operands
  };
  /// Called for a breach, with one line.
  using Report = std::function<void(Rule, Tick, const std::string&)>;
  /// Operands of a block that have not left.
  struct Kept {
    std::uint64_t block = 0;
    unsigned operands = 0;
    unsigned source = 0;  ///< GPU of the first of them
    bool pull = false;
  };

  explicit TableRules(Report report) : report_(std::move(report)) {}

  /// Remembers the operand of a transaction. Call before the table gets it: a table may change the packet.
  void ask(const TableTransaction& t);
  /// Checks the answer to the last ask().
  void check(const TableTransaction& t);
  /// Returns the blocks whose operands have not left, by number: {block, operands}.
  std::map<std::uint64_t, unsigned> inside() const;
  /// Returns the same with the source of each block's first operand, by number.
  std::vector<Kept> kept() const;
  struct State {
    unsigned operands = 0, expected = 0;
  };
  /// Returns the operands of the last request's block that have entered and not left, and those of its sum.
  State asked() const;
  void reset() { entries_.clear(); }

 private:
  struct Entry {
    unsigned operands = 0;  // that have not left
    unsigned source = 0;    // GPU that sent the first one
    bool pull = false;
    unsigned expected = 0;  // operands of the sum
  };
  using Key = std::uint64_t;  // number of the block, requester
  static Key key_of(std::uint64_t block, unsigned requester) { return block << 16 | requester; }
  void check_packets(const TableTransaction& t) const;
  void check_kept(const TableTransaction& t) const;
  void check_expected(const TableTransaction& t);
  void leaves(const TableTransaction& t, const Packet& packet, Key key);
  void report(Rule rule, const TableTransaction& t, const std::string& text) const { report_(rule, t.now, text); }

  Report report_;
  // The last ask():
  Key asked_ = 0;
  std::uint64_t address_ = 0;
  unsigned operands_ = 0, source_ = 0, references_ = 0, bytes_ = 0;

  std::unordered_map<Key, Entry> entries_;
};

std::string name_of(TableRules::Rule rule);

}  // namespace tributary
