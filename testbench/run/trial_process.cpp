#include "testbench/run/trial_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <iostream>

#include "modules/base/text_format.h"

namespace tributary {
namespace {

/// Ends the child without destructors of the simulation kernel and without output of the parent.
[[noreturn]] void answer(int out, const std::string& reason) {
  for (std::size_t sent = 0; sent < reason.size();) {
    const ssize_t n = ::write(out, reason.data() + sent, reason.size() - sent);
    if (n <= 0) break;
    sent += static_cast<std::size_t>(n);
  }
  ::_exit(reason.empty() ? 0 : 1);
}

void discard_output() {
  const int nowhere = ::open("/dev/null", O_WRONLY);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
    if (nowhere >= 0) ::dup2(nowhere, stream);
}

[[noreturn]] void be_child(int out, const std::function<void()>& trial) {
  discard_output();
  try {
    trial();
  } catch (const std::exception& error) {
    answer(out, one_line(error.what()));
  }
  answer(out, "");
}

std::string received(int in) {
  std::string text;
  char part[4096];
  for (ssize_t n = 0; (n = ::read(in, part, sizeof part)) != 0;) {
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    text.append(part, static_cast<std::size_t>(n));
  }
  return text;
}

}  // namespace

std::string failure_of_trial(const std::function<void()>& trial) {
  const std::string unknown = "no process could try it";
  std::cout.flush();
  std::cerr.flush();
  int ends[2];
  if (::pipe(ends) != 0) return unknown;
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    be_child(ends[1], trial);
  }
  ::close(ends[1]);
  const std::string reason = child < 0 ? unknown : received(ends[0]);
  ::close(ends[0]);
  if (child < 0) return unknown;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  return reason.empty() ? unknown : reason;
}

}  // namespace tributary
