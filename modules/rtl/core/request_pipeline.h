#pragma once
/// RequestPipeline: answers each request to a block in RTL at once, although later requests enter while it is answered.

#include <exception>

#include "modules/rtl/core/edge_runner.h"

namespace tributary {

/// A request is sent at its edge, and the clock runs ahead until the block has answered. If the next request begins before
/// that, the block returns to its state at the previous request and runs again, with both requests in its pipeline; answers
/// that change then break the rule `overlap`. A block whose model cannot save its state receives one request at a time: its
/// clock stands still from an answer to the next request, and times count from the request.
class RequestPipeline {
 public:
  explicit RequestPipeline(EdgeRunner& runner) : runner_(runner) {}
  ~RequestPipeline() { finish_trace(); }
  RequestPipeline(const RequestPipeline&) = delete;
  RequestPipeline& operator=(const RequestPipeline&) = delete;

  /// Begins a request at `edge`, not before the previous one. Returns the number of the block's edge at which its first beat
  /// must be offered.
  std::uint64_t begin(std::uint64_t edge) {
    const std::uint64_t target = edge + shift_;
    if (saved_ && (target < runner_.edge() || runner_.traces())) runner_.return_to_mark();
    runner_.run_to(target);
    shift_ += runner_.edge() - target;
    runner_.show_shift(shift_);
    saved_ = runner_.mark();
    runner_.speculate(saved_);
    runner_.forget();
    return runner_.edge();
  }
  /// Returns the edge of an event in the time of the requests.
  std::uint64_t true_edge(std::uint64_t edge) const { return edge - shift_; }
  /// Keeps the latest request as it was answered, whatever follows.
  void commit() {
    finish_trace();
    saved_ = false;
  }
  /// Inserts edges of the block at the latest request, which have no time in the requests.
  void insert(std::uint64_t edges) { shift_ += edges; }
  /// Call before the block is reset.
  void reset() {
    finish_trace();
    saved_ = false, shift_ = 0;
  }

 private:
  /// Evaluates the edges of the latest request again, which are final now. An error of the block has been reported before.
  void finish_trace() noexcept {
    if (!saved_ || !runner_.traces()) return;
    const std::uint64_t edge = runner_.edge();
    try {
      runner_.return_to_mark();
      runner_.run_to(edge);
    } catch (const std::exception&) {
      return;
    }
  }

  EdgeRunner& runner_;
  bool saved_ = false;
  std::uint64_t shift_ = 0;  // edges by which the block's clock is ahead of the requests
};

}  // namespace tributary
