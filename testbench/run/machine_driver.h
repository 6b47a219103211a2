#pragma once
/// MachineDriver: what a session needs of one kind of machine: its system, and how a job becomes what its devices do.

#include <functional>
#include <memory>

#include "platforms/platform.h"
#include "testbench/run/completion.h"
#include "testbench/run/run_spec.h"

namespace tributary {

class MachineDriver {
 public:
  virtual ~MachineDriver() = default;

  virtual Platform& system() = 0;
  /// Lowers a job, proves what is to be proved, and returns the memory that each of its ranks needs. Throws what lowering
  /// throws; clear() forgets it.
  virtual std::uint64_t memory_bytes(const JobSpec& job, Bytes message) = 0;
  /// Forgets all buffers.
  virtual void clear() {}
  /// Lowers it again; rank i starts at exactly start(i), at least command_latency() ahead.
  virtual void post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) = 0;
  virtual Tick command_latency() const = 0;
  /// GB/s; see job_bound.h.
  virtual double bound(const JobSpec& job, Bytes message) = 0;
  virtual void start_background(Tick) {}
  virtual void stop_background(Tick) {}
};

/// For spec.platform, which is elaborated. `params` without automatic values. Throws one line on what cannot be built.
std::unique_ptr<MachineDriver> make_driver(const RunSpec& spec, const PlatformParams& params, Completion& completion);

}  // namespace tributary
