#include "testbench/cli/commands/observer_notes.h"

#include <iostream>

#include "modules/base/text_format.h"
#include "testbench/cli/exit_code.h"

namespace tributary {

int print_observer_notes(int code, const std::vector<ObserverNote>& notes) {
  for (const ObserverNote& note : notes) {
    std::cerr << "tributary: warning: " << one_line(note.text) << "\n";
    if (note.failed && code == exit_done) code = exit_unfinished;
  }
  return code;
}

}  // namespace tributary
