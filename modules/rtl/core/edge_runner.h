#pragma once
/// EdgeRunner: calls the clock of a block in RTL, edge by edge, at exact times and ahead of the kernel.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/output_stalls.h"
#include "modules/rtl/core/beat_channel.h"
#include "modules/rtl/core/clock_domain.h"
#include "modules/rtl/core/pin_probes.h"

namespace tributary {

/// An input that is valid at time t is sampled at the first edge at or after t. At an edge the inputs are set while `clk` is
/// low, outputs are sampled, then `clk` rises. Edges at which the block is idle are skipped: no input is queued, no answer
/// is expected, no channel awaits `ready`, and `drain` edges have passed since the last beat.
///
/// Errors of the block throw std::logic_error with its name and the rule: `patience`, `order`, `reset`, `overlap`, `stable`.
class EdgeRunner {
 public:
  static constexpr unsigned patience = 1u << 16;  ///< edges without an answer that end the run
  struct Options {
    unsigned drain = 64;        ///< edges that are evaluated after the last beat
    bool free_running = false;  ///< the block counts clocks itself: every edge is evaluated
  };

  /// Throws std::invalid_argument if the model lacks a pin of the table, or has another width. The model must outlive this.
  EdgeRunner(std::string name, const PinTable& table, const PinParameters& parameters, RtlModel& model,
             const ClockDomain& clock, const Options& options);
  EdgeRunner(std::string name, const PinTable& table, const PinParameters& parameters, RtlModel& model,
             const ClockDomain& clock)
      : EdgeRunner(std::move(name), table, parameters, model, clock, Options()) {}

  const std::string& name() const { return name_; }
  ClockDomain& clock() { return clock_; }
  const ClockDomain& clock() const { return clock_; }
  /// Channels in the order of the table.
  const BeatChannel& channel(unsigned number) const { return lanes_[number].pins; }
  /// Number of the next edge to be evaluated.
  std::uint64_t edge() const { return edge_; }
  /// Edges that have been evaluated.
  std::uint64_t evaluated() const { return evaluated_; }

  /// Queues a beat to the block, valid from `beat.edge` on. Throws std::logic_error if that edge has passed, or if a beat
  /// that was queued before is valid later.
  void offer(unsigned channel, RtlBeat beat);
  /// Expects that many more beats from the block on a channel, from the next edge on; a beat beyond those breaks the rule
  /// `order`.
  void expect(unsigned channel, std::uint64_t beats) { lanes_[channel].expected += beats; }
  /// Expects no beats of a channel but the first `beats` since the reset.
  void expect_in_all(unsigned channel, std::uint64_t beats);
  /// Evaluates edges after each beat of a channel until the channel is ready again, which must be in `patience` edges.
  void await_ready(unsigned channel) { lanes_[channel].awaits_ready = true; }
  /// Evaluates all edges before `edge`. Probes do not show them.
  void run_to(std::uint64_t edge);
  /// Evaluates the next edge, which probes show.
  void run_edge() { step(); }
  /// Evaluates edges until all expected beats have left. `request` names the request in an error.
  void run_until_answered(const std::string& request);
  /// Evaluates edges until a channel is ready again after its latest beat, which has to be accepted.
  void run_until_ready(unsigned channel, const std::string& request);
  /// Evaluates edges until the block has accepted all beats of a channel, or until its expected beats have left.
  void run_until_passed(unsigned channel, const std::string& request);
  bool idle() const;

  /// Number of beats that have been expected on a channel.
  std::uint64_t expected(unsigned channel) const { return lanes_[channel].expected; }
  /// Beats of a channel, counted from the last reset: those that the block has accepted, or that have left it.
  std::uint64_t passed(unsigned channel) const { return lanes_[channel].passed; }
  /// Returns a beat from the block that has left, by its number; only those that forget() has kept.
  const RtlBeat& beat(unsigned channel, std::uint64_t number) const {
    return lanes_[channel].beats[static_cast<std::size_t>(number - lanes_[channel].first)];
  }
  /// Edge at which a channel's latest beat was accepted, and the first edge after that at which its `ready` was high.
  std::uint64_t accepted_at(unsigned channel) const { return lanes_[channel].accepted_at; }
  std::uint64_t ready_at(unsigned channel) const { return lanes_[channel].ready_at; }

  /// Keeps the state of the block and of this. Returns false if the model cannot save its state.
  bool mark();
  /// True if the model writes a trace of its signals.
  bool traces() const { return model_.traces(); }
  /// The next edges may be evaluated again: they are not traced, up to the return to the mark.
  void speculate(bool on) { speculative_ = on; }
  /// Returns to the mark. Beats that have left since then must leave again with equal contents at equal edges.
  void return_to_mark();
  std::uint64_t marked_edge() const { return mark_.edge; }
  /// Drops beats that have passed before the mark.
  void forget();
  /// Accepts no beat from the block in these clocks, on channels with the pin `ready`. A beat that waits must not change.
  void stall(const OutputStalls& stalls) { stalls_ = stalls; }
  /// Probes show edge e at the time of edge e - `edges`.
  void show_shift(std::uint64_t edges) { shown_shift_ = edges; }
  /// Ends the edges that probes show, which are those from a request to its answer: no channel has a beat.
  void show_idle() const {
    if (observed_) probes_.show_idle(clock_.time_of(edge_ - shown_shift_));
  }

  /// Resets the block: two edges with `rst_n` low.
  void reset();

  // Edges of a clock that another process drives: drive(), the logic settles, sample(), and `clk` rises.
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  /// Number of the next edge that must be evaluated; `none` if the block is idle.
  std::uint64_t next_edge() const;
  /// Sets the inputs of edge().
  void drive();
  /// Takes the outputs before the rise of edge(), and goes on to the next edge.
  void sample();
  /// Forgets all beats, and lowers `rst_n`.
  void begin_reset();
  /// Raises `rst_n` after two edges, and checks the outputs.
  void end_reset();
  /// Ends the run with the name of the block and a rule.
  [[noreturn]] void fail(const char* rule, const std::string& what) const;

  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  /// A channel with its beats from number `first` on: to the block, `passed` of them are accepted; from the block, those
  /// below `passed` have left, and others have left before the return to a mark.
  struct Lane {
    explicit Lane(BeatChannel channel) : pins(std::move(channel)) {}
    BeatChannel pins;
    std::deque<RtlBeat> beats{};
    std::uint64_t first = 0, passed = 0, expected = 0, accepted_at = 0, ready_at = 0;
    bool waits_for_ready = false;
    bool awaits_ready = false;      ///< edges are evaluated while it waits
    std::optional<RtlBeat> held{};  ///< from the block: valid at the last edge and not accepted
  };
  struct Mark {
    std::vector<std::uint8_t> state;
    std::uint64_t edge = 0;
    unsigned drained = 0;
    struct Count {
      std::uint64_t passed, accepted_at, ready_at;
      bool waits_for_ready;
    };
    std::vector<Count> counts;
  };

  void step();
  const RtlBeat* input(const Lane& lane) const;
  void accept(Lane& lane);
  void take(Lane& lane);
  void hold(Lane& lane);
  [[noreturn]] void fail_overlap(const Lane& lane, const RtlBeat& alone) const;
  bool accepted(std::uint64_t id) const;
  std::string waiting_pins() const;
  std::uint64_t next_input() const;
  void eval(bool clk);
  void trace(std::uint64_t edge, bool rises);
  void show() const;

  std::string name_;
  RtlModel& model_;
  ClockDomain clock_;
  Options options_;
  PinBytes clk_, rst_n_, idle_;
  std::deque<Lane> lanes_;
  std::uint64_t edge_ = 0, evaluated_ = 0, shown_shift_ = 0;
  unsigned drained_ = 0;  // edges since the last beat
  OutputStalls stalls_;
  Mark mark_;
  PinProbes probes_;
  bool observed_ = false;  // since the last reset
  bool shows_ = true, speculative_ = false;
};

}  // namespace tributary
