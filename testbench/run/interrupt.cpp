#include "testbench/run/interrupt.h"

#include <csignal>

namespace tributary {
namespace {

volatile std::sig_atomic_t requested = 0;

void on_signal(int) { requested = 1; }

}  // namespace

void install_interrupt_handler() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hang_up {};
  sigaction(SIGHUP, nullptr, &hang_up);
  if (hang_up.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // nohup ignores it
}

bool interrupt_requested() { return requested != 0; }

}  // namespace tributary
