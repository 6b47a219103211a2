/// The executable `tributary-mpi`: the command line of `tributary` for the processes that mpirun starts (docs/processes.md).
#include <chrono>
#include <csignal>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <systemc>
#include <thread>
#include <variant>

#include "modules/base/sysc/logging.h"
#include "testbench/cli/escaped_output.h"
#include "testbench/cli/execute.h"
#include "testbench/cli/guarded.h"
#include "testbench/cli/requests/run_request.h"
#include "testbench/cli/version.h"
#include "testbench/mpi/mpi_group.h"
#include "testbench/run/run_processes.h"
#include "testbench/workload/input_error.h"

namespace {

using namespace tributary;

/// Keeps what a process other than the first one prints. Its errors are those of the first one, unless it fails alone.
class Silence {
 public:
  explicit Silence(bool silent) : out_(std::cout.rdbuf()), error_(std::cerr.rdbuf()) {
    if (silent) std::cout.rdbuf(kept_out_.rdbuf()), std::cerr.rdbuf(kept_error_.rdbuf());
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  ~Silence() { end(); }
  /// Returns the errors that it has kept, and ends.
  std::string end() {
    std::cout.rdbuf(out_), std::cerr.rdbuf(error_);
    return kept_error_.str();
  }

 private:
  std::streambuf *out_, *error_;
  std::ostringstream kept_out_, kept_error_;
};

void check_versions(ProcessGroup& group) {
  ByteRow own;
  ByteWriter(own).put(version_line());
  for (const ByteRow& of_process : group.gather(own))
    if (of_process != own) {
      group.set_joined(false);
      throw InputError("the processes are of several versions: " + ByteReader(of_process).text());
    }
}

/// Refuses what needs one process.
void check_command(const Command& command, unsigned processes) {
  const std::string refused = std::to_string(processes) + " processes cannot execute this command: ";
  if (std::holds_alternative<PrintText>(command)) return;
  const auto* const run = std::get_if<RunRequest>(&command);
  if (run == nullptr) throw InputError(refused + "only `run` divides its work among processes");
  if (run->measure) throw InputError(refused + "`--bottleneck measured` starts processes of its own");
  if (!run->against.empty()) throw InputError(refused + "--against elaborates several platforms");
  if (const std::string why = one_process_because(run->spec); !why.empty()) throw InputError(refused + why);
}

/// The first process alone writes results.
void join(RunRequest& run, const std::shared_ptr<ProcessGroup>& group) {
  run.spec.processes = group;
  if (group->rank() == 0) return;
  run.output = OutputSpec();
  run.output.quiet = true;
  run.output.log_level = "off";
}

int execute_together(const std::vector<std::string>& arguments, const std::shared_ptr<ProcessGroup>& group) {
  if (group->size() == 1) return execute(read_command(arguments));
  group->set_joined(true);
  check_versions(*group);
  Command command;
  in_all_processes(group.get(), [&] {
    command = read_command(arguments);
    check_command(command, group->size());
  });
  if (auto* const run = std::get_if<RunRequest>(&command)) join(*run, group);
  const int code = execute(command);
  group->set_joined(false);
  return code;
}

/// Ends all processes after a failure that they may not know, while they may wait for this one. The first process is the
/// only one that prints, if it fails, too.
[[noreturn]] void end_all(const MpiGroup& group, int code, const std::string& errors) {
  if (group.rank() != 0) std::this_thread::sleep_for(std::chrono::seconds(1));
  std::cerr << errors << std::flush;
  MpiGroup::end_all(code);
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  const auto group = std::make_shared<MpiGroup>(argc, argv);
  Silence silence(group->rank() != 0);
  const int code = guarded([&] {
    const int done = execute_together({argv + 1, argv + argc}, group);
    check_standard_output();
    return done;
  });
  const std::string errors = silence.end();
  if (group->joined()) end_all(*group, code, errors);
  std::uint64_t worst = ~static_cast<std::uint64_t>(code);  // mpirun ends all processes when one of them has failed
  group->least(&worst, 1);
  return static_cast<int>(~worst);
}

int main(int argc, char* argv[]) {
  std::signal(SIGXFSZ, SIG_IGN);  // a write to a file at its size limit fails with an error message
  tributary::silence_systemc_banner();
  const tributary::EscapedOutput escaped;
  return sc_core::sc_elab_and_sim(argc, argv);
}
