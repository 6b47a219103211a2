#pragma once
/// RoceNic: an RDMA NIC as a module. Its host drives it over a verbs socket; it accesses memory over another socket.

#include <functional>
#include <string>
#include <utility>

#include "modules/base/sysc/memory_module.h"
#include "modules/base/sysc/payload_access.h"
#include "modules/ethernet/verbs_socket.h"
#include "modules/roce/core/roce_nic_core.h"
#include "modules/roce/nic_data_path.h"

namespace tributary {

/// Rules and times: RoceNicCore. The process and the port belong to the device that contains it. Accesses to memory have no
/// time of their own: it is part of the NIC's latencies.
class RoceNic : public sc_core::sc_module,
                private VerbsForward,
                private VerbsListener,
                private HostMemoryPort,
                private tlm::tlm_bw_transport_if<> {
 public:
  VerbsTarget verbs{"verbs"};
  tlm::tlm_initiator_socket<32> memory_socket{"memory_socket"};

  RoceNic(const sc_core::sc_module_name& name, const RoceNicCore::Config& config, bool with_data, EthernetLinks& links,
          PacketPool& pool);

  /// `wake` is called with the time of the next event when a request has arrived over the socket.
  void on_wake(std::function<void(Tick)> wake) { wake_ = std::move(wake); }
  RoceNicCore& core() { return core_; }
  const RoceNicCore& core() const { return core_; }
  /// The payloads are those of `path` from now on, not of the memory at the socket.
  void connect(NicDataPath& path);
  /// Call after the size of the memory has changed: requests direct access to it.
  void find_memory(std::uint64_t bytes);
  void describe(ProbeDirectory& directory) { core_.describe(directory, std::string(name()) + "."); }

 private:
  // VerbsForward
  void b_transport(VerbsTransaction& transaction, sc_core::sc_time& delay) override;
  unsigned outstanding(unsigned queue_pair) const override { return core_.outstanding(queue_pair); }
  // VerbsListener
  void completed(unsigned queue_pair, std::uint64_t id, Tick when) override { verbs->completed(queue_pair, id, when); }
  void arrived(unsigned queue_pair, std::uint32_t immediate, Tick when) override {
    verbs->arrived(queue_pair, immediate, when);
  }
  void failed(unsigned queue_pair, Tick when, const std::string& why) override { verbs->failed(queue_pair, when, why); }
  // HostMemoryPort
  bool holds_data() const override { return with_data_ && bytes_ != 0; }
  bool contains(std::uint64_t address, std::uint64_t bytes) const override {
    return !holds_data() || (bytes <= bytes_ && address <= bytes_ - bytes);
  }
  void read(std::uint64_t address, std::byte* to, unsigned bytes) override;
  void write(std::uint64_t address, const std::byte* from, unsigned bytes) override;
  void access(tlm::tlm_command command, std::uint64_t address, std::byte* data, unsigned bytes);
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override { direct_ = nullptr; }

  std::function<void(Tick)> wake_;
  bool with_data_;
  std::uint64_t bytes_ = 0;      // size of the memory
  std::byte* direct_ = nullptr;  // direct access to the memory, or null: use the socket
  PayloadAccess access_{"memory"};
  RoceNicCore core_;
};

}  // namespace tributary
