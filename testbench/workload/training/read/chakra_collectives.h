#pragma once
/// Collectives of Chakra traces by comm_type (mlcommons/chakra, schema/protobuf/et_def.proto).

#include <array>

namespace tributary::training {

struct ChakraCollective {
  const char *there, *here;  ///< null `here`: not simulated
};
inline constexpr std::array<ChakraCollective, 10> chakra_collectives{{{"ALL_REDUCE", "allreduce"},
                                                                      {"REDUCE", "reduce"},
                                                                      {"ALL_GATHER", "allgather"},
                                                                      {"GATHER", "gather"},
                                                                      {"SCATTER", nullptr},
                                                                      {"BROADCAST", "broadcast"},
                                                                      {"ALL_TO_ALL", "alltoall"},
                                                                      {"REDUCE_SCATTER", "reduce_scatter"},
                                                                      {"REDUCE_SCATTER_BLOCK", nullptr},
                                                                      {"BARRIER", "barrier"}}};

}  // namespace tributary::training
