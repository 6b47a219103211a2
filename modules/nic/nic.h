#pragma once
/// Nic: a schedule NIC as a module, with sockets for schedule table, reduction unit and memory (Huang et al., ISCA 2021,
/// IV-A).

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/sysc/memory_module.h"
#include "modules/base/sysc/payload_access.h"
#include "modules/nic/core/nic_core.h"
#include "modules/nic/core/reduction_core.h"
#include "modules/nic/nic_compute_engine.h"
#include "modules/nic/reduction_unit.h"
#include "modules/nic/schedule_table.h"
#include "modules/nic/table_rows.h"

namespace tributary {

/// NicCore has rules and state. The NIC uses the links of the router in the same device, which has the one process.
class Nic : public sc_core::sc_module,
            private ReductionUnitPort,
            private MemoryPort,
            private tlm::tlm_bw_transport_if<>,
            private tlm::tlm_bw_transport_if<ReductionProtocol> {
 public:
  /// Creates the module for a socket, with the given name, during elaboration. If null, the user binds the socket.
  template <class Module>
  using Factory = std::function<std::unique_ptr<Module>(const char* name, const NicCore::Config& nic)>;
  /// An empty factory gives the default module. A memory that is not a MemoryModule holds the user's data.
  struct Parts {
    Factory<TargetModule<>> table = {};
    Factory<TargetModule<ReductionProtocol>> reduction_unit = {};
    Factory<TargetModule<>> memory = {};
    Factory<ComputeModule> compute = {};  ///< required if NicCore::Config::steps is set; must not return null
    bool unit_adds_data = false;          ///< the data of each packet pass the reduction unit's socket
  };

  tlm::tlm_initiator_socket<32> table_socket{"table_socket"};
  tlm::tlm_initiator_socket<32, ReductionProtocol> reduction_socket{"reduction_socket"};
  tlm::tlm_initiator_socket<32> memory_socket{"memory_socket"};

  Nic(const sc_core::sc_module_name& name, const NicCore::Config& config, const Parts& parts, PacketPool& pool,
      PayloadViews& views, CompletionListener& listener);

  NicCore& core() { return core_; }
  const NicCore& core() const { return core_; }
  /// Only for a memory that is a MemoryModule.
  void resize_memory(std::uint64_t bytes);
  std::byte* memory() { return own_memory_ == nullptr ? nullptr : own_memory_->data(); }

  /// The device around the NIC, for blocks that answer later. Call during construction.
  void set_host(AnswerHost& host) {
    late_.set_host(host);
    rows_.late().set_host(host);
    late_sums_.set_host(host);
  }

  /// These include the modules at its sockets that factories have made. Lines begin below the NIC's name.
  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory);

 private:
  friend class NetworkNode;  // posts programs, and wakes its device

  /// Calls NicCore::post(), which loads the table over its socket.
  void post(NicProgram program, Tick t0);
  /// Calls NicCore::post_step(); requires NicCore::Config::steps. Each operation loads the table as it begins.
  void post_step(NicStep step, Tick t0);
  // ReductionUnitPort
  AccessTime add(Tick start, std::uint64_t elements, std::uint64_t chunk, AnswerListener& listener) override;
  Ticket ticket() const override { return late_sums_.ticket(); }
  void combine(std::byte* sum, const std::byte* data, std::uint64_t elements, ElementType type, ReduceOp op,
               std::uint64_t chunk) override;
  // MemoryPort
  AccessTime request(std::uint64_t address, std::uint64_t bytes, Tick now, AnswerListener& listener) override;
  LateAnswers* late_answers() override { return &late_; }
  void read(std::uint64_t address, std::byte* data, unsigned bytes) override;
  void write(std::uint64_t address, const std::byte* data, unsigned bytes) override;

  void find_memory();
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  tlm::tlm_sync_enum nb_transport_bw(ReductionOperand&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  std::unique_ptr<ComputeModule> compute_;  // with steps only
  ReductionCore reduction_;                 // before the core, which uses these
  TableRows rows_;
  LateAnswers late_sums_;  // requests to the reduction unit
  LateAnswers late_;       // requests to the memory
  NicCore core_;
  std::unique_ptr<TargetModule<>> table_, memory_;
  std::unique_ptr<TargetModule<ReductionProtocol>> reduction_unit_;
  MemoryModule* own_memory_ = nullptr;
  bool own_unit_ = false;     // the reduction unit answers within the call
  bool sums_follow_ = false;  // the unit writes sums when a chunk is added
  PayloadAccess access_{"memory"};
};

}  // namespace tributary
