#include "modules/switching/core/round_robin_arbiter.h"

#include <algorithm>
#include <utility>

namespace tributary {

std::size_t RoundRobinArbiter::choose(unsigned output, const std::vector<Request>& requests, Tick) {
  const unsigned turn = turns_.at(output);
  const auto rank = [&](const Request& r) {
    const unsigned first = firsts_[output * resources + r.resource];
    return std::pair(std::pair(r.resource < turn, r.resource), std::pair(number(r) < first, number(r)));
  };
  const auto before = [&](const Request& a, const Request& b) { return rank(a) < rank(b); };
  return static_cast<std::size_t>(std::min_element(requests.begin(), requests.end(), before) - requests.begin());
}

void RoundRobinArbiter::granted(unsigned output, const Request& request, Tick) {
  turns_.at(output) = request.resource + 1;
  firsts_[output * resources + request.resource] = number(request) + 1;
}

void RoundRobinArbiter::reset() {
  turns_.assign(ports_, 0);
  firsts_.assign(std::size_t{ports_} * resources, 0);
}

}  // namespace tributary
