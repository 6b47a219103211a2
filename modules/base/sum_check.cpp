#include "modules/base/sum_check.h"

#include <cstring>

#include "modules/base/field_values.h"

namespace tributary {

std::string wrong_lane(ElementType type, const std::byte* right, const std::byte* sum, std::size_t bytes) {
  if (std::memcmp(right, sum, bytes) == 0) return "";
  const std::size_t size = element_size(type);
  for (std::size_t at = 0; at + size <= bytes; at += size)
    if (std::memcmp(right + at, sum + at, size) != 0)
      return "sum[" + std::to_string(at / size) + "] is " + element_text(type, sum + at) + " in place of " +
             element_text(type, right + at);
  return "the last bytes differ";
}

}  // namespace tributary
