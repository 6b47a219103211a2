#pragma once
/// Memory: a GPU's memory as a TLM-2.0 target.

#include <systemc>
#include <tlm>

#include "modules/base/host/large_buffer.h"
#include "modules/gpu/gpu_params.h"
#include "modules/gpu/memory_model.h"

namespace tributary {

/// Accepts b_transport with the generic payload; annotates its latency and never waits. A read needs latency + U[0, jitter)
/// (Klenk V: 180 + U[0,180) cycles); a write is visible immediately. Data of an access with TimingOnly
/// (payload_access.h) may be copied in vain. Random
/// latencies are a hash of (seed, GPU, index of the request).
class Memory final : public MemoryModel, private tlm::tlm_fw_transport_if<> {
 public:
  Memory(const sc_core::sc_module_name& name, const MemoryParams& params, std::uint64_t seed, std::uint32_t gpu);

  void resize(std::uint64_t bytes) override;
  std::byte* data() override { return bytes_; }
  std::uint64_t size() const override { return size_; }
  void reset() override { index_ = 0; }
  void begin_operation() override { index_ = 0; }
  void reseed(std::uint64_t seed) override;

 private:
  void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload& t) override;
  bool copy(const tlm::tlm_generic_payload& t);
  [[gnu::noinline]] void add_latency(sc_core::sc_time& delay);

  /// GPUs access the same addresses at about the same time; the offset keeps them from sharing sets of the host's caches.
  std::size_t stagger() const { return gpu_ % 64 * 65 * 64; }

  MemoryParams params_;
  std::uint32_t gpu_;
  std::uint64_t stream_ = 0;  // hash of the seed and of this memory's stream
  std::uint64_t index_ = 0;
  LargeBuffer storage_;
  std::byte* bytes_ = nullptr;  // null: only time is simulated
  std::uint64_t size_ = 0;
};

}  // namespace tributary
