#pragma once
/// TopologyText: the text of a topology file, with line numbers, size limits and the common form of errors.

#include <cstddef>
#include <string>
#include <vector>

namespace tributary::topology {

/// Limits of a topology file, which bound the time and memory of its readers.
struct TopologyFileLimits {
  static constexpr std::size_t bytes = std::size_t{256} << 20;
  static constexpr std::size_t elements = 16'384;  ///< in an XML text
  static constexpr std::size_t attributes = 64;    ///< per element
  static constexpr std::size_t depth = 32;         ///< nesting levels of elements
  static constexpr std::size_t gpus = 64;
  static constexpr std::size_t switches = 64;  ///< NVSwitches
  static constexpr std::size_t nics = 256;
  static constexpr std::size_t bridges = 1'024;  ///< PCIe switches and root ports
};

/// Maximum number of NVLinks of a GPU (Hopper and Blackwell).
inline constexpr int most_nvlinks = 18;

/// A text with the path that errors begin with.
class TopologyText {
 public:
  /// Throws std::invalid_argument with the line of a control character other than tab, line feed, carriage return and,
  /// if `escapes`, escape.
  TopologyText(std::string text, std::string path, bool escapes = false);

  const std::string& text() const { return text_; }
  /// Returns the line (from 1) of the character at index `place` of the text.
  std::size_t line_at(std::size_t place) const;
  /// Throws std::invalid_argument: `PATH:LINE: WHAT`.
  [[noreturn]] void fail(std::size_t line, const std::string& what) const;

 private:
  std::string text_, path_;
  std::vector<std::size_t> ends_;  ///< indices of line feeds
};

/// Returns the text of a regular file or a pipe within the size limits. Throws std::invalid_argument (one line).
std::string read_topology_file(const std::string& path);

/// Returns 'text' in quotes, shortened to 40 characters, with a question mark for each character that is not printable
/// ASCII.
std::string quoted(const std::string& text);

/// Parses a text that is one decimal number from `least` (not negative) to `most`; returns -1 otherwise.
int decimal(const std::string& text, int least, int most);

}  // namespace tributary::topology
