#pragma once
/// Options for reading task graphs from files.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary::training {

/// Source of the times of compute tasks in a trace.
enum class TraceTimes : std::uint8_t {
  automatic,  ///< trace; operations and bytes where a node has operations and no duration
  trace,      ///< the recorded duration x `scale`
  roofline    ///< operations and bytes of the node (num_ops, tensor_size), for a compute model; host times as recorded
};

/// Use of the control dependencies of a Chakra trace. In generated traces they order tasks. In traces recorded by PyTorch
/// they name the calling operator, which ends after the called one, and is often not in the file.
enum class ControlDependencies : std::uint8_t {
  automatic,  ///< taken, unless a dependency of the file names a node that the file does not have
  taken,
  ignored
};

/// Path of a file with the process groups of Chakra traces (group_file.h).
struct GroupFile {
  std::string path;
};

struct ReadOptions {
  int ranks = 0;                             ///< ranks of the run; 0: as in the files, at least one
  ElementType type = ElementType::f32;       ///< element type of collectives, if the file has none
  int iterations = 1;                        ///< iterations of an ASTRA-sim text workload; other files hold the whole run
  Tick time_unit = 1000;                     ///< time unit of an ASTRA-sim text workload in ps: a cycle of its clock
  std::optional<std::uint64_t> model_group;  ///< ranks that share a model in the hybrid kinds of an ASTRA-sim text workload
  TraceTimes times = TraceTimes::automatic;
  double scale = 1;  ///< factor on recorded durations
  ControlDependencies control = ControlDependencies::automatic;
  std::optional<std::uint64_t> step;  ///< the only step read from a trace of PyTorch's profiler; none: the whole trace
  Tick compute_gap = 0;               ///< computation between recorded collectives without times
  std::optional<GroupFile> groups;    ///< none: the file next to Chakra traces, if there is one
};

}  // namespace tributary::training

namespace tributary {
template <>
struct ParameterText<training::GroupFile> {
  static training::GroupFile parse(const std::string& text);
  static std::string print(const training::GroupFile& file) { return file.path; }
  static std::string legal() { return "a JSON file"; }
};
template <>
struct EnumNames<training::TraceTimes> {
  static const std::vector<std::pair<training::TraceTimes, std::string>>& names();
};
template <>
struct EnumNames<training::ControlDependencies> {
  static const std::vector<std::pair<training::ControlDependencies, std::string>>& names();
};
}  // namespace tributary
