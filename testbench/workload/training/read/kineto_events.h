#pragma once
/// Events of a trace of PyTorch's profiler (Kineto): collectives on the device with their arguments, computation, and steps.

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "testbench/workload/training/read/recorded_calls.h"

namespace tributary::training {

class KinetoEvents {
 public:
  /// A collective: a kernel, or an operator if the trace has no kernels of collectives.
  struct Collective {
    double start = 0;       ///< us
    RecordedSpan span;      ///< since the first event; empty for an operator
    nlohmann::json values;  ///< arguments
  };

  /// `step`: number of the only step that counts (`ProfilerStep#N`); none: the whole trace.
  KinetoEvents(std::string path, std::optional<std::uint64_t> step) : path_(std::move(path)), step_(step) {}

  /// Takes an object of the list traceEvents. Returns false for an object without a time.
  bool take(const nlohmann::json& event);

  /// Orders all events. To be called once, after the last event. Throws InputError for a kernel of NCCL without arguments of
  /// its own or of its operator (`External id`), and for an unknown step.
  void finish();

  /// Returns a time of the trace in us, with all its digits: 1694128201429795.
  static std::string micros(double time);

  const std::vector<Collective>& collectives() const { return collectives_; }
  /// Returns the time in which the device computes, without overlap.
  const std::vector<RecordedSpan>& compute() const { return compute_; }

 private:
  struct Timed {
    double start = 0, duration = 0;  ///< us
  };
  struct Kernel : Timed {
    nlohmann::json values;
    std::string name;
  };
  void take_step(const nlohmann::json& event, const Timed& time);
  const nlohmann::json& values_of(const Kernel& kernel) const;
  RecordedSpan span_of(const Timed& time) const;
  Timed window() const;

  std::string path_;
  std::optional<std::uint64_t> step_;
  std::vector<Kernel> kernels_, operators_;  ///< of collectives
  std::vector<Timed> computing_;             ///< kernels of computation
  std::map<std::uint64_t, Timed> steps_, steps_on_host_;
  std::map<std::string, std::size_t> operator_of_;  ///< by External id
  double origin_ = 0;                               ///< us
  std::vector<Collective> collectives_;
  std::vector<RecordedSpan> compute_;
};

}  // namespace tributary::training
