#pragma once
/// BeatSequencer: converts the transactions of a port to beats for a BeatTable, and its answers to transactions.

#include <string>
#include <vector>

#include "modules/nvswitch/core/answered_table.h"

namespace tributary {

/// A command ends, with all its beats, before the next one begins. Throws std::logic_error, with the name, on an illegal
/// answer, or if none arrives.
class BeatSequencer : public AnsweredTable {
 public:
  static constexpr unsigned patience = 1u << 16;  ///< maximum number of clock edges per command

  BeatSequencer(std::string name, BeatTable& table, Bandwidth line_rate);

  /// Answers a transaction. Clocks beyond the operand's flits are its interval (`timing`).
  void access(TableTransaction& t);
  void reset();
  /// Clock edges so far.
  std::uint64_t edges() const { return all_edges_; }

 private:
  using In = BeatTable::In;
  using Out = BeatTable::Out;

  BeatAnswer ask(const BeatHeader& header);
  void send_data(const Packet& operand) override;
  void receive_data(Packet& packet) override;
  Out edge(In in);

  BeatTable& table_;
  Bandwidth rate_;
  Tick flit_time_;
  std::uint64_t clock_ = 0, all_edges_ = 0;  // clock_: number of the next edge
  unsigned edges_ = 0;                       // edges of this command
  std::vector<Beat> out_;                    // beats that this command has returned
};

}  // namespace tributary
