#pragma once
/// Lines of the table that --trace-block prints.

#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace tributary {

struct LifeLine {
  double time = 0;  ///< ns
  std::string place, text;
};

/// Returns the lines whose text matches `pattern` and whose place matches `places`.
inline std::vector<LifeLine> lines_of(const std::string& life, const std::string& pattern, const std::string& places = ".") {
  static const std::regex line(R"(# +([\d.]+)  (\S+) +(.*))");
  std::vector<LifeLine> found;
  std::istringstream in(life);
  for (std::string text; std::getline(in, text);) {
    std::smatch part;
    if (std::regex_match(text, part, line) && std::regex_search(part[3].str(), std::regex(pattern)) &&
        std::regex_search(part[2].str(), std::regex(places)))
      found.push_back({std::stod(part[1]), part[2], part[3]});
  }
  return found;
}

/// Returns the time of a marker; -1 if there is none.
inline double time_of_marker(const std::string& life, const std::string& marker) {
  std::smatch part;
  return std::regex_search(life, part, std::regex("# +([\\d.]+)  " + marker + "\n")) ? std::stod(part[1]) : -1;
}

inline double number_after(const std::string& text, const std::string& word) {
  return std::stod(text.substr(text.find(word) + word.size()));
}

}  // namespace tributary
