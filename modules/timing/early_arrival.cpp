#include "modules/timing/early_arrival.h"

#include <stdexcept>

namespace tributary {

void refuse_early(const char* thing, const std::string& link, Tick first, Tick safe) {
  throw std::logic_error(link + ": a " + thing + " arrives at " + std::to_string(first) +
                         " ps, but none was expected before " + std::to_string(safe) +
                         " ps: the lookahead of the device is too long, or a guarantee is broken");
}

}  // namespace tributary
