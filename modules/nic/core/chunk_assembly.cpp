#include "modules/nic/core/chunk_assembly.h"

#include <map>
#include <stdexcept>

namespace tributary {
namespace {

constexpr std::uint64_t number(const ChunkAssembly::Key& k) {
  return std::uint64_t{k.operation} << 48 | std::uint64_t{k.tag} << 32 | std::uint64_t{k.from} << 16 |
         static_cast<std::uint64_t>(k.kind);
}
std::string text(std::uint64_t number) {
  const auto kind = static_cast<ChunkKind>(number & 0xFFFF);
  const char* const what = kind == ChunkKind::reduce   ? "reduce of tree "
                           : kind == ChunkKind::gather ? "gather of tree "
                                                       : "chunk of command ";
  return what + std::to_string(number >> 32 & 0xFFFF) + " from nic" + std::to_string(number >> 16 & 0xFFFF);
}

}  // namespace

bool ChunkAssembly::arrived(const Key& key, std::uint64_t bytes, std::uint64_t chunk_bytes) {
  const auto place = open_.try_emplace(number(key)).first;
  Chunk& c = place->second;
  if (c.bytes == 0) c.bytes = chunk_bytes;
  c.received += bytes;
  if (c.bytes != chunk_bytes || c.received > c.bytes)
    throw std::logic_error("the " + text(place->first) + " has " + std::to_string(c.received) + " of " +
                           std::to_string(c.bytes) + " B, but a packet says " + std::to_string(chunk_bytes) + " B");
  if (c.received < c.bytes) return false;
  open_.erase(place);
  return true;
}

std::vector<std::string> ChunkAssembly::waiting() const {
  std::vector<std::string> lines;
  lines.reserve(open_.size());
  const std::map<std::uint64_t, Chunk> in_order(open_.begin(), open_.end());  // by tag, then sender, then kind
  for (const auto& [key, chunk] : in_order)
    lines.push_back("input: " + text(key) + ", " + std::to_string(chunk.received) + " of " + std::to_string(chunk.bytes) +
                    " B");
  return lines;
}

}  // namespace tributary
