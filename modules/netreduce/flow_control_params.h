#pragma once
/// Parameters of a host's part in NetReduce (Liu et al., 4.1 and 4.3).

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/netreduce/netreduce_params.h"

namespace tributary {

enum class HostBuffers : std::uint8_t {
  out_of_place,  ///< the result lies beside the operand
  overwriting,   ///< the result overwrites the operand, which may have to be sent again
  staged,        ///< the same, and messages are sent from copies
};

template <>
struct EnumNames<HostBuffers> {
  static const std::vector<std::pair<HostBuffers, std::string>>& names() {
    static const std::vector<std::pair<HostBuffers, std::string>> n{{HostBuffers::out_of_place, "out_of_place"},
                                                                    {HostBuffers::overwriting, "in_place"},
                                                                    {HostBuffers::staged, "staged"}};
    return n;
  }
};

/// Messages, and where they lie in the host.
struct HostFlowParams {
  MessageFlowParams messages;
  HostBuffers buffers = HostBuffers::out_of_place;
  Time turnaround = 0_us;
};
template <class V>
void visit(V& v, HostFlowParams& p) {
  visit(v, p.messages);
  v.field(
      "buffers", p.buffers,
      Note("result beside the operand, over it, or over it while messages are sent from copies; over it, a packet that is "
           "sent again may carry a result")
          .source("docs/systems/netreduce.md#window [G]"));
  v.field("turnaround", p.turnaround,
          Note("of a host's software, from a result in memory to the next message posted; copies through host memory")
              .source("docs/systems/netreduce.md#window [G]")
              .range("0us", "1ms"));
}

}  // namespace tributary
