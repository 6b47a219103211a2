#pragma once
/// GpuMemoryPort: interface of a GPU's core to its memory. GpuListener: notifications of the core to its shell.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "modules/base/access_timing.h"
#include "modules/base/late_answers.h"
#include "modules/base/units.h"
#include "modules/gpu/core/address_translation.h"

namespace tributary {

class GpuMemoryPort {
 public:
  virtual ~GpuMemoryPort() = default;
  /// An access that the memory accepts at `now`. `data` may be null (timing only). A write is visible immediately, and the
  /// data of a read are those at `now`, also if its answer is pending.
  virtual AccessTime read(std::uint64_t address, std::byte* data, unsigned bytes, Tick now) = 0;
  virtual AccessTime write(std::uint64_t address, const std::byte* data, unsigned bytes, Tick now) = 0;
  /// A read whose answer is not pending.
  virtual AccessTime read_at_once(std::uint64_t address, std::byte* data, unsigned bytes, Tick now) {
    return read(address, data, bytes, now);
  }
  /// Sets the receiver of the times of reads whose answers are pending. Returns these answers; null: there are none.
  virtual LateAnswers* late_answers(AnswerListener&) { return nullptr; }
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

/// Counts all accesses to a GPU's memory, and translates network addresses to local ones. Accesses overlap; one with an
/// interval keeps the memory busy for the next. Answers may be in any order.
class MemoryAccess {
 public:
  struct Use {
    std::uint64_t reads = 0, writes = 0;  ///< accesses of packets, polls and partial sums
  };
  explicit MemoryAccess(GpuMemoryPort& port) : port_(port) {}

  /// Sets the time of the accesses that follow.
  void set_time(Tick now) { now_ = now; }
  /// Returns the time until the data are available; `never`: the memory answers later.
  Tick read(std::uint64_t address, std::byte* data, unsigned bytes) {
    ++use_.reads;
    if (__builtin_expect(free_at_ > now_, 0)) return read_late(address, data, bytes);
    const AccessTime time = port_.read(address, data, bytes, now_);
    if (time.interval != 0) free_at_ = now_ + time.interval;
    return time.latency;
  }
  /// As read(), but the memory answers within the call.
  Tick read_at_once(std::uint64_t address, std::byte* data, unsigned bytes) {
    ++use_.reads;
    const Tick begin = std::max(now_, free_at_);
    const AccessTime time = port_.read_at_once(address, data, bytes, begin);
    if (time.interval != 0) free_at_ = begin + time.interval;
    return begin - now_ + time.latency;
  }
  void write(std::uint64_t address, const std::byte* data, unsigned bytes) {
    ++use_.writes;
    if (__builtin_expect(free_at_ > now_, 0)) return write_late(address, data, bytes);
    const Tick interval = port_.write(address, data, bytes, now_).interval;
    if (interval != 0) free_at_ = now_ + interval;
  }
  /// Accesses of a kernel or channel, whose time the caller counts.
  void load(std::uint64_t address, std::byte* data, unsigned bytes) {
    ++use_.reads;
    port_.read_at_once(address, data, bytes, now_);
  }
  void store(std::uint64_t address, const std::byte* data, unsigned bytes) {
    ++use_.writes;
    port_.write(address, data, bytes, now_);
  }
  void begin_operation() { port_.begin_operation(); }
  /// Counts an addition to a sum in memory: a read and a write.
  void added() { ++use_.reads, ++use_.writes; }

  /// Time of the accesses.
  Tick now() const { return now_; }
  AddressTranslation& translation() { return translation_; }
  std::uint64_t local(std::uint64_t network) const { return translation_.local(network); }
  const Use& use() const { return use_; }
  void reset() {
    use_ = {};
    free_at_ = 0;
  }

 private:
  // Accesses while the memory is busy.
  [[gnu::noinline]] Tick read_late(std::uint64_t address, std::byte* data, unsigned bytes) {
    const Tick begin = free_at_;
    const AccessTime time = port_.read(address, data, bytes, begin);
    free_at_ = begin + time.interval;
    return time.pending() ? never : begin - now_ + time.latency;
  }
  [[gnu::noinline]] void write_late(std::uint64_t address, const std::byte* data, unsigned bytes) {
    free_at_ += port_.write(address, data, bytes, free_at_).interval;
  }

  GpuMemoryPort& port_;
  AddressTranslation translation_;
  Use use_;
  Tick now_ = 0, free_at_ = 0;  // free_at_: the memory accepts the next access
};

}  // namespace tributary
