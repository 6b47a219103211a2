#pragma once
/// RtlUnit: one instance of a block in RTL, with its clock, to which an adapter sends one request after another.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "modules/rtl/core/request_pipeline.h"
#include "modules/rtl/core/rtl_block.h"

namespace tributary {

/// The clock has an edge at the time of the first request after a reset: devices call their blocks at edges of their own
/// clock. Call begin(), offer the beats of the request, and run(); then the beats of its answer are there.
class RtlUnit {
 public:
  /// Throws std::invalid_argument if the model lacks a pin, or has another width.
  RtlUnit(const std::string& name, const PinTable& table, const RtlBlock& block, Tick period);

  const std::string& name() const { return runner_.name(); }
  const RtlBlock& block() const { return block_; }
  const EdgeRunner& runner() const { return runner_; }
  const ClockDomain& clock() const { return runner_.clock(); }
  const BeatChannel& channel(unsigned number) const { return runner_.channel(number); }

  /// Begins a request at `now`, or when the block accepts one on that channel. A device may request a translation ahead of
  /// time; a request of an earlier time that follows it does not wait for it.
  void begin(Tick now, unsigned request = 0);
  /// Queues a beat of the request, `clocks` after its beginning.
  void offer(unsigned channel, RtlBeat beat, std::uint64_t clocks = 0);
  /// Expects `answers` beats on a channel, and runs until they have left and the request's channel is ready again. `what`
  /// names the request in an error. The next request on this channel begins `gap` clocks after the last beat at the
  /// earliest.
  void run(unsigned answer, unsigned answers, const std::string& what, unsigned gap = 1);
  /// Runs as run() does, until a beat with `last` leaves. Returns the number of beats.
  unsigned run_to_last(unsigned answer, const std::string& what);
  /// Ends a request of software, which has no time in the model: the next one may begin at the same time.
  void end_in_no_time();

  /// Edges of the request's beginning, of beat k of its answer, and of the next request at the earliest.
  std::uint64_t start() const { return start_; }
  std::uint64_t answered(unsigned k) const { return pipeline_.true_edge(answer(k).edge); }
  std::uint64_t free_at() const { return free_at_; }
  const RtlBeat& answer(unsigned k) const { return runner_.beat(answer_channel_, first_answer_ + k); }

  /// Throws std::logic_error with the rule `answer` unless `holds`.
  void require(bool holds, const std::string& what) const;
  void stall(const OutputStalls& stalls) { runner_.stall(stalls); }
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix) { runner_.describe(directory, prefix); }

 private:
  void expect(unsigned answer, unsigned answers, const std::string& what);
  void wait_for_ready(const std::string& what, unsigned gap);

  RtlBlock block_;
  std::unique_ptr<RtlModel> model_;
  EdgeRunner runner_;
  RequestPipeline pipeline_;
  bool aligned_ = false;
  std::uint64_t requested_ = 0, start_ = 0, offered_ = 0;  // edges
  std::uint64_t free_at_ = 0;
  struct Latest {
    std::uint64_t requested = 0, free_at = 0;
  };
  std::vector<Latest> latest_;  // request of the latest time, by channel
  unsigned request_ = 0, answer_channel_ = 0;
  std::uint64_t first_answer_ = 0;
};

}  // namespace tributary
