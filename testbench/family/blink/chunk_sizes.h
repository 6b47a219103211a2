#pragma once
/// ChunkSizes: the chunk size of each message, set by blink.chunk or tuned over iterations.

#include <map>
#include <optional>

#include "modules/base/units.h"
#include "testbench/collective/packing/chunk_tuner.h"
#include "testbench/family/blink/job_key.h"
#include "testbench/run/run_spec.h"

namespace tributary {

class ChunkSizes {
 public:
  /// Every message has chunks of `set`, if it has a value.
  explicit ChunkSizes(std::optional<Bytes> set) : set_(set) {}

  bool tuned() const { return !set_; }
  /// Returns the chunk size of the next such message. A tuned one is ChunkTuner::standard_first until measured() is called.
  Bytes chunk(const JobSpec& job, Bytes message) const;
  /// Returns chunk() as the results name it.
  Choice choice(const JobSpec& job, Bytes message) const;
  /// Tunes the next message of the job and size by the rate in the row. Iteration 0 restarts the tuner. Only if tuned().
  void measured(const JobSpec& job, const ResultRow& row);

 private:
  std::optional<Bytes> set_;
  std::map<MessageKey, collective::ChunkTuner> tuners_;
};

}  // namespace tributary
