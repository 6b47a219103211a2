#pragma once
/// ReductionTableBeats: converts the transactions of a port to beats for a reduction table in RTL, and its answers back.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/early_answers.h"
#include "modules/nvswitch/core/answered_table.h"
#include "modules/rtl/core/request_pipeline.h"
#include "modules/rtl/core/rtl_block.h"

namespace tributary {

/// Returns the beats of a command with number `id`: its header, and the data of its operand; null: zeros.
std::vector<RtlBeat> command_beats(const BeatLayout& request, const BeatHeader& header, std::uint8_t id,
                                   const std::byte* data, std::size_t bytes);
/// Returns the beats of a block that leaves because of a command; null: any data.
std::vector<ExpectedBeat> leaving_block(const BeatLayout& answer, std::uint8_t id, const std::byte* data, std::size_t bytes);

/// An operand has a clock for each of its flits: its header, and 16 B of data. Clocks beyond these are its interval, and
/// clocks from its last beat to that of the sum are the latency. A command without data uses a clock of the block and no
/// time of the port; all beats of an entry that times out also leave in no time. The clock has an edge at time 0.
class ReductionTableBeats : public AnsweredTable {
 public:
  /// Throws std::invalid_argument if the model lacks a pin.
  ReductionTableBeats(const std::string& name, const RtlBlock& block, Bandwidth line_rate);

  /// Answers a transaction. Returns the latency of the packet that leaves. Throws UnfitBlock as check_elements() does, and
  /// std::logic_error for a wrong answer.
  Tick access(TableTransaction& t);
  /// Throws UnfitBlock for elements that the RTL does not add.
  void check_elements(ElementType type, ReduceOp op) const { require_element(name(), block_, type, op); }
  /// The sum, or the entry that is evicted, has left before its operand has passed.
  EarlyTime early() const { return early_; }
  const EdgeRunner& runner() const { return runner_; }
  void stall(const OutputStalls& clocks) { runner_.stall(clocks); }
  void reset();
  /// The probes of a table, and those of the pins, `rtl.s_tag` and so on.
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  void send_data(const Packet&) override {}  // it follows the header
  void receive_data(Packet& packet) override;
  void offer(const TableTransaction& t, const BeatHeader& h, std::uint64_t edge);
  BeatAnswer decision(const std::string& request);
  void receive(unsigned beats, const std::string& request);
  Tick latency(const TableTransaction& t, std::uint64_t edge, std::uint64_t last_sent);
  void require_answer(bool holds, const std::string& what) const;

  RtlBlock block_;
  std::unique_ptr<RtlModel> model_;
  EdgeRunner runner_;
  RequestPipeline pipeline_;
  EarlyTime early_;
  std::uint8_t id_ = 0;
  std::uint64_t free_at_ = 0;               // edge of the next operand at the earliest, in the time of the port
  std::uint64_t decided_at_ = 0;            // edge of the latest decision
  std::uint64_t first_ = 0;                 // number of the first beat that leaves by this command
  unsigned leaving_ = 0;                    // beats that leave by it
  std::uint64_t before_ = 0, left_at_ = 0;  // edges of the last beats that left: of earlier commands, and of all
};

}  // namespace tributary
