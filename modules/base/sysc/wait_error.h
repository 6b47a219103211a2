#pragma once
/// report_wait(): error of a module that waits in b_transport, which is illegal because devices run ahead of kernel time.

#include <systemc>

namespace tributary {

/// Call in the handler of an exception thrown by b_transport. For a call of wait() throws std::logic_error, one line that
/// names the `kind` of module (`memory`) and the socket; any other exception is rethrown.
[[noreturn]] void report_wait(const sc_core::sc_report& report, const char* kind, const char* socket);

}  // namespace tributary
