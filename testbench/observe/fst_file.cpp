#include "testbench/observe/fst_file.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "testbench/observe/output_file.h"
#include "testbench/observe/trace_error.h"

extern char** environ;

namespace tributary {
namespace {

constexpr const char* converter = "vcd2fst";

/// Runs the converter without its greeting; returns true if it has succeeded.
bool run_converter(const std::string& dump, const std::string& file) {
  const char* const words[] = {converter, dump.c_str(), file.c_str(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error = posix_spawnp(&child, converter, &actions, nullptr, const_cast<char* const*>(words), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return false;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

bool is_fst(const std::string& file) { return file.size() > 4 && file.compare(file.size() - 4, 4, ".fst") == 0; }

void require_fst_converter(const std::string& file) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((folder + "/" + converter).c_str(), X_OK) == 0) return;
  throw TraceError("cannot write '" + file + "': GTKWave's vcd2fst is not installed; legal: a name that ends in .vcd");
}

void convert_to_fst(const std::string& dump, const std::string& file) {
  if (!run_converter(dump, file)) throw OutputError("cannot write '" + file + "': vcd2fst has failed on " + dump);
  std::remove(dump.c_str());
}

}  // namespace tributary
