#pragma once
/// KernelUnit: runs the kernels that add arrays in a GPU's memory, one after another (Wang et al., MLSys 2020, A.1).

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/streams/core/array_memory.h"
#include "modules/streams/core/paced_access.h"
#include "modules/streams/core/stream_program.h"
#include "modules/streams/stream_params.h"

namespace tributary {

class KernelListener {
 public:
  virtual ~KernelListener() = default;
  virtual void kernel_ended(std::uint32_t token, Tick now) = 0;
};

/// A kernel of n inputs reads n + 1 arrays and writes one. It lasts bytes x (n + 2)/3 at `kernel.rate` after its launch.
/// Launches overlap with other kernels. Launched kernels run in the order of the ends of their launches, then by stream. A
/// kernel adds its inputs in order when it ends. If the rate of the memory is limited, a kernel waits for it slice by slice.
class KernelUnit {
 public:
  /// `rate` is shared with other users of the memory; null: the memory has no limit.
  KernelUnit(const KernelParams& params, ArrayMemory& memory, KernelListener& listener, MemoryRate* rate = nullptr);

  void begin(ElementType type, ReduceOp op) { type_ = type, op_ = op; }
  /// Launches a kernel that is at the head of its queue at `now`. The command stays valid until the kernel has ended.
  void launch(const StreamCommand& command, std::uint32_t token, Tick now);
  void launch(const StreamCommand&&, std::uint32_t, Tick) = delete;  // a temporary ends before its kernel
  /// Returns the time at which the running kernel ends or requests a slice, or the next one may begin; `never` if there is
  /// none.
  Tick next() const;
  Tick next_end() const { return running_ ? ends_ : never; }
  /// Requests the slices that are due at `now`, and ends the kernel that ends at `now`.
  void end_kernels(Tick now);
  /// Begins the next kernel. Call it last within an instant.
  void serve(Tick now);
  /// Returns the time of a kernel on an idle unit, without its launch.
  Tick duration(std::uint64_t bytes, unsigned inputs) const;

  /// Returns the time by which the memory's rate extended the kernel that ended last, and kernels that it waited for.
  Tick starved() const { return starved_; }

  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  struct Kernel {
    const StreamCommand* command;
    std::uint32_t token;
    Tick launched;
    Tick starved;  // total_starved_ at the launch
  };
  void request();

  KernelParams params_;
  ArrayMemory& memory_;
  KernelListener& listener_;
  ElementType type_ = ElementType::f32;
  ReduceOp op_ = ReduceOp::sum;
  std::vector<Kernel> kernels_;  // by (launched, stream); only the first may run
  bool running_ = false;
  Tick ends_ = never;  // or the next request of a slice
  MemoryRate* rate_;
  PacedAccess access_;
  Tick starved_ = 0, total_starved_ = 0;
  SignalProbe busy_, bytes_;
};

}  // namespace tributary
