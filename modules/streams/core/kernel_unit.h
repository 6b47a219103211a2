#pragma once
/// KernelUnit: the kernels that add arrays in a GPU's memory, one after another (Wang et al., MLSys 2020, A.1).

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/streams/core/array_memory.h"
#include "modules/streams/core/stream_program.h"
#include "modules/streams/stream_params.h"

namespace tributary {

class KernelListener {
 public:
  virtual ~KernelListener() = default;
  virtual void kernel_ended(std::uint32_t token, Tick now) = 0;
};

/// A kernel of n inputs reads n + 1 arrays and writes one: bytes x (n + 2)/3 at `kernel.rate`, after its launch, which goes
/// on beside other kernels. Those whose launch is over run in the order in which it was, at one instant by stream. Data are
/// added when it ends, inputs in their order.
class KernelUnit {
 public:
  KernelUnit(const KernelParams& params, ArrayMemory& memory, KernelListener& listener);

  void begin(ElementType type, ReduceOp op) { type_ = type, op_ = op; }
  /// The turn of a kernel has come at `now`; the command stands until it has ended.
  void launch(const StreamCommand& command, std::uint32_t token, Tick now);
  /// Of its next event: one ends, or may begin.
  Tick next() const;
  Tick next_end() const { return running_ ? ends_ : never; }
  /// What ends at `now`.
  void end_kernels(Tick now);
  /// All else of that instant has been decided: the next one begins.
  void serve(Tick now);
  /// Of a kernel on an idle unit, without its launch.
  Tick duration(std::uint64_t bytes, unsigned inputs) const;

  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  struct Kernel {
    const StreamCommand* command;
    std::uint32_t token;
    Tick launched;
  };
  KernelParams params_;
  ArrayMemory& memory_;
  KernelListener& listener_;
  ElementType type_ = ElementType::f32;
  ReduceOp op_ = ReduceOp::sum;
  std::vector<Kernel> kernels_;  // by (launched, stream); the first one may run
  bool running_ = false;
  Tick ends_ = never;
  SignalProbe busy_, bytes_;
};

}  // namespace tributary
