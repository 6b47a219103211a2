#pragma once
/// Memories behind a device's socket.

#include "modules/base/host/large_buffer.h"
#include "modules/base/sysc/target_module.h"
#include "modules/base/units.h"

namespace tributary {

/// Generic payload. A read without data is the request of a chunk: it adds the latency to its first byte to the delay. Reads
/// and writes with data, of a packet each, take no time of their own. A memory that grants direct access (DMI) to all of its
/// bytes is read and written without them.
class MemoryModule : public TargetModule<> {
 public:
  /// Provides storage; without it (0 bytes) only timing is simulated. Neither resized nor changed from outside while
  /// something is on its way: data stay there until they arrive.
  virtual void resize(std::uint64_t bytes) = 0;
  virtual std::uint64_t size() const = 0;
  /// Null without storage.
  virtual std::byte* data() = 0;

 protected:
  using TargetModule::TargetModule;
};

/// A fixed latency, and direct access. `index`, among the memories of its kind.
class DirectMemory : public MemoryModule {
 public:
  DirectMemory(const sc_core::sc_module_name& name, Time latency, unsigned index)
      : MemoryModule(name), latency_(latency), stagger_(index % 64u * 65 * 64) {}

  void resize(std::uint64_t bytes) override;
  std::uint64_t size() const override { return size_; }
  std::byte* data() override { return storage_ == nullptr ? nullptr : storage_.get() + stagger_; }

 private:
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& access, tlm::tlm_dmi& direct) override;

  Time latency_;
  std::size_t stagger_;  // all use the same addresses at about the same time: these are not to share sets of a cache
  LargeBuffer storage_;
  std::uint64_t size_ = 0;
};

}  // namespace tributary
