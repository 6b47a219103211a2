#pragma once
/// A graph carried out by the simulated endpoints themselves, packet by packet: fidelity `full`.

#include <memory>

#include "testbench/run/training/graph_methods.h"
#include "testbench/run/runner.h"
#include "testbench/workload/training/compute/software_collective.h"
#include "testbench/workload/training/device_step.h"

namespace tributary {

class StepRun {
 public:
  /// Elaborates; nothing runs yet. `base`: platform and parameters, and in its first job the endpoints of the ranks, element
  /// type, and method of what names none. Throws SetupError, and InputError where devices do not carry out such a graph.
  StepRun(const RunSpec& base, const training::TaskGraph& graph, const training::Stragglers& stragglers,
          const training::SoftwareCollectiveParams& ring);
  ~StepRun();

  /// All of it. A status other than done ends all. With data every element of every operation is checked. Ends the
  /// waveform, writes the timeline.
  ResultRow run(const Runner::Progress& progress = nullptr);
  /// What ran when, after run().
  training::IdealRun measured() const;

  std::size_t operations() const;
  /// Groups that run by another algorithm than the one asked for, a line each.
  const std::vector<std::string>& notes() const { return methods_.notes(); }
  KernelUse kernel() const;
  const RunParameters& parameters() const;

 private:
  struct Recorder;
  const training::TaskGraph& graph_;
  GraphMethods methods_;
  training::DeviceStep step_;
  RunSpec spec_;
  std::unique_ptr<class Session> session_;
  std::unique_ptr<Recorder> recorder_;
};

}  // namespace tributary
