// Reports of channels: what they wait for, and their probes.
#include <string>
#include <vector>

#include "modules/base/waiting_since.h"
#include "modules/streams/core/channel_engine.h"

namespace tributary {
namespace {

std::string gpu_name(std::uint16_t peer) { return "GPU " + std::to_string(peer); }

}  // namespace

/// Returns the kernel of the channel's next step, if there are several, and the reason for which its block has not begun.
std::string ChannelEngine::awaited_kernel(unsigned channel) const {
  const Channel& c = channels_[channel];
  const unsigned kernel = head(c).kernel;
  std::string text = kernels_.kernels() > 1 ? " of kernel " + std::to_string(kernel + 1) : "";
  if (c.resident) return text;
  if (kernel != kernels_.kernel()) return text + " waits for the end of kernel " + std::to_string(kernels_.kernel() + 1);
  return text + (kernels_.is_placed(c.block) ? " waits for the host's launch" : " waits for a multiprocessor");
}

std::vector<std::string> ChannelEngine::waiting() const {
  std::vector<std::string> lines;
  for (unsigned number = 0; program_ != nullptr && number < program_->channels; ++number) {
    const Channel& c = channels_[number];
    if (c.head == c.steps.size()) continue;
    const ChannelStep& s = head(c);
    std::string line = "channel" + std::to_string(number) + ": step " + std::to_string(c.head + 1) + " of " +
                       std::to_string(c.steps.size()) + awaited_kernel(number);
    const auto missing = [&](std::uint32_t semaphore, std::uint32_t value, const std::string& what) {
      if (value > 0 && !around_.semaphores.reached(semaphore, value))
        line += " waits for " + what + " (semaphore " + std::to_string(semaphore) + " is " +
                std::to_string(around_.semaphores.value(semaphore)) + ", to be " + std::to_string(value) + ")";
    };
    if (!c.resident) {
      lines.push_back(line + waiting_since(c.free_at));
      continue;
    }
    if (c.running) {
      line += s.peer == ChannelStep::none ? " is in progress" : " sends to " + gpu_name(s.peer);
    } else {
      missing(s.arrived, s.arrivals, s.giver == ChannelStep::none ? "data" : "data from " + gpu_name(s.giver));
      missing(s.granted, s.grants, "a free slot of " + gpu_name(s.peer));
    }
    lines.push_back(line + waiting_since(c.running ? c.begun : c.free_at));
  }
  return lines;
}

void ChannelEngine::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add(prefix + "channel_steps", steps_, "a step of a channel begins or ends");
  directory.add_signal(prefix + "channel_kernel", kernel_, SignalKind::level, 16,
                       "number of the kernel of the channels in progress, from 1; 0: none");
  for (unsigned c = 0; c < channels_.size(); ++c) {
    const std::string name = prefix + "channel" + std::to_string(c) + ".";
    directory.add_signal(name + "step", channels_[c].step, SignalKind::level, 32,
                         "number of the latest step, from 1; 0: all steps have ended");
    directory.add_signal(name + "busy", channels_[c].busy, SignalKind::level, 2,
                         "the channel moves bytes: 1 at its highest rate, 2 at its highest rate of additions, 3 at the rate "
                         "of host memory");
  }
}

}  // namespace tributary
