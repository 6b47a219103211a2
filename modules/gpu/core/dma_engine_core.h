#pragma once
/// DmaEngineCore: engine that executes the stages of a program: issues requests in waves and tracks which blocks are
/// visible (Klenk et al., ISCA 2020, IV-D, Figure 6).

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "modules/gpu/core/engine_seat.h"
#include "modules/gpu/core/request_lanes.h"
#include "modules/gpu/core/stage_progress.h"

namespace tributary {

/// Stages run one after another; each ends when all blocks that it expects are visible here. In programs with tasks this
/// holds within an operation. A block that arrives before its stage has begun is accepted. With
/// `nvswitch.gpu.initiator=cores` the same stages are requested in many small requests.
class DmaEngineCore final : public GpuEngine {
 public:
  explicit DmaEngineCore(EngineSeat seat);

  EngineScope scope() const override;
  bool load(const GpuProgram& program) override;
  void start(Tick now) override {
    if (seat_.program().operations.empty() && !seat_.program().tasks) begin_operation(0, now);
  }
  void begin_operation(std::uint32_t operation, Tick now) override;
  void run(Tick now, EngineTimer timer) override;
  bool issue(Tick now) override;
  void packet(Packet* packet, Arrival from, Tick now) override;
  std::vector<std::string> waiting() const override;
  void reset() override;
  void reseed(std::uint64_t seed) override { requests_.reseed(seed); }
  void describe(ProbeDirectory& directory, const std::string& name) override { requests_.describe(directory, name + "."); }

 private:
  // stages
  void begin_stage(std::uint32_t operation, Tick now);
  void end_stages(std::uint32_t operation, Tick now);
  RequestGenerator::Request request_of(std::uint32_t stage) const;
  unsigned responses_of(const DmaStage& s) const;
  unsigned stage_of(std::uint64_t address);
  unsigned find_stage(std::uint64_t address) const;
  void block_visible(unsigned stage, std::uint64_t address, Tick when);

  // requests
  void request_block(const DmaStage& s, std::uint64_t block, const EngineSeat::Place& place, Tick now);
  void request_pull(const DmaStage& s, std::uint64_t block, const EngineSeat::Place& place, Tick now);
  Packet* make(Opcode opcode, Target target, const EngineSeat::Place& place, unsigned bytes, bool data, Tick now);
  void arm(Tick now) {
    seat_.offer(requests_.ready(), now);
    seat_.call(EngineTimer::after_issue, requests_.retry_at());
  }

  // arrivals
  void on_result(Packet* packet, Tick now);
  void on_response(Packet* packet, Tick now);
  void own_operand_read(Packet* own, Tick when);
  void on_ack(Packet* packet, Tick now);
  void on_local(Packet* packet, bool written, Tick now);
  void poll(Packet* packet, Tick now);
  bool cores() const { return seat_.config().params.initiator == Initiator::cores; }

  EngineSeat seat_;
  RequestLanes requests_;
  struct Stage {
    StageProgress progress;
    std::uint32_t operation = 0;
    std::vector<Packet*> own_operands = {};  // pull: own operands by block of the slice, until the response arrives
  };
  struct Operation {
    std::uint32_t stage = 0, end = 0;  // current stage; end of its stages
    std::uint32_t lane = 0;
    bool begun = false;
  };
  std::vector<Stage> stages_;
  std::vector<Operation> operations_;        // one, unless the program defines several
  std::vector<unsigned> by_address_;         // stage numbers, sorted by address
  unsigned last_found_ = 0;                  // stage of the last lookup
  std::map<Packet*, Packet*> late_results_;  // pull: sum of the others, by own operand that the memory answers later
};

}  // namespace tributary
