#include "testbench/run/training/step_offer.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <iostream>

#include "modules/base/text_format.h"
#include "testbench/run/training/step_run.h"

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

std::string refusal_of_step(const RunSpec& base, const training::TaskGraph& graph, const training::Stragglers& stragglers,
                            const training::SoftwareCollectiveParams& ring) {
  const std::string unknown = "no process could check whether devices execute the step";
  std::cout.flush();
  std::cerr.flush();
  int ends[2];
  if (::pipe(ends) != 0) return unknown;
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    try {
      const StepRun step(base, graph, stragglers, ring);
      answer(ends[1], "");
    } catch (const std::exception& error) {
      answer(ends[1], one_line(error.what()));
    }
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

std::uint64_t step_bytes(const std::vector<IsolatedTransfer>& transfers) {
  std::uint64_t bytes = 0;
  for (const IsolatedTransfer& t : transfers) bytes += t.wire_bytes * t.operations;
  return bytes;
}

}  // namespace tributary
