#pragma once
/// The text of a topology file: lines, what no such text holds, and the one form of its errors.

#include <cstddef>
#include <string>
#include <vector>

namespace tributary::topology {

/// What a topology file may hold: time and memory of its readers are bounded by these.
struct TopologyFileLimits {
  static constexpr std::size_t bytes = std::size_t{256} << 20;
  static constexpr std::size_t elements = 16'384;  ///< of XML
  static constexpr std::size_t attributes = 64;    ///< of an element
  static constexpr std::size_t depth = 32;         ///< levels of elements
  static constexpr std::size_t gpus = 64;
  static constexpr std::size_t switches = 64;  ///< NVSwitches
  static constexpr std::size_t nics = 256;
  static constexpr std::size_t bridges = 1'024;  ///< PCIe switches and root ports
};

/// NVLinks that a GPU has at most, as those of Hopper and Blackwell have.
inline constexpr int most_nvlinks = 18;

/// A text with the path that stands in front of its errors.
class TopologyText {
 public:
  /// Throws std::invalid_argument with the line of a control character other than tab, line feed, carriage return and,
  /// where `escapes`, escape.
  TopologyText(std::string text, std::string path, bool escapes = false);

  const std::string& text() const { return text_; }
  /// From 1, of the character at a place in the text.
  std::size_t line_at(std::size_t place) const;
  /// Throws std::invalid_argument: `PATH:LINE: WHAT`.
  [[noreturn]] void fail(std::size_t line, const std::string& what) const;

 private:
  std::string text_, path_;
  std::vector<std::size_t> ends_;  ///< places of line feeds
};

/// The text of a regular file within the limits. Throws std::invalid_argument, one line.
std::string read_topology_file(const std::string& path);

/// 'text', shortened to 40 characters, others than printable ASCII as a question mark.
std::string quoted(const std::string& text);

/// All of the text is one decimal number from `least` to `most`; -1 if not. `least` is not negative.
int decimal(const std::string& text, int least, int most);

}  // namespace tributary::topology
