#include "testbench/cli/guarded.h"

#include <exception>
#include <iostream>
#include <new>

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

}  // namespace

int guarded(const std::function<int()>& command) {
  install_memory_reserve();
  try {
    return command();
  } catch (const InputError& error) {
    return complain(exit_bad_input, error.what());
  } catch (const SetupError& error) {
    return complain(exit_bad_input, error.what());
  } catch (const std::bad_alloc&) {
    return complain(exit_unfinished, "out of memory");
  } catch (const std::exception& error) {
    return complain(exit_unfinished, memory_ran_out() ? "out of memory" : error.what());
  }
}

}  // namespace tributary
