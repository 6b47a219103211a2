#include "modules/streams/core/kernel_unit.h"

#include <algorithm>
#include <tuple>

#include "modules/base/host/wide.h"

namespace tributary {

KernelUnit::KernelUnit(const KernelParams& params, ArrayMemory& memory, KernelListener& listener, MemoryRate* rate)
    : params_(params), memory_(memory), listener_(listener), rate_(rate != nullptr && rate->limited() ? rate : nullptr) {}

void KernelUnit::launch(const StreamCommand& command, std::uint32_t token, Tick now) {
  const Kernel kernel{&command, token, now + params_.launch.value, total_starved_};
  const auto later = [](const Kernel& a, const Kernel& b) {
    return std::tuple(a.launched, a.command->stream, a.token) < std::tuple(b.launched, b.command->stream, b.token);
  };
  // A running kernel stays first.
  kernels_.insert(std::upper_bound(kernels_.begin() + (running_ ? 1 : 0), kernels_.end(), kernel, later), kernel);
}

Tick KernelUnit::next() const {
  if (running_) return ends_;
  return kernels_.empty() ? never : kernels_.front().launched;
}

Tick KernelUnit::duration(std::uint64_t bytes, unsigned inputs) const {
  const Wide accesses = static_cast<Wide>(bytes) * (inputs + 2) * 1'000'000'000'000ull;
  const Wide rate = static_cast<Wide>(params_.rate->value) * 3;
  return static_cast<Tick>((accesses + rate - 1) / rate);
}

void KernelUnit::end_kernels(Tick now) {
  while (running_ && rate_ != nullptr && access_.requests() && ends_ <= now) request();
  if (!running_ || ends_ > now) return;
  const Kernel kernel = kernels_.front();
  kernels_.erase(kernels_.begin());
  running_ = false;
  starved_ = total_starved_ - kernel.starved;
  const StreamCommand& c = *kernel.command;
  memory_.add(c.destination, c.inputs, c.input_count, c.bytes, op_, type_);
  busy_(now, 0);
  bytes_(now, c.bytes);
  listener_.kernel_ended(kernel.token, now);
}

/// Requests a slice of the running kernel, which does not work while it waits.
void KernelUnit::request() {
  const PacedAccess::Wait wait = access_.request(*rate_);
  if (wait.until > wait.from) busy_(wait.from, 0), busy_(wait.until, 1);
  total_starved_ += wait.until - wait.from;
  ends_ = access_.next();
}

void KernelUnit::serve(Tick now) {
  if (running_ || kernels_.empty() || kernels_.front().launched > now) return;
  running_ = true;
  const StreamCommand& c = *kernels_.front().command;
  ends_ = now + duration(c.bytes, c.input_count);
  busy_(now, 1);
  if (rate_ == nullptr) return;
  access_.begin(now, c.bytes, c.input_count + 2u, ends_ - now);
  ends_ = access_.next();
}

std::vector<std::string> KernelUnit::waiting() const {
  if (kernels_.empty()) return {};
  return {"kernel: " + std::to_string(kernels_.size()) + " launched"};
}

void KernelUnit::reset() {
  kernels_.clear();
  starved_ = total_starved_ = 0;
  running_ = false;
}

void KernelUnit::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "kernel.busy", busy_, SignalKind::level, 1, "a kernel adds");
  directory.add_signal(prefix + "kernel.bytes", bytes_, SignalKind::strobe, 48, "a kernel has ended (bytes of its sum)");
}

}  // namespace tributary
