#pragma once
/// RouterParams: parameters of a router (Huang et al., ISCA 2021, Table III).

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

enum class CreditReturn : std::uint8_t { flit, packet };
template <>
struct EnumNames<CreditReturn> {
  static const std::vector<std::pair<CreditReturn, std::string>>& names() {
    static const std::vector<std::pair<CreditReturn, std::string>> n{{CreditReturn::flit, "flit"},
                                                                     {CreditReturn::packet, "packet"}};
    return n;
  }
};

struct RouterParams {
  Time latency = 3_ns;
  std::uint32_t buffer_flits = 318;
  CreditReturn credits = CreditReturn::flit;
};
template <class V>
void visit(V& v, RouterParams& p) {
  v.field("latency", p.latency,
          Note("head flit in to head flit out of an idle router: 3 cycles of 1 GHz")
              .role(ParameterRole::delay)
              .source("docs/systems/multitree.md#router [G]")
              .range("1ns", "1us"));
  v.field("buffer_flits", p.buffer_flits,
          Note("input buffer of each of the 4 VCs of a port, in flits of 16 B")
              .role(ParameterRole::room)
              .source("MultiTree Table III [P]")
              .range("17", "65535"));
  v.field("credits", p.credits,
          Note("buffer space is returned as the flits of a packet leave (flit), or when its tail has left (packet)")
              .source("docs/systems/multitree.md#router [G]"));
}

}  // namespace tributary
