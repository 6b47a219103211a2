/// The executable `tributary`: reads the command line, executes the command, and maps errors to exit codes.
#include <csignal>
#include <systemc>

#include "modules/base/sysc/logging.h"
#include "testbench/cli/escaped_output.h"
#include "testbench/cli/execute.h"
#include "testbench/cli/guarded.h"

int sc_main(int argc, char* argv[]) {
  using namespace tributary;
  return guarded([&] {
    const int code = execute(read_command({argv + 1, argv + argc}));
    check_standard_output();
    return code;
  });
}

int main(int argc, char* argv[]) {
  std::signal(SIGXFSZ, SIG_IGN);  // a write to a file at its size limit fails with an error message
  tributary::silence_systemc_banner();
  const tributary::EscapedOutput escaped;
  return sc_core::sc_elab_and_sim(argc, argv);
}
