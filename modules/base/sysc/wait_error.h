#pragma once
/// What is bound to a socket of a device must not wait: devices run ahead of the kernel's time.

#include <systemc>

namespace tributary {

/// In the handler of an exception that b_transport has thrown: a call of wait() becomes an error under `id` that names the
/// `kind` of module (`memory`) and the socket; all else is thrown on.
void report_wait(const sc_core::sc_report& report, const char* id, const char* kind, const char* socket);

}  // namespace tributary
