#pragma once
/// Which legal name the user may have meant.

#include <cstddef>
#include <string>
#include <vector>

namespace tributary {

/// Edits (insert, delete, replace, swap two neighbours) that make one text the other.
std::size_t edit_distance(const std::string& a, const std::string& b);

/// The names closest to `text`, in the order given; none is closer. Empty when no name is given, or `text` has over
/// 200 characters.
std::vector<std::string> nearest_names(const std::string& text, const std::vector<std::string>& names);

/// "a, b or c".
std::string join_names(const std::vector<std::string>& names, const std::string& last = "or");

/// "unknown algorithm 'psuh'; did you mean push? (legal: push, pull, ring)". Lists at most three of the nearest names.
std::string unknown_name(const std::string& kind, const std::string& text, const std::vector<std::string>& names,
                         bool list_all = true);

}  // namespace tributary
