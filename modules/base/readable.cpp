#include "modules/base/readable.h"

#include <cstddef>
#include <initializer_list>

#include "modules/base/text_format.h"

namespace tributary {

std::string readable_time(Tick ps) {
  const char* unit = "ps";
  double x = static_cast<double>(ps);
  for (const char* larger : {"ns", "us", "ms", "s"}) {
    if (x < 999.95) break;  // rounds to 1000.0
    x /= 1000, unit = larger;
  }
  std::string number = fixed(x, 1);
  if (number.size() > 2 && number.compare(number.size() - 2, 2, ".0") == 0) number.resize(number.size() - 2);
  return number + unit;
}

std::string readable_bytes(std::uint64_t bytes) {
  const char* unit = " B";
  double x = static_cast<double>(bytes);
  for (const char* larger : {" kB", " MB", " GB", " TB", " PB", " EB"}) {
    if (x < 1000) break;
    x /= 1000, unit = larger;
  }
  return fixed(x, 1) + unit;
}

}  // namespace tributary
