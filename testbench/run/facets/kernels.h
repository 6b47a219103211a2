#pragma once

namespace tributary {

struct JobSpec;

/// Runs algorithms whose kernels a host launches, so that several of them may follow one another: `--back-to-back`.
class FamilyKernels {
 public:
  virtual ~FamilyKernels() = default;

  /// Returns true if the algorithm of the job consists of such kernels.
  virtual bool has_kernels(const JobSpec& job) const = 0;
};

}  // namespace tributary
