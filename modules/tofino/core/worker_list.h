#pragma once
/// Texts for sets of workers, given as bit masks.

#include <cstdint>
#include <string>

namespace tributary {

constexpr std::uint64_t all_workers(unsigned count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// Returns a text such as `3 of 4 workers, missing worker 2`.
inline std::string workers_there(std::uint64_t there, unsigned count) {
  std::string missing;
  unsigned number = 0;
  for (unsigned w = 0; w < count; ++w)
    if ((there >> w & 1) == 0) missing += (number++ == 0 ? " " : ", ") + std::to_string(w);
  return std::to_string(count - number) + " of " + std::to_string(count) + " workers, missing worker" +
         (number == 1 ? "" : "s") + missing;
}

}  // namespace tributary
