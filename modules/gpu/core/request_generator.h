#pragma once
/// RequestGenerator: request queue, request generator and wave controller of a GPU (Klenk et al., ISCA 2020, IV-D, Figure
/// 6).

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/gpu/core/issue_order.h"
#include "modules/gpu/core/wave_controller.h"
#include "modules/gpu/gpu_params.h"

namespace tributary {

/// A request is cut into waves. The generator starts with zero credits; each counter allocated to the request adds the
/// credits of one wave, and a completed wave passes its counter to the next. A request without any counter tries again
/// after `retry_delay`, and fails with an error to the host after `retry_limit` tries. With `counter_lookup = id`, wave w
/// of a request uses counter w mod counters only, so that all members of a push use the same one. Without the wave
/// controller, a request may be issued in segments, each when all responses to the previous one have arrived and
/// `request_delay` has passed (software posts it then), or keep a number of blocks outstanding (the cores). Requests issue
/// their blocks in sequence; a request starts when its predecessor has issued all its blocks.
class RequestGenerator {
 public:
  struct Request {
    std::uint64_t first_block = 0, block_count = 0;
    std::uint32_t wave_blocks = 64;
    std::uint32_t responses_per_block = 1;  ///< responses that a wave waits for; 0: its blocks complete when issued
    bool waves = true;                      ///< false: unlimited
    std::uint32_t tag = 0;                  ///< set by the caller
    std::uint32_t responses_per_wave = 0;   ///< if not 0, replaces responses_per_block
    std::uint32_t segment_blocks = 0;       ///< if not 0: issued in segments instead of waves
    std::uint32_t outstanding = 0;          ///< if not 0: maximum blocks outstanding, instead of waves
    std::uint32_t shuffle_window = 0;       ///< if not 0: replaces `issue_order`
    bool multicasts = false;                ///< its waves use the counters of multicasts, if generators share them
  };

  RequestGenerator(const DmaParams& params, std::uint32_t counters, std::uint64_t seed, std::uint32_t gpu);

  void submit(const Request& request, Tick now);
  /// Returns true if the generator has a credit and a block to issue.
  bool ready() const { return issued_ < granted_; }
  /// Returns the block to issue next; requires ready().
  std::uint64_t next_block() {
    const Request& r = requests_.front();
    const std::uint64_t width = shuffle_width(r);
    return r.first_block + (width < 2 ? issued_ : shuffled(r, width, issued_));
  }
  std::uint32_t tag() const { return requests_.front().tag; }
  /// Records that the block has been issued. Returns true if it was the last of its request.
  bool issued(Tick now);
  /// Records responses for a block (acks may be merged). `tag`: of their request.
  void arrived(std::uint64_t block, Tick now, std::uint32_t responses = 1, unsigned counter = 0, std::uint32_t tag = 0);
  /// Returns the wave counter of the block to issue next.
  std::uint8_t counter() const;
  /// Returns the time of the next try for a counter; `never` unless one is due.
  Tick retry_at() const { return retry_at_; }
  void retry(Tick now);

  // ---- one of several generators that share the counters of the first (RequestLanes) and receive waves one by one
  /// Uses the counters of `first`, which may be this object, and those for multicasts. Drops all state.
  void share(RequestGenerator& first, WaveController& multicasts);
  /// Returns true if its first request has blocks without credit.
  bool wants() const;
  /// Grants one wave, or all blocks if waves do not limit. Returns false if no counter is free.
  bool grant_one(Tick now);
  /// Returns true if the waves of its first request use the counters of multicasts; requires wants().
  bool multicasts() const { return requests_.front().multicasts; }
  std::uint32_t waves_held(bool multicasts) const { return held_[multicasts]; }
  void wave_over(bool multicasts) { --held_[multicasts]; }
  WaveController& waves() { return *waves_; }

  bool idle() const { return requests_.empty() && waves_->in_flight() == 0 && pending_ == 0; }
  /// Error to report to the host, or empty.
  const std::string& error() const { return error_; }
  std::vector<std::string> waiting() const;
  void reset();
  void reseed(std::uint64_t seed) { seed_ = seed; }
  void describe(ProbeDirectory& directory, const std::string& prefix);

  SignalProbe credits_probe, retries;

 private:
  void grant(Tick now);
  void grant_waves(const Request& r, Tick now);
  void grant_without_waves(const Request& r, Tick now);
  static bool without_waves(const Request& r) { return r.segment_blocks != 0 || r.outstanding != 0; }
  WaveController& waves_of(const Request& r) const { return r.multicasts && multicasts_ ? *multicasts_ : *waves_; }
  bool limited(const Request& r) const {
    return r.waves && waves_of(r).counters() != 0 && r.responses_per_block != 0 && !without_waves(r);
  }
  std::uint64_t shuffle_width(const Request& r) const {
    return r.shuffle_window != 0 ? r.shuffle_window : params_.issue_order.window;
  }
  std::uint64_t shuffled(const Request& r, std::uint64_t width, std::uint64_t position);

  DmaParams params_;
  std::uint32_t counters_;
  std::uint64_t seed_;
  std::uint32_t gpu_;
  WaveController own_waves_;
  WaveController* waves_ = &own_waves_;
  WaveController* multicasts_ = nullptr;    // counters of multicasts, among several generators
  bool shared_ = false;                     // counters are shared
  std::array<std::uint32_t, 2> held_{};     // its waves among the shared counters, and among those of multicasts
  std::deque<Request> requests_;            // the first one is being issued
  std::uint64_t issued_ = 0, granted_ = 0;  // in blocks of the first request
  std::uint64_t pending_ = 0;               // responses expected by requests without waves
  std::uint32_t tries_ = 0;
  Tick retry_at_ = never;
  std::string error_;
  std::vector<std::uint32_t> window_;  // shuffled order of the current window
  std::uint64_t window_start_ = ~std::uint64_t{0};
  std::uint64_t serial_ = 0;  // requests so far; selects the random stream of the shuffle
};

}  // namespace tributary
