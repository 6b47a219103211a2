#pragma once
/// The width of the screen, and texts that are wrapped to it.

#include <cstddef>
#include <string>

namespace tributary {

/// Returns the columns of a screen line: the environment variable COLUMNS (20 to 10000), otherwise the width of the
/// terminal at standard output, otherwise 0 (no limit, as for files and pipes).
std::size_t screen_width();

/// Wraps a text at blanks into lines of at most `width` characters (0: one line). All lines but the first are indented
/// by `indent` blanks; the first begins at column `at`. A longer word gets its own line. There is no line break at the
/// end.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent, std::size_t at);

/// Wraps each line of a text with the given indent. A name and blanks that fill a line's indent are kept.
std::string wrapped_lines(const std::string& text, std::size_t width, std::size_t indent);

/// Wraps the lines of a text that begin with `# `; keeps the others.
std::string wrapped_notes(const std::string& text, std::size_t width);

}  // namespace tributary
