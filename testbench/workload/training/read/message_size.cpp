#include "testbench/workload/training/read/message_size.h"

#include "testbench/workload/collective.h"

namespace tributary::training {

std::optional<std::uint64_t> message_size(const std::string& name, std::uint64_t bytes, std::size_t ranks) {
  const Collective& c = collective_of(name);
  if (c.chunking != collective::Chunking::parts || c.reduces)
    return bytes;  // a reduce-scatter counts the whole message, too
  std::uint64_t all = 0;
  if (__builtin_mul_overflow(bytes, std::uint64_t{ranks}, &all)) return std::nullopt;
  return all;
}

}  // namespace tributary::training
