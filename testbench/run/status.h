#pragma once
/// Status: how a message ended, with its name in files, its meaning and its exit code.

#include <cstdint>
#include <string>
#include <vector>

namespace tributary {

enum class Status : std::uint8_t {
  done,
  wrong,
  deadlock,
  no_progress,
  gave_up,
  dead_link,
  time_limit,
  interrupted,
  out_of_memory,
  bad_value,
  shadow_differs,
  shadow_stopped,
  block_wrong,
  too_long,
};

struct StatusInfo {
  Status status;
  const char* name;      ///< in tables and files
  const char* headline;  ///< first words of the message on standard error
  const char* about;     ///< meaning
  int exit_code;
  bool final;  ///< another run with the same input ends in the same way
};

/// Returns all statuses, in the order of the enumeration.
const std::vector<StatusInfo>& status_infos();
const StatusInfo& info_of(Status status);
std::string status_name(Status status);
/// Returns all names: `done, wrong, deadlock ...`.
std::string status_names();

/// True if every rank has its result, right or wrong.
inline bool is_complete(Status status) {
  return status == Status::done || status == Status::wrong || status == Status::shadow_differs;
}

}  // namespace tributary
