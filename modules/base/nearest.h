#pragma once
/// Suggestions for misspelt names in error messages.

#include <cstddef>
#include <string>
#include <vector>

namespace tributary {

/// Returns the number of edits (insert, delete, replace, swap two neighbours) that turn one text into the other.
std::size_t edit_distance(const std::string& a, const std::string& b);

/// Returns the names with the least edit distance to `text`, in the order given. Empty if no name is given, or if `text`
/// has more than 200 characters.
std::vector<std::string> nearest_names(const std::string& text, const std::vector<std::string>& names);

/// Returns for instance "a, b or c".
std::string join_names(const std::vector<std::string>& names, const std::string& last = "or");

/// Returns for instance "unknown algorithm 'psuh'; did you mean push? (legal: push, pull, ring)". Suggests at most three
/// names.
std::string unknown_name(const std::string& kind, const std::string& text, const std::vector<std::string>& names,
                         bool list_all = true);

}  // namespace tributary
