#pragma once
/// GpuMemoryPort: interface of a GPU's core to its memory. GpuListener: notifications of the core to its shell.

#include <cstddef>
#include <cstdint>
#include <string>

#include "modules/base/units.h"
#include "modules/gpu/core/address_translation.h"

namespace tributary {

class GpuMemoryPort {
 public:
  virtual ~GpuMemoryPort() = default;
  /// `data` may be null (timing only). A read returns its latency; a write is visible immediately.
  virtual Tick read(std::uint64_t address, std::byte* data, unsigned bytes) = 0;
  virtual void write(std::uint64_t address, const std::byte* data, unsigned bytes) = 0;
  /// MemoryModel::begin_operation().
  virtual void begin_operation() {}
};

class GpuListener {
 public:
  virtual ~GpuListener() = default;
  /// The program has ended here: all its writes have been visible since `when`.
  virtual void operation_done(Tick when) = 0;
  virtual void operation_failed(Tick when, const std::string& error) = 0;
  /// An engine has received work from outside, due at `when`.
  virtual void wake(Tick when) = 0;
};

/// Counts all accesses to a GPU's memory, and translates network addresses to local ones.
class MemoryAccess {
 public:
  struct Use {
    std::uint64_t reads = 0, writes = 0;  ///< accesses of packets, polls and partial sums
  };
  explicit MemoryAccess(GpuMemoryPort& port) : port_(port) {}

  Tick read(std::uint64_t address, std::byte* data, unsigned bytes) {
    ++use_.reads;
    return port_.read(address, data, bytes);
  }
  void write(std::uint64_t address, const std::byte* data, unsigned bytes) {
    ++use_.writes;
    port_.write(address, data, bytes);
  }
  void begin_operation() { port_.begin_operation(); }
  /// Counts an addition to a sum in memory: a read and a write.
  void added() { ++use_.reads, ++use_.writes; }

  AddressTranslation& translation() { return translation_; }
  std::uint64_t local(std::uint64_t network) const { return translation_.local(network); }
  const Use& use() const { return use_; }
  void reset() { use_ = {}; }

 private:
  GpuMemoryPort& port_;
  AddressTranslation translation_;
  Use use_;
};

}  // namespace tributary
