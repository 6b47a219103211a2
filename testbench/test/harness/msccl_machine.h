#pragma once
/// A plain interpreter of MSCCL algorithms on random numbers, which shares no code with the proof.

#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "testbench/interchange/msccl/algorithm.h"

namespace tributary::msccl {

/// Carries out an all-reduce in a random order of thread blocks. Each location that was never written holds a different
/// number.
class MscclMachine {
 public:
  MscclMachine(const Algorithm& algorithm, bool inplace, std::uint64_t seed)
      : algorithm_(algorithm), inplace_(inplace), random_(seed) {
    for (const Gpu& gpu : algorithm.gpus) next_.emplace_back(gpu.blocks.size(), 0);
    for (int g = 0; g < algorithm.ranks(); ++g)
      for (int c = 0; c < algorithm.chunks_per_loop; ++c) sum_[c] += at(g, {Buffer::input, c}, 0);
  }

  /// True if every step has been carried out, no message is left, and each rank holds all sums.
  bool runs_right() {
    for (;;) {
      std::vector<std::pair<std::size_t, std::size_t>> ready;
      bool open = false;
      for (std::size_t g = 0; g < next_.size(); ++g)
        for (std::size_t b = 0; b < next_[g].size(); ++b) {
          if (next_[g][b] == algorithm_.gpus[g].blocks[b].steps.size()) continue;
          open = true;
          if (can_go_on(g, b)) ready.emplace_back(g, b);
        }
      if (ready.empty()) return !open && is_right();
      const auto [g, b] = ready[random_() % ready.size()];
      if (!run(static_cast<int>(g), algorithm_.gpus[g].blocks[b], algorithm_.gpus[g].blocks[b].steps[next_[g][b]]))
        return false;
      ++next_[g][b];
    }
  }

 private:
  using Number = std::uint64_t;
  using Message = std::vector<Number>;

  Number& at(int gpu, const Place& place, int chunk) {
    const Buffer buffer = inplace_ && place.buffer == Buffer::output ? Buffer::input : place.buffer;
    return memory_.try_emplace({gpu, buffer, place.offset + chunk}, random_()).first->second;
  }
  std::deque<Message>& queue(int from, int to, int channel) { return queues_[{from, to, channel}]; }

  bool can_go_on(std::size_t g, std::size_t b) {
    const ThreadBlock& block = algorithm_.gpus[g].blocks[b];
    const Step& step = block.steps[next_[g][b]];
    if (step.depends_tb >= 0 &&
        next_[g][static_cast<std::size_t>(step.depends_tb)] <= static_cast<std::size_t>(step.depends_step))
      return false;
    return !traits(step.type).receives || !queue(block.receive, static_cast<int>(g), block.channel).empty();
  }

  bool run(int gpu, const ThreadBlock& block, const Step& step) {
    if (step.type == StepType::nop) return true;
    const StepTraits& t = traits(step.type);
    Message value(static_cast<std::size_t>(step.count), 0);
    if (t.receives) {
      std::deque<Message>& from = queue(block.receive, gpu, block.channel);
      if (from.front().size() != value.size()) return false;
      value = from.front();
      from.pop_front();
    }
    for (int c = 0; c < step.count; ++c) {
      if (t.reads_source) value[static_cast<std::size_t>(c)] += at(gpu, step.source, c);
      if (t.adds_destination) value[static_cast<std::size_t>(c)] += at(gpu, step.destination, c);
    }
    for (int c = 0; t.writes && c < step.count; ++c) at(gpu, step.destination, c) = value[static_cast<std::size_t>(c)];
    if (t.sends) queue(gpu, block.send, block.channel).push_back(value);
    return true;
  }

  bool is_right() {
    for (const auto& [ends, messages] : queues_)
      if (!messages.empty()) return false;
    for (int g = 0; g < algorithm_.ranks(); ++g)
      for (const auto& [chunk, sum] : sum_)
        if (at(g, {Buffer::output, chunk}, 0) != sum) return false;
    return true;
  }

  const Algorithm& algorithm_;
  bool inplace_;
  std::mt19937_64 random_;
  std::vector<std::vector<std::size_t>> next_;  ///< [gpu][thread block]
  std::map<std::tuple<int, Buffer, int>, Number> memory_;
  std::map<std::tuple<int, int, int>, std::deque<Message>> queues_;
  std::map<int, Number> sum_;  ///< by chunk
};

}  // namespace tributary::msccl
