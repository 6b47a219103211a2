#pragma once

namespace tributary {

/// Exit codes of `tributary` (README).
enum ExitCode : int { exit_done = 0, exit_wrong = 1, exit_bad_input = 2, exit_unfinished = 3, exit_missing = 4 };

}  // namespace tributary
