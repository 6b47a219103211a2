#pragma once

#include <string>
#include <vector>

namespace tributary {

/// Reads `0-3,8`: numbers of endpoints, each once, rank i is the i-th listed; messages call one of them `singular`. Throws
/// InputError, without place.
std::vector<int> parse_rank_list(const std::string& text, int endpoints, const char* singular);
/// The same of the nodes of a topology.
std::vector<int> parse_node_list(const std::string& text, int nodes);
/// Reads ranks below `ranks` in the same form, each once, at least one. Throws InputError, without place.
std::vector<int> parse_targets(const std::string& text, int ranks);
/// How many of the platform's GPUs or nodes, as `what` says, take part. Throws InputError, without place, unless 2 <= n <=
/// most.
int parse_rank_count(const std::string& text, int most, const std::string& what);

}  // namespace tributary
