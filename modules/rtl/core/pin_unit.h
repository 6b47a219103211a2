#pragma once
/// PinUnit: one instance of a block whose pins follow the kernel's clock: requests wait for their edges, and answers must
/// leave in time.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/rtl/core/edge_runner.h"

namespace tributary {

/// The process of the clock calls, at each edge: drive() as soon as `clk` is low, and again at the time of the edge; rise()
/// before it raises `clk`; fall() before it lowers it. The clock has an edge at the time of the first request after a reset.
///
/// Outputs that are registers show the beat of the next edge when `clk` falls. An answer may be foreseen then, so that the
/// device knows it before its own events of that time.
///
/// Errors of the block throw std::logic_error with its name and the rule: those of EdgeRunner, and `late`.
class PinUnit {
 public:
  /// Called when the last beat of an answer has left. Beat k of the answer is runner().beat(channel, first + k).
  using Answered = std::function<void(std::uint64_t first)>;
  /// Called when the first beat of an answer, `first`, has left. `when`: its edge, or that of its latency if that is later.
  using Begun = std::function<void(Tick when, std::uint64_t first)>;
  /// Called for each beat of an answer, in order, when `clk` falls before the edge at which it leaves, `when`. A beat that
  /// only inputs of the same clock cause is shown at its edge. The beat must leave as it is shown: rule `stable`.
  using Foreseen = std::function<void(Tick when, const RtlBeat& beat)>;

  /// Throws std::invalid_argument if the model lacks a pin, or has another width. The model must outlive this.
  PinUnit(const std::string& name, const PinTable& table, const PinParameters& parameters, RtlModel& model, Tick period);

  const EdgeRunner& runner() const { return runner_; }
  const BeatChannel& channel(unsigned number) const { return runner_.channel(number); }
  const ClockDomain& clock() const { return runner_.clock(); }

  /// Returns the edge of a request at `now`. Throws std::logic_error for a time before the end of a reset.
  std::uint64_t edge_of(Tick now);
  /// Returns the edge of a request at `now`; the next one if that edge has risen, as may be for a request that an answer of
  /// the same instant has caused.
  std::uint64_t next_edge_of(Tick now) {
    const std::uint64_t edge = edge_of(now);
    return std::max(edge, runner_.edge());
  }
  /// Queues a beat to the block, valid from `beat.edge` on. Throws std::logic_error if that edge has passed.
  void offer(unsigned channel, RtlBeat beat) { runner_.offer(channel, std::move(beat)); }
  /// Keeps the clock running after each beat of a channel until the channel is ready again; rule `patience`.
  void await_ready(unsigned channel) { runner_.await_ready(channel); }
  /// Expects the answer to a request that begins at edge `start`: beat k leaves `latency` + k clocks later at the latest;
  /// with latency 0, k clocks after the first beat. `what` names the request in an error.
  void expect(unsigned channel, unsigned beats, std::uint64_t start, unsigned latency, std::string what, Answered answered,
              Begun begun = {});
  /// Expects the answer to a request that begins at edge `start`, `beats` beats one after another at any time.
  void foresee(unsigned channel, unsigned beats, std::uint64_t start, std::string what, Foreseen foreseen,
               Answered answered);

  /// Expects the answer to a request that begins at edge `start`, up to the beat with `last`. Its latency depends on data.
  void expect_to_last(unsigned channel, std::uint64_t start, std::string what, Answered answered) {
    expect(channel, 0, start, 0, std::move(what), std::move(answered));
  }
  /// Shows each beat of a channel, as foresee() does, or else when the inputs of its edge are settled.
  /// `registered`: its pins do not depend on inputs of the same clock.
  void watch(unsigned channel, bool registered, Foreseen seen) {
    watched_.push_back({channel, registered, std::move(seen), 0, {}});
  }
  /// Expects up to `more` beats on a watched channel that have not left. Call after each beat that is shown.
  void arm(unsigned channel, unsigned more);
  bool watches() const { return !watched_.empty(); }
  /// Edges lie at multiples of the period, and not at the time of the first request. Call before restart().
  void keep_phase() { keeps_phase_ = true; }
  /// The inputs of the next edge are settled. Returns true if a beat has been shown: requests may follow.
  bool look() { return look(true); }
  /// Returns the time from which on requests may arrive after a reset; 0 if it is over.
  Tick reset_ends() const { return in_reset_ ? reset_at_ + 3 * period_ : 0; }

  /// Returns the time of the next rising edge, or `never` if the block is idle.
  Tick next_rise() const;
  void drive();
  void rise();
  void fall();
  /// Forgets all requests. The block is reset by the next two edges, the first of them a period after `now`.
  void restart(Tick now);
  void describe(ProbeDirectory& directory, const std::string& prefix) { runner_.describe(directory, prefix); }

 private:
  struct Request {
    unsigned channel, beats, latency;  // 0 beats: up to the last
    std::uint64_t start;
    bool begun;  // its beats are expected
    std::string what;
    Answered answered;
    Begun answer_begins;        // empty: called, or not wanted
    std::uint64_t due = 0;      // edge of the first beat, at the latest
    std::uint64_t further = 0;  // beats without `last`, after which another is expected
    Foreseen foreseen = {};
    std::uint64_t shown = 0, left = 0;  // beats that are foreseen, and that have left
    std::uint64_t progress = 0;         // edge at which the latest of them left
  };

  struct Watched {
    unsigned channel;
    bool registered;
    Foreseen seen;
    std::uint64_t shown;
    std::optional<RtlBeat> ahead;  // the beat of the next edge, if it is shown
  };
  bool look(bool settled);
  void compare(Watched& w, std::uint64_t edge);
  void show(Request& r, const RtlBeat& beat);
  void show_next();
  void show_left(Request& r, std::uint64_t first, std::uint64_t left, std::uint64_t edge);
  void require_in_time(const Request& r, std::uint64_t left, std::uint64_t edge) const;
  std::uint64_t beats_of(Request& r, std::uint64_t first, std::uint64_t left);

  EdgeRunner runner_;
  Tick period_;
  std::deque<Request> requests_;         // in the order of their answers
  std::vector<std::uint64_t> answered_;  // beats of the answers that are complete, by channel
  bool aligned_ = false, in_reset_ = false, keeps_phase_ = false;
  unsigned reset_edges_ = 0;
  std::optional<RtlBeat> foreseen_;  // the beat of the next edge
  std::vector<Watched> watched_;
  Tick reset_at_ = 0;
};

}  // namespace tributary
