#pragma once
/// Names of collectives and element types in traces of PyTorch.

#include <array>
#include <cstdint>
#include <optional>

#include "modules/base/element.h"
#include "testbench/workload/training/read/recorded_calls.h"

namespace tributary::training {

/// The element count that is the message as nccl-tests counts it.
enum class TorchElements : std::uint8_t { in, out, in_of_all };

/// A collective of ProcessGroupNCCL.
struct TorchCollective {
  const char *there, *here;
  TorchElements elements = TorchElements::in;
  RecordedCall::Kind kind = RecordedCall::Kind::collective;
};
inline constexpr std::array<TorchCollective, 19> torch_collectives{
    {{"allreduce", "allreduce"},
     {"allreduce_coalesced", "allreduce"},
     {"all_reduce", "allreduce"},
     {"broadcast", "broadcast"},
     {"_broadcast_oop", "broadcast"},
     {"reduce", "reduce"},
     {"_reduce_oop", "reduce"},
     {"all_gather", "allgather", TorchElements::out},
     {"allgather", "allgather", TorchElements::out},
     {"_allgather_base", "allgather", TorchElements::out},
     {"allgather_into_tensor_coalesced", "allgather", TorchElements::out},
     {"reduce_scatter", "reduce_scatter"},
     {"_reduce_scatter_base", "reduce_scatter"},
     {"reduce_scatter_tensor_coalesced", "reduce_scatter"},
     {"all_to_all", "alltoall"},
     {"all_to_allv", "alltoall"},
     {"gather", "gather", TorchElements::in_of_all},
     {"send", "", TorchElements::in, RecordedCall::Kind::send},
     {"recv", "", TorchElements::out, RecordedCall::Kind::receive}}};
inline constexpr std::array<const char*, 7> torch_skipped{"barrier",         "wait",         "init", "end", "coalesced",
                                                          "startcoalescing", "endcoalescing"};

/// Element types by their name in C10; none: not simulated, only its bytes count.
struct TorchType {
  const char* name;
  std::uint64_t bytes;
  std::optional<ElementType> type;
};
inline const std::array<TorchType, 14>& torch_types() {
  using E = ElementType;
  static const std::array<TorchType, 14> all{{{"Float", 4, E::f32},
                                              {"Half", 2, E::f16},
                                              {"BFloat16", 2, E::bf16},
                                              {"Int", 4, E::i32},
                                              {"Double", 8, {}},
                                              {"Long", 8, {}},
                                              {"Short", 2, {}},
                                              {"Byte", 1, {}},
                                              {"Char", 1, {}},
                                              {"Bool", 1, {}},
                                              {"Float8_e4m3fn", 1, {}},
                                              {"Float8_e5m2", 1, {}},
                                              {"Float8_e4m3fnuz", 1, {}},
                                              {"Float8_e5m2fnuz", 1, {}}}};
  return all;
}

}  // namespace tributary::training
