#pragma once
/// child_end(): how a process ends, for code that ends its process.

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>

namespace tributary {

struct ChildEnd {
  int code = 0;      ///< exit code; -1 after a signal
  std::string text;  ///< standard error
};

/// Does `work` in a child process with exit code 0 if it returns, and 1 with the text of an exception. Call it before this
/// process has elaborated anything.
inline ChildEnd child_end(const std::function<void()>& work) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no child process");
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[0]), ::close(ends[1]);
    try {
      work();
    } catch (const std::exception& error) {
      const std::string text = error.what();
      if (::write(STDERR_FILENO, text.data(), text.size()) < 0) ::_exit(3);
      ::_exit(1);
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  ChildEnd end;
  char buffer[4096];
  for (ssize_t n = 0; (n = ::read(ends[0], buffer, sizeof buffer)) != 0;)
    if (n > 0)
      end.text.append(buffer, static_cast<std::size_t>(n));
    else if (errno != EINTR)
      break;
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  end.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return end;
}

}  // namespace tributary
