#include "testbench/cli/guarded.h"

#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <systemc>

#include "modules/base/element_limits.h"
#include "modules/base/text_format.h"
#include "testbench/cli/exit_code.h"
#include "testbench/run/errors.h"
#include "testbench/run/memory_reserve.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

int complain(int code, const std::string& what) {
  std::cerr << "tributary: error: " << one_line(what) << "\n";
  return code;
}

/// The kernel puts an exception of a process into a report of several lines. Returns its message, with the process and the
/// time.
std::string cause_of(const sc_core::sc_report& report) {
  std::string text = report.get_msg() != nullptr ? report.get_msg() : "";
  if (text.empty()) text = report.get_msg_type() != nullptr ? report.get_msg_type() : "error of the kernel";
  text += " (at " + report.get_time().to_string();
  if (report.get_process_name() != nullptr) text += std::string(", process ") + report.get_process_name();
  return text + ")";
}

}  // namespace

int guarded(const std::function<int()>& command) {
  install_memory_reserve();
  try {
    return command();
  } catch (const InputError& error) {
    return complain(exit_bad_input, error.what());
  } catch (const SetupError& error) {
    return complain(exit_bad_input, error.what());
  } catch (const UnfitBlock& error) {
    return complain(exit_bad_input, error.what());
  } catch (const sc_core::sc_report& report) {
    return complain(exit_unfinished, memory_ran_out() ? "out of memory" : cause_of(report));
  } catch (const std::bad_alloc&) {
    return complain(exit_unfinished, "out of memory");
  } catch (const std::exception& error) {
    return complain(exit_unfinished, memory_ran_out() ? "out of memory" : error.what());
  }
}

}  // namespace tributary
