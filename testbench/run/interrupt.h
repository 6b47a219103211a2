#pragma once
/// Ctrl-C: a flag that the session reads between slices, so that finished rows are kept.

namespace tributary {

/// Installs a handler: the first SIGINT or SIGTERM sets the flag; a second one ends the process immediately.
void install_interrupt_handler();
bool interrupt_requested();

}  // namespace tributary
