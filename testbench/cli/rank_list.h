#pragma once

#include <string>
#include <vector>

namespace tributary {

/// Reads `0-3,8`: GPU numbers below `gpus`, each once, rank i is the i-th listed. Throws InputError, without place.
std::vector<int> parse_rank_list(const std::string& text, int gpus);
/// How many GPUs take part. Throws InputError, without place, unless 2 <= n <= gpus.
int parse_gpu_count(const std::string& text, int gpus);

}  // namespace tributary
