#include "testbench/cli/sweep/point_process.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <stdexcept>

#include "testbench/cli/commands/run_command.h"
#include "testbench/cli/commands/train_command.h"
#include "testbench/cli/exit_code.h"
#include "testbench/cli/guarded.h"

namespace tributary {
namespace {

void redirect(int stream, int file) {
  if (file < 0 || ::dup2(file, stream) < 0) ::_exit(exit_unfinished);
  ::close(file);
}

/// Opens the log. Its lock keeps other processes from the same point while this process runs.
int open_log(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0666);
  if (file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ::_exit(point_taken);
  if (file >= 0 && ::ftruncate(file, 0) != 0) ::_exit(exit_unfinished);
  return file;
}

}  // namespace

PointProcess::PointProcess(const PointRun& point, std::string stem, std::size_t at_once) : stem_(std::move(stem)) {
  std::cout << std::flush;
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error(std::string("cannot start the process of a point: ") + std::strerror(errno));
  if (pid_ > 0) return;
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // the points end with a sweep that is killed
#endif
  if (::getppid() != parent) ::_exit(exit_unfinished);
  be_child(point, at_once);
}

void PointProcess::be_child(const PointRun& point, std::size_t at_once) const {
  redirect(STDERR_FILENO, open_log(log()));
  redirect(STDOUT_FILENO, ::open("/dev/null", O_WRONLY));
  ::unlink(part().c_str());  // a killed process left it; a link would be followed
  const auto run = [&] {
    RunRequest request = point.request;
    request.output.json = part();
    request.spec.runs_at_once = at_once;
    return run_command(request);
  };
  const auto train = [&] {
    TrainRequest request = *point.training;
    request.run.output.json = part();
    request.run.output.quiet = true;
    request.run.spec.runs_at_once = at_once;
    return train_command(request);
  };
  const int code = guarded([&] { return point.training ? train() : run(); });
  std::cout << std::flush;
  std::fflush(nullptr);
  ::_exit(code);  // the parent cleans up
}

std::optional<ProcessEnd> PointProcess::poll() const {
  int status = 0;
  const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR)) return std::nullopt;
  if (ended < 0) return ProcessEnd{exit_unfinished, 0};
  if (WIFSIGNALED(status)) return ProcessEnd{exit_unfinished, WTERMSIG(status)};
  return ProcessEnd{WEXITSTATUS(status), 0};
}

void PointProcess::interrupt() const { ::kill(pid_, SIGINT); }

}  // namespace tributary
