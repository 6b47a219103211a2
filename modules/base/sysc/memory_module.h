#pragma once
/// MemoryModule and DirectMemory: memories connected to a device's socket.

#include "modules/base/host/large_buffer.h"
#include "modules/base/sysc/target_module.h"
#include "modules/base/units.h"

namespace tributary {

/// A memory accessed by generic payloads. A read with the extension TimingOnly (payload_access.h) is the request of a chunk:
/// the memory adds the latency to its first byte to the delay, may add to RequestInterval, and may copy the data or not.
/// Other reads and writes, of a packet each, have no time. A memory that grants direct access (DMI) to all of its bytes
/// receives no accesses with data.
class MemoryModule : public TargetModule<> {
 public:
  /// Allocates storage; with 0 bytes only timing is simulated. Do not resize or change the storage from outside while
  /// packets are in flight: their data stay there until they arrive.
  virtual void resize(std::uint64_t bytes) = 0;
  virtual std::uint64_t size() const = 0;
  /// Returns null without storage.
  virtual std::byte* data() = 0;

 protected:
  using TargetModule::TargetModule;
};

/// A memory of fixed latency with direct access. `index`: its number among the memories of its kind.
class DirectMemory : public MemoryModule {
 public:
  DirectMemory(const sc_core::sc_module_name& name, Time latency, unsigned index)
      : MemoryModule(name), latency_(latency), stagger_(index % 64u * 65 * 64) {}

  void resize(std::uint64_t bytes) override;
  std::uint64_t size() const override { return size_; }
  std::byte* data() override { return storage_ == nullptr ? nullptr : storage_.get() + stagger_; }

 protected:
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) override;

 private:
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& access, tlm::tlm_dmi& direct) override;

  Time latency_;
  std::size_t stagger_;  // shifts the storage: memories accessed at equal addresses must not share cache sets
  LargeBuffer storage_;
  std::uint64_t size_ = 0;
};

}  // namespace tributary
