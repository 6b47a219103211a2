#pragma once
/// How files become task graphs.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary::training {

/// What compute tasks of a trace take.
enum class TraceTimes : std::uint8_t {
  trace,    ///< the recorded duration x `scale`
  roofline  ///< operations and bytes of the node (num_ops, tensor_size), for a compute model; on the host as recorded
};

/// Control dependencies of a Chakra trace order tasks in generated traces. In those that PyTorch records they name the
/// operator that calls, which ends after what it calls, and is often not in the file.
enum class ControlDependencies : std::uint8_t {
  automatic,  ///< taken, unless one of the file names a node that the file does not have
  taken,
  ignored
};

struct ReadOptions {
  int ranks = 0;                             ///< of the run; 0: as many as the files say, at least one
  ElementType type = ElementType::f32;       ///< of collectives, where the file does not say
  int iterations = 1;                        ///< of an ASTRA-sim text workload; other files hold all of a run
  Tick time_unit = 1000;                     ///< ps of a unit in an ASTRA-sim text workload: a cycle of its clock
  std::optional<std::uint64_t> model_group;  ///< ranks that share a model in hybrid kinds of an ASTRA-sim text workload
  TraceTimes times = TraceTimes::trace;
  double scale = 1;  ///< of recorded durations
  ControlDependencies control = ControlDependencies::automatic;
};

}  // namespace tributary::training

namespace tributary {
template <>
struct EnumNames<training::TraceTimes> {
  static const std::vector<std::pair<training::TraceTimes, std::string>>& names();
};
template <>
struct EnumNames<training::ControlDependencies> {
  static const std::vector<std::pair<training::ControlDependencies, std::string>>& names();
};
}  // namespace tributary
