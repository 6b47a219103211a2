#pragma once
/// KernelSequence: the kernels of a GPU's stream, and the multiprocessors that their thread blocks occupy
/// (docs/blocks/nccl_protocols.md#launches).

#include <cstdint>
#include <utility>
#include <vector>

#include "modules/base/units.h"
#include "modules/streams/stream_params.h"

namespace tributary {

/// Kernels run one after another. A kernel begins when the host has launched it and all thread blocks of the kernel before
/// it have ended. Its blocks begin in the order of their numbers, each on a multiprocessor of its own. A block that finds
/// none waits for the end of another one.
class KernelSequence {
 public:
  static constexpr unsigned unlimited = ~0u;
  /// Thread blocks `first` to `first` + `count` - 1 of the running kernel begin at `when`.
  struct Begun {
    Tick when = 0;
    unsigned first = 0, count = 0;
  };

  /// Loads kernels of `blocks` thread blocks each. `launched`: time of the launch of each kernel.
  void load(std::vector<Tick> launched, unsigned blocks, unsigned multiprocessors = unlimited) {
    launched_ = std::move(launched), blocks_ = blocks, multiprocessors_ = multiprocessors, kernel_ = 0, left_ = next_ = 0;
  }
  /// Starts the first kernel, at `now` or when it is launched. At least one must be loaded.
  Begun start(Tick now) { return begin(now); }
  /// A thread block of the running kernel has ended. Returns the blocks that begin, of this kernel or of the next one.
  Begun ended(Tick now) {
    --left_;
    if (next_ < blocks_) return {now, next_++, 1};
    if (left_ > 0 || kernel_ + 1 >= launched_.size()) return {now, 0, 0};
    ++kernel_;
    return begin(now);
  }

  /// Returns the number of the running kernel, from 0.
  unsigned kernel() const { return kernel_; }
  unsigned kernels() const { return static_cast<unsigned>(launched_.size()); }
  /// Returns true if the running kernel began with its launch, after the kernel before it had ended.
  bool waited_for_launch() const { return waited_; }
  /// Returns true if the block of the running kernel has a multiprocessor, or has ended.
  bool is_placed(unsigned block) const { return block < next_; }

 private:
  Begun begin(Tick now) {
    waited_ = launched_[kernel_] > now;
    left_ = blocks_;
    next_ = blocks_ < multiprocessors_ ? blocks_ : multiprocessors_;
    return {waited_ ? launched_[kernel_] : now, 0, next_};
  }

  std::vector<Tick> launched_;
  unsigned blocks_ = 0, multiprocessors_ = unlimited;
  unsigned kernel_ = 0;
  unsigned left_ = 0;  // blocks of the kernel that have not ended
  unsigned next_ = 0;  // first block without a multiprocessor
  bool waited_ = false;
};

/// Returns the multiprocessors for thread blocks; unlimited if their number is automatic.
inline unsigned multiprocessors_of(const KernelParams& params) {
  return params.multiprocessors.value_or(KernelSequence::unlimited);
}

}  // namespace tributary
