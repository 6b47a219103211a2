#pragma once

#include <cstdint>

#include "modules/base/units.h"

namespace tributary {

struct JobSpec;

/// Endpoints without ranks that take part in a job: parameter servers.
class DriverServers {
 public:
  virtual ~DriverServers() = default;

  /// Returns the bytes that the job fills in all of them.
  virtual std::uint64_t memory_beside_ranks(const JobSpec& job, Bytes message) const = 0;
};

}  // namespace tributary
