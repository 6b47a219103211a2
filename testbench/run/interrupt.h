#pragma once
/// Ctrl-C: a flag that the session looks at between windows, so that finished rows are kept.

namespace tributary {

/// The first SIGINT or SIGTERM sets the flag; a second one ends the process at once.
void install_interrupt_handler();
bool interrupt_requested();

}  // namespace tributary
