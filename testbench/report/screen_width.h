#pragma once

#include <cstddef>
#include <string>

namespace tributary {

/// Columns that a line on the screen may have: COLUMNS of the environment (20 to 10000), else the width of the terminal that
/// standard output is, else 0: no limit, as for files and pipes.
std::size_t screen_width();

/// Breaks a text at blanks: lines of at most `width` characters (0: one line), all but the first behind `indent` blanks; the
/// first begins at column `at`. A longer word stands alone. No line break at the end.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent, std::size_t at);

/// Each line of a text, broken so: behind `indent` blanks. Where a line has a name and blanks up to there, they stay.
std::string wrapped_lines(const std::string& text, std::size_t width, std::size_t indent);

/// Lines of a text that begin with `# `, broken so; others stay.
std::string wrapped_notes(const std::string& text, std::size_t width);

}  // namespace tributary
