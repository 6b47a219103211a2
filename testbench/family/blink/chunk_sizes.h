#pragma once
/// ChunkSizes: the chunk size of each message, set by blink.chunk, tuned over iterations, or predicted.

#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "modules/base/units.h"
#include "testbench/collective/packing/chunk_tuner.h"
#include "testbench/family/blink/job_key.h"
#include "testbench/run/run_spec.h"

namespace tributary {

class ChunkSizes {
 public:
  using Prediction = std::function<Bytes(const JobSpec&, Bytes message)>;

  /// Every message has chunks of `set`, if it has a value. Otherwise messages start with chunks of
  /// ChunkTuner::standard_first, or of `predicted` if that is not empty.
  explicit ChunkSizes(std::optional<Bytes> set, Prediction predicted = {}) : set_(set), predicted_(std::move(predicted)) {}

  /// True if the size is not a parameter.
  bool automatic() const { return !set_; }
  /// Returns the chunk size of the next such message.
  Bytes chunk(const JobSpec& job, Bytes message) const;
  /// Returns chunk() as the results name it.
  Choice choice(const JobSpec& job, Bytes message) const;
  /// Tunes the next message of the job and size by the rate in the row. Iteration 0 restarts the tuner, which begins at
  /// ChunkTuner::standard_first. Only if automatic() and without a prediction.
  void measured(const JobSpec& job, const ResultRow& row);

 private:
  std::optional<Bytes> set_;
  Prediction predicted_;
  std::map<MessageKey, collective::ChunkTuner> tuners_;
};

}  // namespace tributary
