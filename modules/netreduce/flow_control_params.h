#pragma once
/// Parameters of a host's part in NetReduce (Liu et al., 3.1 and 3.2).

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/netreduce/netreduce_params.h"

namespace tributary {

enum class HostBuffers : std::uint8_t {
  out_of_place,  ///< the result has memory of its own
  overwriting,   ///< the result overwrites the operand, which may have to be sent again
  staged,        ///< the result overwrites the operand, and messages are sent from copies
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

/// Messages of a host, and their place in its memory.
struct HostFlowParams {
  MessageFlowParams messages;
  HostBuffers buffers = HostBuffers::out_of_place;
  Time turnaround = 0_us;
};
template <class V>
void visit(V& v, HostFlowParams& p) {
  visit(v, p.messages);
  v.field("buffers", p.buffers,
          Note("place of the result: memory of its own, over the operand, or over the operand with messages sent from "
               "copies; over the operand, a packet that is sent again may carry a result")
              .source("docs/systems/netreduce.md#window [G]"));
  v.field("turnaround", p.turnaround,
          Note("time of a host's software from a result in memory to the next message posted; includes copies through host "
               "memory")
              .role(ParameterRole::delay)
              .source("docs/systems/netreduce.md#window [G]")
              .range("0us", "1ms"));
}

}  // namespace tributary
