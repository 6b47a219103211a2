/// The executable `tributary`: reads the command line, does what it says, maps what went wrong to an exit code.
#include <exception>
#include <iostream>
#include <new>
#include <systemc>

#include "modules/base/sysc/logging.h"
#include "testbench/cli/command_line.h"
#include "testbench/cli/exit_code.h"
#include "testbench/cli/list_command.h"
#include "testbench/cli/run_command.h"
#include "testbench/driver/session.h"
#include "testbench/workload/input_error.h"

namespace {

using namespace tributary;

int execute(const PrintText& print) {
  std::cout << print.text;
  return exit_done;
}
int execute(const ListRequest& request) { return list_command(request); }
int execute(const RunRequest& request) { return run_command(request); }

int complain(int code, const std::string& what) {
  std::cerr << "tributary: error: " << what << "\n";
  return code;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  try {
    const Command command = parse_command_line({argv + 1, argv + argc});
    return std::visit([](const auto& request) { return execute(request); }, command);
  } catch (const InputError& error) {
    return complain(exit_bad_input, error.what());
  } catch (const SetupError& error) {
    return complain(exit_bad_input, error.what());
  } catch (const std::bad_alloc&) {
    return complain(exit_unfinished, "out of memory");
  } catch (const std::exception& error) {
    return complain(exit_unfinished, error.what());
  }
}

int main(int argc, char* argv[]) {
  silence_systemc_banner();
  return sc_core::sc_elab_and_sim(argc, argv);
}
