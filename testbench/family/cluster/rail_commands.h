#pragma once
/// RailCommands: a software schedule among the GPUs of equal place of all servers, as commands over their NICs.

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/hosts/host_commands.h"
#include "testbench/workload/job.h"

namespace tributary {

class RailCommands {
 public:
  /// Proves the schedule of the collective `rail` among `servers` ranks of `type`; `rail.ranks` is not used. Throws
  /// ScheduleError.
  RailCommands(JobSpec rail, std::size_t servers, Bytes message);

  /// Returns the commands of a server for a message at `message` in the memory of each GPU, with mailboxes at `mailboxes`.
  HostCommands of(std::size_t server, std::uint64_t message, std::uint64_t mailboxes, std::uint16_t number) const;
  /// Returns the servers to which a server sends.
  std::vector<std::size_t> receivers(std::size_t server) const;
  std::uint64_t mailbox_bytes() const { return mailbox_bytes_; }

 private:
  std::uint64_t message_end_ = 0;  ///< addresses of commands from here on are those of mailboxes
  std::uint64_t mailbox_bytes_ = 0;
  std::vector<HostCommands> commands_;  ///< by server: commands of a message at address 0
};

}  // namespace tributary
