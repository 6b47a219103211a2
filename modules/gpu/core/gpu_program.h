#pragma once
/// What a host asks of a GPU: stages of DMA work, the command list of a software schedule, or streams and channels.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/units.h"
#include "modules/tasks/task_program.h"
#include "modules/protocol/nvlink.h"
#include "modules/streams/core/stream_program.h"

namespace tributary {

/// A message as blocks of 128 B; the last one may be shorter.
struct BlockRange {
  std::uint64_t network = 0;  ///< network address of the message: a multicast region, or a buffer
  std::uint64_t bytes = 0;

  std::uint64_t blocks() const { return blocks_of(bytes); }
  std::uint64_t address(std::uint64_t block) const { return network + block * block_bytes; }
  /// Bytes of a block, 1 to 128.
  unsigned length(std::uint64_t block) const {
    const std::uint64_t left = bytes - block * block_bytes;
    return left < block_bytes ? static_cast<unsigned>(left) : block_bytes;
  }
  bool holds(std::uint64_t address_) const { return address_ - network < blocks() * block_bytes; }
  std::uint64_t block_of(std::uint64_t address_) const { return (address_ - network) / block_bytes; }
};

/// `length` of a block, cut where a share of so many bytes ends; `block` counts from the begin of the share.
inline unsigned cut_block(unsigned length, std::uint64_t share_bytes, std::uint64_t block) {
  const std::uint64_t left = share_bytes - block * block_bytes;
  return left < length ? static_cast<unsigned>(left) : length;
}

/// A DMA request {operation, addresses, wave size} and what this GPU expects to arrive (Klenk et al., IV-D).
struct DmaStage {
  enum class Kind : std::uint8_t {
    none,       ///< only receives
    push,       ///< RED_WRITE of all blocks
    pull,       ///< PULL of its share, results re-issued as multicast writes, or kept
    multicast,  ///< MC_WRITE of its share
    load,       ///< loads its share; of a multicast region that is served by the GPU's own memory
  };
  Kind kind = Kind::none;
  BlockRange message;
  std::uint64_t first_block = 0, block_count = 0;  ///< its share: the blocks that it requests
  std::uint64_t share_bytes = ~std::uint64_t{0};   ///< of its share, where the message does not end it
  std::uint64_t arrivals = 0;                      ///< blocks that must become visible here before the stage is over
  std::uint32_t wave_blocks = 0;
  bool waves = true;   ///< limited by the wave counters
  bool flags = false;  ///< the blocks are flags: a header and one flit, no data
  bool keeps = false;  ///< pull: results stay here (reduce, reduce-scatter)
  /// Push: the only GPU that gets the results (reduce), but for the last block of each wave, whose result tells all others
  /// that they may go on; they drop its data.
  std::optional<std::uint16_t> root = {};

  bool leaves_result_at(std::uint16_t gpu) const { return !root || *root == gpu; }
  bool ends_wave(std::uint64_t block) const {
    const std::uint64_t requested = block - first_block + 1;
    return requested == block_count || requested % wave_blocks == 0;
  }
  /// Bytes of a block of its share, 1 to 128.
  unsigned length(std::uint64_t block) const { return cut_block(message.length(block), share_bytes, block - first_block); }
};

/// One step of a software schedule: [receive a mailbox slot] [reduce it with, or copy it to, the own chunk] [send].
struct GpuCommand {
  struct Peer {
    std::uint16_t gpu = 0;
    std::uint16_t slot = 0;
    std::uint64_t mailbox = 0;  ///< where the message lies: send: network address at the peer; receive: local address
  };
  std::optional<Peer> receive, send;
  bool reduce = false;                             ///< adds the own chunk to what came in
  bool store = false;                              ///< writes the outcome to the own chunk
  std::uint64_t first_block = 0, block_count = 0;  ///< of the message
  std::uint64_t bytes = ~std::uint64_t{0};         ///< of these blocks, where the message does not end them
  std::vector<std::uint32_t> after;                ///< commands that must have issued all their blocks
};

/// Streams and channels, and where in the network the memory lies that they write to.
struct StreamWork {
  /// Memory of a peer from its local address `local` on, and its network address (FabricManager::unicast_buffer).
  struct Peer {
    std::uint16_t gpu = 0;
    std::uint64_t local = 0, bytes = 0, network = 0;
  };
  StreamProgram program;
  std::vector<Peer> peers;  ///< one for each GPU that it copies to, or several

  /// Null: some of it is not mapped.
  const Peer* find(std::uint16_t gpu, std::uint64_t address, std::uint64_t bytes) const {
    for (const Peer& p : peers)
      if (p.gpu == gpu && address - p.local <= p.bytes && bytes <= p.bytes - (address - p.local)) return &p;
    return nullptr;
  }
};

/// Stages or commands of a program that belong together, and begin when its task does.
struct GpuOperation {
  std::uint32_t first = 0, count = 0;
  std::uint32_t lane = 0;  ///< of stages: operations of several lanes are requested block by block in turn
};

/// Everything that one GPU does for one collective, or for a step of several. Posted whole, before the measured time begins.
struct GpuProgram {
  std::vector<DmaStage> stages;      ///< one after another, each when the one before is over here
  std::vector<GpuCommand> commands;  ///< or this,
  std::optional<StreamWork> streams = {};  ///< or that
  BlockRange message;                ///< commands: the message; its network address is not used
  std::uint64_t local = 0;           ///< commands: the message in this GPU's memory
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
  unsigned members = 0;  ///< GPUs that take part
  std::optional<TaskProgram> tasks = {};      ///< what else it does, and what its operations wait for
  std::vector<GpuOperation> operations = {};  ///< with `tasks`: all stages, or all commands, in their order
};

}  // namespace tributary
