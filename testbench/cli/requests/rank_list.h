#pragma once

#include <string>
#include <vector>

namespace tributary {

/// Parses a list of endpoints such as `0-3,8`: rank i is the i-th endpoint, and no endpoint repeats. `singular` is the word
/// for an endpoint in errors. Throws InputError without a place.
std::vector<int> parse_rank_list(const std::string& text, int endpoints, const char* singular);
/// Parses a list of the nodes of a topology in the same form.
std::vector<int> parse_node_list(const std::string& text, int nodes);
/// Parses a list of at least one rank below `ranks` in the same form. Throws InputError without a place.
std::vector<int> parse_targets(const std::string& text, int ranks);
/// Parses the number of GPUs or nodes that take part, 2 to `most`. `what` is their name in errors. Throws InputError without
/// a place.
int parse_rank_count(const std::string& text, int most, const std::string& what);

}  // namespace tributary
