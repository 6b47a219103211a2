#pragma once
/// GpuProgram: work of a GPU for a host: stages of DMA work, the commands of a software schedule, or streams and channels.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/units.h"
#include "modules/protocol/nvlink.h"
#include "modules/streams/core/stream_program.h"
#include "modules/tasks/task_program.h"

namespace tributary {

/// A message as blocks of 128 B; the last one may be shorter.
struct BlockRange {
  std::uint64_t network = 0;  ///< network address of the message: a multicast region, or a buffer
  std::uint64_t bytes = 0;

  std::uint64_t blocks() const { return blocks_of(bytes); }
  std::uint64_t address(std::uint64_t block) const { return network + block * block_bytes; }
  /// Returns the bytes of a block, 1 to 128.
  unsigned length(std::uint64_t block) const {
    const std::uint64_t left = bytes - block * block_bytes;
    return left < block_bytes ? static_cast<unsigned>(left) : block_bytes;
  }
  bool holds(std::uint64_t address_) const { return address_ - network < blocks() * block_bytes; }
  std::uint64_t block_of(std::uint64_t address_) const { return (address_ - network) / block_bytes; }
};

/// Returns `length`, limited to the end of a slice of `share_bytes`; `block` counts from the start of the slice.
inline unsigned cut_block(unsigned length, std::uint64_t share_bytes, std::uint64_t block) {
  const std::uint64_t left = share_bytes - block * block_bytes;
  return left < length ? static_cast<unsigned>(left) : length;
}

/// A DMA request {operation, addresses, wave size} and the number of blocks that this GPU expects (Klenk et al., IV-D).
struct DmaStage {
  enum class Kind : std::uint8_t {
    none,       ///< only receives
    push,       ///< RED_WRITE of all blocks
    pull,       ///< PULL of its slice; results are re-issued as multicast writes, or kept
    multicast,  ///< MC_WRITE of its slice
    load,       ///< loads its slice; in a multicast region, the GPU's own memory serves it
  };
  Kind kind = Kind::none;
  BlockRange message;
  std::uint64_t first_block = 0, block_count = 0;  ///< its slice: the blocks that it requests
  std::uint64_t share_bytes = ~std::uint64_t{0};   ///< size of the slice, if it ends before its last block does
  std::uint64_t arrivals = 0;                      ///< blocks that must become visible here before the stage ends
  std::uint32_t wave_blocks = 0;
  bool waves = true;   ///< limited by the wave counters
  bool flags = false;  ///< the blocks are flags: a header and one flit, no data
  bool keeps = false;  ///< pull: results stay here (reduce, reduce-scatter)
  /// Push: the only GPU that receives the results (reduce), except for the last block of each wave, whose result permits
  /// all other GPUs to continue; they discard its data.
  std::optional<std::uint16_t> root = {};
  bool own_waves = false;  ///< multicast: its waves use the counters of multicasts, instead of those of all stages
  unsigned members = 0;    ///< GPUs of its operation; 0: GpuProgram::members

  bool leaves_result_at(std::uint16_t gpu) const { return !root || *root == gpu; }
  bool ends_wave(std::uint64_t block) const {
    const std::uint64_t requested = block - first_block + 1;
    return requested == block_count || requested % wave_blocks == 0;
  }
  /// Returns the bytes of a block of its slice, 1 to 128.
  unsigned length(std::uint64_t block) const { return cut_block(message.length(block), share_bytes, block - first_block); }
};

/// One step of a software schedule: [receive a mailbox slot] [reduce it with, or copy it to, the own chunk] [send].
struct GpuCommand {
  struct Peer {
    std::uint16_t gpu = 0;
    std::uint16_t slot = 0;
    std::uint64_t mailbox = 0;  ///< location of the message: network address at the peer (send), or local address (receive)
    /// Queue pair of the GPU's NIC by which the message goes as a whole; a send then has the peer's local address. Empty: by
    /// NVLink.
    std::optional<std::uint32_t> nic_pair = {};
  };
  std::optional<Peer> receive, send;
  bool reduce = false;                             ///< adds the own chunk to the received one
  bool store = false;                              ///< writes the result to the own chunk
  std::uint64_t first_block = 0, block_count = 0;  ///< blocks of the message
  std::uint64_t bytes = ~std::uint64_t{0};         ///< size of these blocks, if the data end before the last block does
  std::vector<std::uint32_t> after;                ///< commands that must have issued all their blocks
  bool acknowledged = false;  ///< sends by the NIC: later commands overwrite its data, so it ends with the ACK

  bool by_nic() const { return send && send->nic_pair; }
  /// Returns the bytes of its blocks.
  std::uint64_t message_bytes() const {
    const std::uint64_t whole = block_count * block_bytes;
    return bytes < whole ? bytes : whole;
  }
};

/// Streams and channels, and the network locations of the memory that they write to.
struct StreamWork {
  /// Memory of a peer from local address `local` on, and its network address (FabricManager::unicast_buffer).
  struct Peer {
    std::uint16_t gpu = 0;
    std::uint64_t local = 0, bytes = 0, network = 0;
  };
  StreamProgram program;
  std::vector<Peer> peers;  ///< one or several for each GPU that it copies to

  /// Returns null if some of the range is not mapped.
  const Peer* find(std::uint16_t gpu, std::uint64_t address, std::uint64_t bytes) const {
    for (const Peer& p : peers)
      if (p.gpu == gpu && address - p.local <= p.bytes && bytes <= p.bytes - (address - p.local)) return &p;
    return nullptr;
  }
};

struct NvlsPlan;

/// The thread blocks of NVLS at one GPU: their plan, and the places of its slots.
struct NvlsWork {
  std::shared_ptr<const NvlsPlan> plan;  ///< equal at all ranks
  std::uint32_t rank = 0;
  std::vector<std::uint16_t> gpus;   ///< by rank
  std::uint64_t message = 0;         ///< local address of the message
  std::uint64_t slots = 0;           ///< local address of the slots; registered: of the message
  std::uint64_t region = 0;          ///< network address of `slots`, a multicast region
  std::uint64_t flags = 0;           ///< network address of the flags, a multicast region with a block for each thread block
  std::vector<Tick> launches = {0};  ///< times of the launches of the plan's kernels, after the start
};

/// Work for the NIC of a GPU, which one of the GPU's engines knows (DeviceTask::Kind::network).
struct NetworkWork {
  virtual ~NetworkWork() = default;
};

/// Stages or commands of a program that form one operation and begin with its task.
struct GpuOperation {
  std::uint32_t first = 0, count = 0;
  std::uint32_t lane = 0;  ///< for stages: operations of different lanes issue requests in turn, block by block
};

/// The work of one GPU for one collective, or for a step of several. Posted as a whole, before the measured time begins.
struct GpuProgram {
  std::vector<DmaStage> stages;            ///< in order; each begins when its predecessor has ended in this GPU
  std::vector<GpuCommand> commands;        ///< alternative to stages
  std::optional<StreamWork> streams = {};  ///< alternative to stages and commands
  BlockRange message;                      ///< commands: the message; its network address is not used
  std::uint64_t local = 0;                 ///< commands: address of the message in this GPU's memory
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
  unsigned members = 0;                                          ///< number of participating GPUs
  std::optional<TaskProgram> tasks = {};                         ///< tasks of the GPU, and dependencies of the operations
  std::vector<GpuOperation> operations = {};                     ///< with `tasks`: all stages, or all commands, in order
  std::optional<NvlsWork> nvls = {};                             ///< alternative to stages, commands and streams
  std::vector<std::shared_ptr<const NetworkWork>> network = {};  ///< with `tasks`: by DeviceTask::operation
};

}  // namespace tributary
