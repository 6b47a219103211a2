#include "testbench/run/status.h"

namespace tributary {

const std::vector<StatusInfo>& status_infos() {
  static const std::vector<StatusInfo> infos{
      {Status::done, "done", "done", "all ranks are done; the data are right, or were not checked (`wrong` has no value)", 0,
       true},
      {Status::wrong, "wrong", "wrong", "all ranks are done, and an element is wrong; further messages still run", 1, true},
      {Status::deadlock, "deadlock", "deadlock", "no event is left, and a rank is not done", 3, true},
      {Status::no_progress, "no_progress", "no progress",
       "there are events, but no delivery, merge or completion for `watchdog.window`", 3, true},
      {Status::gave_up, "gave_up", "gave up", "a device gave up after its last retry", 3, true},
      {Status::dead_link, "dead_link", "dead link",
       "deadlock, no_progress or gave_up while a link is down; or the result is complete, and its last acks are lost", 3,
       true},
      {Status::time_limit, "time_limit", "time limit reached", "`--time-limit` was reached before all ranks were done", 3,
       true},
      {Status::interrupted, "interrupted", "interrupted", "SIGINT or SIGTERM arrived", 3, false},
      {Status::out_of_memory, "out_of_memory", "out of memory", "the simulating machine has no more memory", 3, false},
      {Status::bad_value, "bad_value", "bad value",
       "a value does not fit into the numbers of a packet; known before the run, it is bad input (exit code 2)", 3, true},
      {Status::shadow_differs, "shadow_differs", "shadow differs",
       "all ranks are done; a block of --shadow has answered differently from the model's", 1, true},
      {Status::shadow_stopped, "shadow_stopped", "stopped at a difference",
       "a block of --shadow has answered differently from the model's, and --shadow-stop has ended the run", 1, true},
      {Status::block_wrong, "block_wrong", "wrong block", "a block has broken a rule of its page; the line names it", 3,
       true},
      {Status::too_long, "too_long", "too long",
       "the message needs more processor time than `watchdog.patience`, by the pace of its first seconds", 3, true},
  };
  return infos;
}

const StatusInfo& info_of(Status status) { return status_infos().at(static_cast<std::size_t>(status)); }

std::string status_name(Status status) { return info_of(status).name; }

std::string status_names() {
  std::string text;
  for (const StatusInfo& info : status_infos()) text += (text.empty() ? "" : ", ") + std::string(info.name);
  return text;
}

}  // namespace tributary
