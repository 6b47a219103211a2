#pragma once
/// CommandExecutorCore: engine that executes a software schedule (send, receive, reduce, copy) in a GPU.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/gpu/core/command_scheduler.h"
#include "modules/gpu/core/engine_seat.h"

namespace tributary {

/// Commands that send are paced at the rate of the links; commands that only store are paced at `executor.local_rate` in
/// parallel. The poll that sees a full mailbox slot is one memory read. Messages for GPUs of other servers go to the NIC,
/// which reads them from memory.
class CommandExecutorCore final : public GpuEngine, private VerbsListener {
 public:
  explicit CommandExecutorCore(EngineSeat seat)
      : seat_(seat), store_pace_(seat.config().params.executor.local_rate, NvLink::flit_bytes) {}

  EngineScope scope() const override { return {EngineScope::bit_of(Opcode::write), 0, 0}; }
  bool load(const GpuProgram& program) override;
  void start(Tick now) override {
    if (seat_.program().operations.empty()) begin_operation(0, now);
  }
  void begin_operation(std::uint32_t operation, Tick now) override;
  void run(Tick now, EngineTimer timer) override;
  bool issue(Tick now) override;
  void packet(Packet* packet, Arrival from, Tick now) override;
  std::vector<std::string> waiting() const override;
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& name) override { scheduler_.describe(directory, name + "."); }

 private:
  struct Seen {
    Tick when;
    std::uint16_t slot;
  };
  // VerbsListener
  void completed(unsigned queue_pair, std::uint64_t id, Tick when) override;
  void arrived(unsigned queue_pair, std::uint32_t immediate, Tick when) override;
  void failed(unsigned, Tick when, const std::string& why) override { seat_.fail(when, why); }
  void listen(const std::vector<GpuCommand>& commands);
  void post_messages(Tick now);
  void post_message(const CommandScheduler::Message& message, Tick now);
  void poll(std::uint16_t slot, std::uint64_t local, Tick now);
  void on_write(Packet* packet, Tick now);
  void on_ack(Packet* packet, Tick now);
  void see_slots(Tick now);
  void store_block(Tick now);
  Tick execute_block(const GpuCommand& command, std::uint64_t block, const EngineSeat::Place& place, Tick now);
  void send_flag(const GpuCommand& command, Tick now);
  void wait_for_data(const GpuCommand& command, Packet* packet, Tick known);
  void block_stored(std::uint32_t operation, Tick when);
  void see(std::uint16_t slot, Tick when);
  void finish_if_over(Tick now);
  void end_operations(Tick now);
  void end_operation(std::uint32_t operation, Tick now);
  void arm(Tick now);

  EngineSeat seat_;
  CommandScheduler scheduler_;
  Serializer store_pace_;
  RingQueue<Seen> seen_;
  bool in_operations_ = false;                          // the program has tasks
  std::map<std::uint32_t, std::uint64_t> late_blocks_;  // by operation: blocks stored whose data the memory answers later
  std::set<std::uint32_t> over_;                        // operations that wait for these blocks alone
  std::map<std::uint16_t, std::uint64_t> mailbox_of_;   // by slot that a NIC fills: its local address
};

}  // namespace tributary
